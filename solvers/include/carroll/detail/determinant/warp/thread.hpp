// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/warp/load.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Condensation (portable/condensation.hpp) of a matrix of order N in the registers of one thread.
/// The largest entry of a row comes to its front by comparing and exchanging columns, all without
/// branches. What a step leaves moves up and to the left, so that steps can be a loop, where that
/// is faster: then rows and columns are fewer by two at a time. 2n³/3 flops and as many moves
/// (a fifth more in loops), n² entries read.
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
      int highest = 0, lowest = 0x7fffffff, lowest_entry = 0x7fffffff;
      CARROLL_UNROLL
      for (int i = 0; i < N; ++i) {
        int top = 0;
        CARROLL_UNROLL
        for (int j = 0; j < N; ++j) {
          int const size = magnitude(a[i][j]);
          top = Kokkos::max(top, size);
          if constexpr (in_loops)
            lowest_entry = Kokkos::min(lowest_entry, size);
          else
            least.add(a[i][j]);
        }
        highest = Kokkos::max(highest, top);
        lowest = Kokkos::min(lowest, top);
        tops[i] = top;
        if constexpr (!in_loops) scale(top, a[i], exponent);
      }
      if (pass == 0) {
        finite = RowScale<T>::is_finite(highest);
        bool may_be_wide;
        if constexpr (in_loops)
          may_be_wide = finite && is_far_below<T>(lowest_entry, highest) &&
                        least_but_zero(a).far_below(highest);
        else
          may_be_wide = finite && least.far_below(highest);
        if (may_be_wide && has_wide_row(A)) {
          exponent = scale_wide(A, a);
          continue;
        }
      }
      if constexpr (in_loops) scale_rows(tops, a, exponent);
      if (RowScale<T>::is_exact(highest) && RowScale<T>::is_exact(lowest)) break;
    }

    Outcome outcome;
    T top_of[N];
    CARROLL_UNROLL
    for (int i = 0; i < N; ++i) top_of[i] = RowScale<T>::scaled(tops[i]);
    condense<N>(a, top_of, outcome);
    return outcome.product.info(exponent, outcome.negative, finite);
  }

  struct Outcome {
    PivotProduct<T> product;
    bool negative = false;
    int highest = 0;  ///< magnitude of the largest pivot: NaN and infinities come to be pivots
  };

  /// All steps of a matrix of order Rows, the first ones of a. `tops`: the largest entries that
  /// rows had before condensation.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION static void condense(T (&a)[N][N], T (&tops)[N], Outcome& outcome) {
    constexpr int steps = in_loops && Rows > 3 ? 2 : 1;
    CARROLL_NO_UNROLL
    for (int k = 0; k < steps; ++k) step<Rows>(a, tops, outcome);
    if constexpr (Rows > steps) condense<Rows - steps>(a, tops, outcome);
  }

 private:
  /// Where there are registers enough, but much code: 40 kB of it, that of each step alone, are
  /// fetched slower than computed (H200, 2026-11-23, 100 000 of order 8: 36 µs for 39).
  static constexpr bool in_loops = N >= 8 && sizeof(T) == 8;

  KOKKOS_FORCEINLINE_FUNCTION static void scale(int top, T (&row)[N], int& exponent) {
    RowScale<T> const scale(top);
    exponent += scale.exponent();
    T const factor = scale.factor();
    CARROLL_UNROLL
    for (int j = 0; j < N; ++j) row[j] *= factor;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void scale_rows(int const (&tops)[N], T (&a)[N][N],
                                                     int& exponent) {
    CARROLL_UNROLL
    for (int i = 0; i < N; ++i) scale(tops[i], a[i], exponent);
  }
  KOKKOS_FORCEINLINE_FUNCTION static LeastMagnitude<T> least_but_zero(T const (&a)[N][N]) {
    LeastMagnitude<T> least;
    CARROLL_UNROLL
    for (int i = 0; i < N; ++i) CARROLL_UNROLL
    for (int j = 0; j < N; ++j) least.add(a[i][j]);
    return least;
  }

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

  /// One step on a matrix of order Rows, or less and zeros behind it.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION static void step(T (&a)[N][N], T (&tops)[N], Outcome& outcome) {
    largest_to_front<Rows>(a, outcome.negative);
    if (magnitude(a[0][0]) < least_pivot<T>) {
      CARROLL_UNROLL
      for (int j = 0; j < Rows; ++j) a[0][j] *= power_of_two<T>(pivot_lift<T>);
      outcome.product.exponent -= pivot_lift<T>;
      largest_to_front<Rows>(a, outcome.negative);
    }
    T const pivot = a[0][0];
    outcome.highest = Kokkos::max(outcome.highest, magnitude(pivot));
    outcome.product.take(pivot, tops[0]);
    PivotDivision<T> const over_pivot(pivot);
    T column[Rows];
    CARROLL_UNROLL
    for (int i = 1; i < Rows; ++i) column[i] = a[i][0];
    CARROLL_UNROLL
    for (int j = 1; j < Rows; ++j) {
      T const factor = over_pivot(a[0][j]);
      CARROLL_UNROLL
      for (int i = 1; i < Rows; ++i) a[i - 1][j - 1] = Kokkos::fma(-column[i], factor, a[i][j]);
    }
    CARROLL_UNROLL
    for (int i = 0; i < Rows; ++i) a[i][Rows - 1] = a[Rows - 1][i] = T(0);
    CARROLL_UNROLL
    for (int i = 1; i < Rows; ++i) tops[i - 1] = tops[i];
  }

  /// Exchanges columns until the first entry is the largest of row 0.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION static void largest_to_front(T (&a)[N][N], bool& negative) {
    CARROLL_UNROLL
    for (int j = 1; j < Rows; ++j) {
      bool const larger = Kokkos::abs(a[0][j]) > Kokkos::abs(a[0][0]);
      negative = negative != larger;
      CARROLL_UNROLL
      for (int i = 0; i < Rows; ++i) {
        T const first = a[i][0], other = a[i][j];
        a[i][0] = larger ? other : first;
        a[i][j] = larger ? first : other;
      }
    }
  }
};

}  // namespace carroll::detail
