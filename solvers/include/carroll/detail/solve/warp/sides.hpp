// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/warp/eliminate.hpp>
#include <carroll/detail/solve/warp/load.hpp>
#include <carroll/detail/solve/warp/shape.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Right-hand sides and solutions of a system. Few are spread over the lanes, two at a time; for
/// many each lane has a column, so that nothing but scratch lies between them. Which way a column
/// goes does not change its bits: its entries see the same operations in the same order.
template <class Value, class Shape>
class SolveWarpSides {
  static constexpr int order = Shape::order;

 public:
  using Real = RealOf<Value>;
  using Group = LaneGroup<Shape>;
  using Matrix = SolveWarpMatrix<Value, Shape>;
  using Row = SolveWarpRow<Value, Shape>;

  bool finite = true, broken = false, overflow = false;  ///< of the columns that a lane has seen

  KOKKOS_FUNCTION SolveWarpSides(Group const& group, SolveProblem<Value> const& problem,
                                 bool exists, bool even)
      : group_(group), problem_(problem), n_(problem.n), exists_(exists), even_(even) {}

  /// Two columns of X, or one.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void solve_spread(Row const& own, int first) {
    int const t = group_.row;
    bool const mine = t < n_;
    Value y[C];
    int e[C];
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      Value const b = mine ? problem_.b(t, first + c) : Value(0);
      Real const size = size_or_infinity(b);
      finite = finite && size < Kokkos::Experimental::infinity_v<Real>;
      e[c] = group_.max(size > Real(0) ? exponent_or_one(size) + own.row : least_exponent);
      if (e[c] == least_exponent) e[c] = 0;
      y[c] = scale_parts_within_one(b, own.row - e[c]);
    }
    solve(group_, n_, own, y);
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      Value const x = scale_parts(y[c], own.col + e[c]);
      if (mine) look_at(y[c], x);
      if (mine && exists_) problem_.x(t, first + c) = x;
    }
  }

  /// As many columns of X as a matrix has lanes, or fewer. `room` is overwritten.
  KOKKOS_FORCEINLINE_FUNCTION void solve_columns(Row const& own, Matrix const& factors,
                                                 Matrix& room, int first) {
    int const t = group_.row, count = Kokkos::min(problem_.columns - first, int{order});
    auto const& b = problem_.b;
    Value y[order];
    group_.warp.sync();
    read_matrix(group_, {b.data + first * b.col_stride, b.row_stride, b.col_stride}, n_, count,
                room, y);
    Real largest = 0;
    int e = least_exponent;
    bool const uneven = group_.any_matrix(!even_);
    int const row = group_.from(own.row, own.origin);
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      int const from = group_.from(own.origin, k);
      y[k] = t < count && k < n_ ? room.row(from)[t] : Value(0);
      Real const size = size_or_infinity(y[k]);
      largest = Kokkos::max(largest, size);
      if (uneven) {
        int const shift = group_.from(row, k);
        if (size > Real(0)) e = Kokkos::max(e, exponent_or_one(size) + shift);
      }
    }
    finite = finite && largest < Kokkos::Experimental::infinity_v<Real>;
    if (!uneven) e = exponent_or_one(largest);
    if (!(largest > Real(0))) e = 0;
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      int const shift = uneven ? group_.from(row, k) : 0;
      y[k] = scale_parts_within_one(y[k], shift - e);
    }
    solve_own(factors, n_, y);
    write_columns(own, e, first, count, room, y);
  }

  /// The inverse, from columns of the identity. Returns its norm.
  KOKKOS_FORCEINLINE_FUNCTION Real invert(Row const& own, Matrix& factors) {
    int const t = group_.row;
    Value y[order];
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) y[k] = t < n_ && k == own.place ? Value(1) : Value(0);
    solve_own(factors, n_, y);
    Real const sum = sum_of_moduli(y);
    write_columns(own, own.row, 0, n_, factors, y);
    return group_.max(size_or_infinity(sum));
  }

  /// NaN for all of X.
  KOKKOS_FORCEINLINE_FUNCTION void refuse() const {
    for (int j = 0; j < problem_.columns; ++j)
      if (group_.row < n_ && exists_) problem_.x(group_.row, j) = quiet_nan<Value>();
  }

 private:
  /// An entry before and after its power of two.
  KOKKOS_FORCEINLINE_FUNCTION void look_at(Value const& y, Value const& x) {
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    bool const within = largest_part(y) < infinity;
    broken = broken || !within;
    overflow = overflow || (within && !(largest_part(x) < infinity));
  }

  /// X(:, first + t) := y, times powers of two, by way of scratch where lanes would not write
  /// neighbours. y is overwritten.
  KOKKOS_FORCEINLINE_FUNCTION void write_columns(Row const& own, int e, int first, int count,
                                                 Matrix& room, Value (&y)[order]) {
    int const t = group_.row;
    bool const down = lies_by_columns(problem_.x), mine = t < count;
    constexpr int most = exponent_bias<Real> - 1;
    int const common = own.col + e;  // of all rows, where the matrix is even
    bool const plain = even_ && Kokkos::abs(common) <= most;
    bool const by_entries = group_.any_matrix(group_.ballot(mine && !plain) != 0);
    Real const factor = power_of_two<Real>(plain ? common : 0);
    group_.warp.sync();
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      Value x = y[i] * factor;
      if (by_entries) {
        int const shift = group_.from(own.col, i) + e;
        x = scale_parts(y[i], shift);
      }
      if (!mine || i >= n_) continue;
      look_at(y[i], x);
      if (down)
        room.row(i)[t] = x;
      else if (exists_)
        problem_.x(i, first + t) = x;
    }
    group_.warp.sync();
    if (!down || t >= order) return;
    read_chunks<order>(room.row(t), y);
    CARROLL_UNROLL
    for (int j = 0; j < order; ++j)
      if (t < n_ && j < count && exists_) problem_.x(t, first + j) = y[j];
  }

  Group const& group_;
  SolveProblem<Value> const& problem_;
  int n_;
  bool exists_, even_;
};

}  // namespace carroll::detail
