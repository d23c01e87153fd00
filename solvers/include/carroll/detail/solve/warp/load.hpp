// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/warp/shape.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/unroll.hpp>

/// Matrices in and out of the scratch of a warp, and powers of two into them.
namespace carroll::detail {

/// Are columns one after the other in memory? Lanes then take a row each, otherwise a column, and
/// read neighbours in memory.
template <class T>
KOKKOS_INLINE_FUNCTION bool lies_by_columns(StridedMatrix<T> const& A) {
  return A.row_stride <= A.col_stride;
}

/// `to` := A of up to order×order entries, zeros beside it; x is overwritten. Ends with a meeting.
template <class Value, class Shape>
KOKKOS_FORCEINLINE_FUNCTION void read_matrix(LaneGroup<Shape> const& group,
                                             StridedMatrix<Value const> const& A, int rows,
                                             int cols, SolveWarpMatrix<Value, Shape>& to,
                                             Value (&x)[Shape::order]) {
  int const t = group.row;
  bool const down = lies_by_columns(A);
  int const lines = down ? rows : cols, entries = down ? cols : rows;
  auto const step = down ? A.col_stride : A.row_stride;
  auto const* const from = A.data + (t < lines ? t : 0) * (down ? A.row_stride : A.col_stride);
  CARROLL_UNROLL
  for (int k = 0; k < Shape::order; ++k)
    x[k] = t < lines && k < entries ? from[k * step] : Value(0);
  if (t < Shape::order) {
    if (down) {
      write_chunks<Shape::order>(x, to.row(t));
    } else {
      CARROLL_UNROLL
      for (int k = 0; k < Shape::order; ++k) to.row(k)[t] = x[k];
    }
  }
  group.warp.sync();
}

/// The largest of the sizes of column t, and, if it is `wanted`, the sum of its moduli, read from
/// scratch, where neighbouring lanes read neighbouring words. The sum is right where entries are
/// near 1.
template <class Value, class Shape>
KOKKOS_FORCEINLINE_FUNCTION void measure_column(SolveWarpMatrix<Value, Shape> const& A, int n,
                                                int t, bool wanted, RealOf<Value>& sum,
                                                RealOf<Value>& largest) {
  sum = largest = 0;
  for (int i = 0; t < n && i < n; ++i) {
    Value const x = A.row(i)[t];
    if (wanted) sum += modulus_near_one(x);
    largest = Kokkos::max(largest, size_or_infinity(x));
  }
}

/// Lane t := row t of the matrix in scratch, brought near 1: by one power of two where rows, and
/// columns, are of much the same size, else columns first, then rows, by theirs, as all kernels of
/// this solver do. Its norm if that is `wanted`.
template <class Value, class Shape>
KOKKOS_FORCEINLINE_FUNCTION SolveWarpSizes<RealOf<Value>> equilibrate(
    LaneGroup<Shape> const& group, int n, bool wanted, SolveWarpMatrix<Value, Shape>& A,
    SolveWarpRow<Value, Shape>& own) {
  using Real = RealOf<Value>;
  constexpr int order = Shape::order;
  int const t = group.row;
  Real in_row = 0, in_col, sum;
  measure_column(A, n, t, wanted, sum, in_col);
  if (t < order) read_chunks<order>(A.row(t), own.a);
  CARROLL_UNROLL
  for (int k = 0; k < order; ++k) {
    own.a[k] = t < order ? own.a[k] : Value(0);
    in_row = Kokkos::max(in_row, size_or_infinity(own.a[k]));
  }
  SolveWarpSizes<Real> sizes;
  sizes.finite = group.max(in_row) < Kokkos::Experimental::infinity_v<Real>;
  // The most and the least of exponents, of columns and of rows.
  int const e = exponent_or_one(in_col), f = exponent_or_one(in_row);
  int const most = group.max(t < n ? e : least_exponent);
  int const least = group.min(t < n ? e : -least_exponent);
  int const most_row = group.max(t < n ? f : least_exponent);
  int const least_row = group.min(t < n ? f : -least_exponent);
  sizes.even = most - least < uneven_places && most_row - least_row < uneven_places;
  int const common = Kokkos::abs(most) < near_one_places ? 0 : most;
  own.col = -(sizes.even ? common : e);
  own.row = 0;
  if (group.any_matrix(!sizes.even)) {
    int top = least_exponent;
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      int const col = group.from(own.col, k);
      Real const x = largest_part(own.a[k]);
      if (x != Real(0)) top = Kokkos::max(top, exponent_of(x) + col);
    }
    own.row = sizes.even || top == least_exponent ? 0 : -top;
  }
  if (group.any_matrix(!sizes.even || common != 0)) {
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k)
      own.a[k] = scale_parts_within_one(own.a[k], group.from(own.col, k) + own.row);
    group.warp.sync();
    if (t < order) write_chunks<order>(own.a, A.row(t));
    group.warp.sync();
    measure_column(A, n, t, wanted, sum, in_col);
  }
  sizes.norm = group.max(sum);
  sizes.largest = group.max(in_col);
  group.warp.sync();
  return sizes;
}

}  // namespace carroll::detail
