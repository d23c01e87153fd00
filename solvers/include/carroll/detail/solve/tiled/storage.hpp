// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstddef>
#include <cstdint>

/// Systems in memory, whose panels go through registers: where all of it is.
namespace carroll::detail {

/// Orders of diagonal blocks of L and U that right-hand sides are solved by, and most columns of a
/// panel.
inline constexpr int solve_block = 32;

/// What the teams of a system gather. Sizes are kept as bits, which are ordered as they are.
template <class Real>
struct SolveTileState {
  BitsOf<Real> before = 0, after = 0;       ///< largest entries of A, as it is scaled, and of U
  BitsOf<Real> norm = 0, inverse_norm = 0;  ///< ‖A‖₁, and ‖A⁻¹‖₁ where that is wanted
  int flags = 0;                            ///< SolveFlags
  int even = 0, common = 0;  ///< one power of two does for all entries: that of -common
  int arrived = 0;           ///< teams that are done with their columns
};

template <class Value>
struct SolveTileStorage {
  using Real = RealOf<Value>;
  static constexpr int parts = is_complex<Value> ? 2 : 1;
  static constexpr int line = 128 / int{sizeof(Real)};
  static constexpr int state_reals = line;
  static_assert(sizeof(SolveTileState<Real>) <= 128);

  int n, columns;
  SolveTileState<Real>* state;
  Columns<Value> A;  ///< then L and U, rows in the order of the pivots; behind them Y, solutions
  Value* inverses;   ///< 1/u_kk
  BitsOf<Real>*col_tops, *row_tops;  ///< largest entries of the caller's matrix
  int* row_exponents;                ///< of rows behind the powers of two of columns
  int* order;                        ///< row k of L and U was the caller's row of this number
  int* pivots;     ///< of a panel: row k was this one, counted from the panel's first
  int* displaced;  ///< and there is now the row of that number, or, -1, row k has come from the top
  int* sides;      ///< exponents that right-hand sides have been divided by

  /// Columns begin at cache lines.
  KOKKOS_FUNCTION static std::int64_t padded(std::int64_t n) { return (n + 31) / 32 * 32; }
  KOKKOS_FUNCTION static int block_count(int n) { return (n + solve_block - 1) / solve_block; }

  /// Right-hand sides that elimination goes through; the identity's are none of them.
  static int sides_of(SolveBatch<Value> const& batch) {
    return batch.inverse ? 0 : static_cast<int>(batch.x.extents[2]);
  }

  /// Columns of the inverse of a team, and what they may take of its scratch, where some teams
  /// share a multiprocessor, beside blocks of 25 KiB at most in 48 KiB; larger ones are in memory.
  static constexpr int inverse_columns = 16;
  static constexpr int most_inverse_bytes = sizeof(Value) > 8 ? 20 * 1024 : 24 * 1024;
  KOKKOS_FUNCTION static bool inverse_in_scratch(std::int64_t n) {
    constexpr int most = most_inverse_bytes;
    return n * inverse_columns * int{sizeof(Value)} <= most;
  }

  /// `condition`: is wanted.
  static std::int64_t reals(SolveExtents const& extents, bool condition) {
    std::int64_t const p = padded(extents.n), columns = extents.inverse ? 0 : extents.columns;
    bool const inverse = (extents.inverse || condition) && !inverse_in_scratch(extents.n);
    return reals_before_inverse(extents.n, columns) + (inverse ? parts * p * p : 0);
  }

  KOKKOS_FUNCTION explicit SolveTileStorage(SolveProblem<Value> const& problem)
      : n(problem.n),
        columns(problem.inverts() ? 0 : problem.columns),
        state(reinterpret_cast<SolveTileState<Real>*>(problem.reals)),
        A{reinterpret_cast<Value*>(problem.reals + state_reals), static_cast<int>(padded(n))} {
    int const p = A.rows;
    inverses = A.col(n + columns);
    col_tops = reinterpret_cast<BitsOf<Real>*>(inverses + p);
    row_tops = col_tops + p;
    row_exponents = reinterpret_cast<int*>(row_tops + p);
    order = row_exponents + p;
    pivots = order + p;
    displaced = pivots + solve_block;
    sides = displaced + solve_block;
  }

  /// Where it is in memory.
  KOKKOS_FUNCTION Columns<Value> columns_of_inverse(int first) const {
    Real* const begin = reinterpret_cast<Real*>(state) + reals_before_inverse(n, columns);
    return {reinterpret_cast<Value*>(begin) + static_cast<std::ptrdiff_t>(first) * A.rows, A.rows};
  }

 private:
  KOKKOS_FUNCTION static std::int64_t reals_before_inverse(std::int64_t n, std::int64_t columns) {
    std::int64_t const p = padded(n), ints = 2 * p + 2 * solve_block + columns;
    return (state_reals + parts * p * (n + columns + 1) + 2 * p + ints + line - 1) / line * line;
  }
};

/// Exponents of the powers of two that columns and rows are multiplied by, when they are known.
template <class Value>
class SolveTileScaling {
  using Real = RealOf<Value>;

 public:
  KOKKOS_FUNCTION explicit SolveTileScaling(SolveTileStorage<Value> const& at)
      : col_tops_(at.col_tops),
        row_exponents_(at.row_exponents),
        even_(at.state->even != 0),
        common_(at.state->common) {}

  KOKKOS_FUNCTION int col(int j) const {
    return -(even_ ? common_ : exponent_or_one(Kokkos::bit_cast<Real>(col_tops_[j])));
  }
  KOKKOS_FUNCTION int row(int i) const { return even_ ? 0 : -row_exponents_[i]; }

 private:
  BitsOf<Real> const* col_tops_;
  int const* row_exponents_;
  bool even_;
  int common_;
};

/// top := the larger of it and the size of x, which need not be a number.
template <class Real>
KOKKOS_INLINE_FUNCTION void raise(BitsOf<Real>* top, Real x) {
  Kokkos::atomic_max(top, Kokkos::bit_cast<BitsOf<Real>>(size_or_infinity(x)));
}

}  // namespace carroll::detail
