// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/eigenbasis/eigenvectors.hpp>
#include <carroll/detail/svd/spectral/columns.hpp>
#include <cstddef>
#include <cstdint>

/// Where the family `eigenbasis` has what a start works on, and what one kernel tells the next.
namespace carroll::detail {

/// Turns of all pairs at once that a member can have: in single precision eigenvectors want none as
/// a rule, in double precision one, two beyond condition numbers of 10⁵. One more would do for
/// conditions of up to 4·10⁶ in double precision, and for nothing else in single; its launches take
/// all others 40 µs, or 3 % of a batch's time (H200, 2026-11-28).
template <class Real>
inline constexpr int most_basis_turns = sizeof(Real) == 4 ? 1 : 2;

/// How small an eigenvalue of XᵀX may be, beside the square of the shortest column, for
/// eigenvectors to be sought: where columns are alike, a condition of 6·10⁶ or 4·10⁶. What is
/// beyond pays for the reduction, a tenth of its time; what is told too early, for sweeps, five
/// times its time.
template <class Real>
inline constexpr double least_basis_ratio = 1.0 /
                                            static_cast<double>(std::int64_t{1}
                                                                << (sizeof(Real) == 4 ? 40 : 39));

/// What a start is made with: A itself, as it is, or the triangle of its QR factorisation.
enum class BasisFrom { matrix, triangle };

/// V's entries fall as A's columns do, so that |A|·|V| is no larger than the condition of A with
/// columns of length 1 times |Y|, column by column: of A·V short columns are as accurate as a QR
/// factorisation would leave them. Of longer matrices the factorisation costs less than products
/// with all rows; columns of more than 2048 numbers (see column_sum.hpp) are summed as they are
/// only where the matrix is square.
KOKKOS_INLINE_FUNCTION constexpr BasisFrom basis_from(std::int64_t rows, std::int64_t cols) {
  bool const is_short = rows == cols || (rows <= 2 * cols && rows <= 2048);
  return is_short ? BasisFrom::matrix : BasisFrom::triangle;
}

/// Extents of what a member is begun with.
struct BasisExtents {
  std::int64_t rows, cols;

  /// Of a matrix, rows >= cols.
  static constexpr BasisExtents of(std::int64_t rows, std::int64_t cols) {
    return {basis_from(rows, cols) == BasisFrom::matrix ? rows : cols, cols};
  }
};

/// Of a member. All is written by every call, so that nothing is left of the call before.
struct BasisState {
  SpectralEntry entry;
  int rows;     ///< of X
  int vectors;  ///< V is wanted
  int direct;   ///< begun with A, which is in X
  /// Of V and of Y = X·V, and once they have been turned so many times.
  Kokkos::Array<SpectralMeasure, 3> found;
};

/// So many doubles, in whole lines of 128 bytes.
constexpr std::int64_t basis_lines(std::int64_t count) {
  return (count + 15) / 16 * 16;
}

/// Where a member's matrices are, the first at `begin`; A of eigenvectors is XᵀX.
///
///   G  V  X  W  and what the eigenvectors' kernels work in, where Y, E and T are afterwards
///
/// X, Y and E have room for as many rows as X has.
constexpr EighSlot basis_slot(BasisExtents const& of, std::int64_t begin) {
  std::int64_t const square = basis_lines(of.cols * of.cols);
  std::int64_t const values = begin + 2 * square + basis_lines(of.rows * of.cols);
  return {{.n = of.cols, .a = begin, .w = values, .v = begin + square},
          values + basis_lines(of.cols)};
}
/// The room that they take.
constexpr std::int64_t basis_doubles(BasisExtents const& of) {
  return basis_slot(of, 0).reals +
         std::max(eigenvector_doubles(of.cols),
                  2 * basis_lines(of.rows * of.cols) + basis_lines(of.cols * of.cols));
}

/// Where a member's matrices are after some turns.
struct BasisPlaces {
  double *v, *y;
  double *overlap, *products;  ///< VᵀV and YᵀY; V·(I + T) and Y·(I + T), by the turn
  double* turn;                ///< E - (VᵀV - I)/2
  double* second;              ///< that and half its square
};

/// A member's matrices, column by column, n×n but for X and Y, and what is to be done with it.
///
/// | place | first | turns even          | odd  |
/// | ----- | ----- | ------------------- | ---- |
/// | g     | XᵀX   | VᵀV, V·(I + T)      | V    |
/// | v     |       | V                   | VᵀV… |
/// | x     | X     | E - (VᵀV - I)/2     | same |
/// | y     |       | Y                   | YᵀY… |
/// | e     |       | YᵀY, Y·(I + T)      | Y    |
/// | t     |       | T, to second order  | same |
template <class Real>
struct BasisMember {
  int n, rows;  ///< rows of X and Y
  double *g, *v, *x, *y, *e, *t;
  double const* w;  ///< eigenvalues, ascending
  BasisState* state;
  Real wish;  ///< SvdOptions::tolerance

  KOKKOS_FUNCTION Columns<double> columns(double* data) const { return {data, n}; }
  /// X or Y.
  KOKKOS_FUNCTION Columns<double> long_columns(double* data) const { return {data, rows}; }
  KOKKOS_FUNCTION BasisPlaces places(int turns) const {
    if (turns % 2 == 0) return {v, y, g, e, x, t};
    return {g, e, v, y, x, t};
  }

  /// Has XᵀX been formed?
  KOKKOS_FUNCTION bool is_ready() const { return state->entry.ready != 0; }

  /// After so many turns, if they have been made: are the cosines of Y's columns too large, or V
  /// not orthonormal, but nearly so?
  KOKKOS_FUNCTION bool wants_turn(int turns) const {
    if (turns >= most_basis_turns<Real> || !is_ready()) return false;
    SpectralMeasure const& found = state->found[turns];
    return found.deviation <= most_deviation &&
           !(found.cosine <= tolerance() && found.deviation <= orthonormal());
  }
  /// And once the angles are known: are all pairs of Y's columns rotated at once? T keeps V
  /// orthonormal but for the fourth power of the angles. Larger angles are left to the sweeps.
  KOKKOS_FUNCTION bool is_turned(int turns) const {
    return wants_turn(turns) &&
           state->found[turns].angles <= (measures_basis(turns) ? most_angles : most_safe_angles);
  }
  /// Are products of two angles felt in double precision?
  KOKKOS_FUNCTION bool is_squared(int turns) const {
    constexpr double most = 3e-9;
    return is_turned(turns) &&
           (state->found[turns].angles > most || state->found[turns].deviation > most);
  }
  /// After so many: could one of them have left V less orthonormal than it has to be?
  KOKKOS_FUNCTION bool measures_basis(int turns) const {
    bool could = true;
    for (int k = 0; k < turns; ++k)
      could = could && (state->found[k].angles > most_safe_angles ||
                        state->found[k].deviation > orthonormal());
    return could;
  }
  /// How many there have been.
  KOKKOS_FUNCTION int turns() const {
    int count = 0;
    while (is_turned(count)) ++count;
    return count;
  }
  /// Is V a basis in the end? Sweeps would not go on from A, of which no triangle's diagonal has
  /// been looked at, where a singular value is so small that eigenvalues could not tell it.
  KOKKOS_FUNCTION bool is_begun() const {
    constexpr double least = 1.0 / (std::int64_t{1} << 46);
    return is_ready() && state->found[turns()].deviation <= orthonormal() &&
           (!state->direct || cosine() <= tolerance() || w[0] >= least * w[n - 1]);
  }
  /// Of the columns that the sweeps begin with.
  KOKKOS_FUNCTION double cosine() const { return state->found[turns()].cosine; }
  KOKKOS_FUNCTION double tolerance() const {
    return static_cast<double>(PairRule<Real>::of(wish, n).tolerance);
  }

 private:
  static constexpr double most_angles = 0.02, most_safe_angles = 1e-4, most_deviation = 1e-4;

  KOKKOS_FUNCTION double orthonormal() const {
    return Kokkos::sqrt(static_cast<double>(n)) *
           static_cast<double>(Kokkos::Experimental::epsilon_v<Real>);
  }
};

/// Those of a chunk.
template <class Real>
struct BasisMembers {
  EighSlot const* slots;
  double* doubles;
  BasisState* states;
  Real wish;

  KOKKOS_FUNCTION BasisMember<Real> operator()(int k) const {
    EighSlot const slot = slots[k];
    std::ptrdiff_t const square = slot.member.v - slot.member.a;
    std::ptrdiff_t const whole = slot.member.w - slot.member.v - square;
    double* const g = doubles + slot.member.a;
    double* const y = doubles + slot.reals;
    return {.n = static_cast<int>(slot.member.n),
            .rows = states[k].rows,
            .g = g,
            .v = g + square,
            .x = g + 2 * square,
            .y = y,
            .e = y + whole,
            .t = y + 2 * whole,
            .w = doubles + slot.member.w,
            .state = states + k,
            .wish = wish};
  }
};

}  // namespace carroll::detail
