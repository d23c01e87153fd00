// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
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
  BitsOf<Real> norm = 0, inverse_norm = 0;  ///< ‖A‖₁, and ‖A⁻¹‖₁ where that is formed
  Real estimate = 0;                        ///< of ‖A⁻¹‖₁
  int flags = 0;                            ///< SolveFlags
  int even = 0, common = 0;  ///< one power of two does for all entries: that of -common
  int arrived = 0;           ///< teams that are done with their right-hand sides
};

template <class Real>
struct SolveTileStorage {
  static constexpr int line = 128 / int{sizeof(Real)};
  static constexpr int state_reals = line;
  static_assert(sizeof(SolveTileState<Real>) <= 128);

  int n, columns;
  SolveTileState<Real>* state;
  Columns<Real> A;  ///< then L and U, rows in the order of the pivots; behind them Y, solutions
  Real* blocks;     ///< inverses of diagonal blocks, of L and of U by turns, for the estimate
  Real* inverses;   ///< 1/u_kk
  Real* signs;      ///< of the estimate
  BitsOf<Real>*col_tops, *row_tops;  ///< largest entries of the caller's matrix
  int* row_exponents;                ///< of rows behind the powers of two of columns
  int* order;                        ///< row k of L and U was the caller's row of this number
  int* pivots;     ///< of a panel: row k was this one, counted from the panel's first
  int* displaced;  ///< and there is now the row of that number, or, -1, row k has come from the top
  int* sides;      ///< exponents that right-hand sides have been divided by

  /// Columns begin at cache lines.
  KOKKOS_FUNCTION static std::int64_t padded(std::int64_t n) { return (n + 31) / 32 * 32; }
  KOKKOS_FUNCTION static int block_count(int n) { return (n + solve_block - 1) / solve_block; }
  KOKKOS_FUNCTION static std::int64_t block_reals(std::int64_t n, bool inverse) {
    return inverse ? 0 : padded(n) * 2 * solve_block;
  }

  static std::int64_t reals(SolveExtents const& extents) {
    std::int64_t const p = padded(extents.n), ints = 2 * p + 2 * solve_block + extents.columns;
    return state_reals + p * (extents.n + extents.columns) +
           block_reals(extents.n, extents.inverse) + 4 * p + ints;
  }

  KOKKOS_FUNCTION explicit SolveTileStorage(SolveProblem<Real> const& problem)
      : n(problem.n),
        columns(problem.columns),
        state(reinterpret_cast<SolveTileState<Real>*>(problem.reals)),
        A{problem.reals + state_reals, static_cast<int>(padded(n))} {
    int const p = A.rows;
    blocks = A.col(n + columns);
    inverses = blocks + block_reals(n, problem.inverse);
    signs = inverses + p;
    col_tops = reinterpret_cast<BitsOf<Real>*>(signs + p);
    row_tops = col_tops + p;
    row_exponents = reinterpret_cast<int*>(row_tops + p);
    order = row_exponents + p;
    pivots = order + p;
    displaced = pivots + solve_block;
    sides = displaced + solve_block;
  }

  KOKKOS_FUNCTION Real* lower_inverse(int block) const {
    return blocks + static_cast<std::ptrdiff_t>(block) * 2 * solve_block * solve_block;
  }
  KOKKOS_FUNCTION Real* upper_inverse(int block) const {
    return lower_inverse(block) + solve_block * solve_block;
  }
};

/// Exponents of the powers of two that columns and rows are multiplied by, when they are known.
template <class Real>
class SolveTileScaling {
 public:
  KOKKOS_FUNCTION explicit SolveTileScaling(SolveTileStorage<Real> const& at)
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
