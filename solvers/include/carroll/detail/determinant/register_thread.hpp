// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/balance.hpp>
#include <carroll/detail/determinant/register_load.hpp>
#include <carroll/detail/determinant/register_pivots.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Condensation (condensation.hpp) of a matrix of order N in the registers of one thread. The
/// largest entry of a row comes to its front by comparing and exchanging columns, all without
/// branches. 2n³/3 flops, as many moves, n² entries read.
template <class T, int N>
class RegisterThreadSolver {
 public:
  /// `a` holds the entries of A, which is read again if it has wide rows.
  KOKKOS_FORCEINLINE_FUNCTION static DeterminantInfo<T> solve(StridedMatrix<T const> const& A,
                                                              T (&a)[N][N]) {
    int tops[N];
    int exponent = 0;
    bool finite = true;
    CARROLL_NO_UNROLL
    for (int pass = 0; pass < 3; ++pass) {
      LeastMagnitude<T> least;
      int highest = 0, lowest = 0x7fffffff;
      CARROLL_UNROLL
      for (int i = 0; i < N; ++i) {
        int top = 0;
        CARROLL_UNROLL
        for (int j = 0; j < N; ++j) {
          top = Kokkos::max(top, magnitude(a[i][j]));
          least.add(a[i][j]);
        }
        highest = Kokkos::max(highest, top);
        lowest = Kokkos::min(lowest, top);
        tops[i] = top;
        RowScale<T> const scale(top);
        exponent += scale.exponent();
        T const factor = scale.factor();
        CARROLL_UNROLL
        for (int j = 0; j < N; ++j) a[i][j] *= factor;
      }
      if (pass == 0) {
        finite = RowScale<T>::is_finite(highest);
        if (finite && least.far_below(highest) && has_wide_row(A)) {
          exponent = scale_wide(A, a);
          continue;
        }
      }
      if (RowScale<T>::is_exact(highest) && RowScale<T>::is_exact(lowest)) break;
    }

    PivotProduct<T> product;
    bool negative = false;
    T top_of[N];
    CARROLL_UNROLL
    for (int i = 0; i < N; ++i) top_of[i] = RowScale<T>::scaled(tops[i]);
    condense(a, top_of, product, negative);
    return product.info(exponent, negative, finite);
  }

  /// All N steps. `tops`: the largest entries that rows had before condensation. Returns the
  /// magnitude of the largest pivot: NaN and infinities come to be pivots.
  KOKKOS_FORCEINLINE_FUNCTION static int condense(T (&a)[N][N], T const (&tops)[N],
                                                  PivotProduct<T>& product, bool& negative) {
    int highest = 0;
    CARROLL_UNROLL
    for (int k = 0; k < N; ++k) {
      largest_to_front(a, k, negative);
      if (magnitude(a[k][k]) < least_pivot<T>) {
        CARROLL_UNROLL
        for (int j = k; j < N; ++j) a[k][j] *= power_of_two<T>(pivot_lift<T>);
        product.exponent -= pivot_lift<T>;
        largest_to_front(a, k, negative);
      }
      highest = Kokkos::max(highest, magnitude(a[k][k]));
      product.take(a[k][k], tops[k]);
      PivotDivision<T> const over_pivot(a[k][k]);
      CARROLL_UNROLL
      for (int j = k + 1; j < N; ++j) {
        T const factor = over_pivot(a[k][j]);
        CARROLL_UNROLL
        for (int i = k + 1; i < N; ++i) a[i][j] = Kokkos::fma(-a[i][k], factor, a[i][j]);
      }
    }
    return highest;
  }

 private:
  KOKKOS_FUNCTION static bool has_wide_row(StridedMatrix<T const> const& A) {
    bool wide = false;
    CARROLL_NO_UNROLL
    for (int i = 0; i < N; ++i) {
      EntryRange<T> range;
      CARROLL_NO_UNROLL
      for (int j = 0; j < N; ++j) range.add(Kokkos::abs(A(i, j)));
      wide = wide || is_wide(range.high, range.low);
    }
    return wide;
  }

  /// Columns and rows of A into range together. Returns log₂ of what that takes out.
  KOKKOS_FUNCTION static int scale_wide(StridedMatrix<T const> const& A, T (&a)[N][N]) {
    int col_exponent[N];
    int exponent = 0;
    CARROLL_UNROLL
    for (int j = 0; j < N; ++j) {
      T high = 0;
      CARROLL_NO_UNROLL
      for (int i = 0; i < N; ++i) high = Kokkos::fmax(high, Kokkos::abs(A(i, j)));
      col_exponent[j] = high > 0 ? exponent_of(high) : 0;
      exponent += col_exponent[j];
    }
    CARROLL_UNROLL
    for (int i = 0; i < N; ++i) {
      int e = -4 * exponent_bias<T>;
      CARROLL_UNROLL
      for (int j = 0; j < N; ++j) {
        T const size = Kokkos::abs(A(i, j));
        if (size > 0) e = Kokkos::max(e, exponent_of(size) - col_exponent[j]);
      }
      CARROLL_UNROLL
      for (int j = 0; j < N; ++j) a[i][j] = scale_within_one(A(i, j), -(e + col_exponent[j]));
      exponent += e;
    }
    return exponent;
  }

  /// Exchanges columns from k on until a[k][k] is the largest of its row.
  KOKKOS_FORCEINLINE_FUNCTION static void largest_to_front(T (&a)[N][N], int k, bool& negative) {
    CARROLL_UNROLL
    for (int j = k + 1; j < N; ++j) {
      bool const larger = Kokkos::abs(a[k][j]) > Kokkos::abs(a[k][k]);
      negative = negative != larger;
      CARROLL_UNROLL
      for (int i = k; i < N; ++i) {
        T const first = a[i][k], other = a[i][j];
        a[i][k] = larger ? other : first;
        a[i][j] = larger ? first : other;
      }
    }
  }
};

}  // namespace carroll::detail
