// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/qr/warp/reflector.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// How the lanes of a matrix make reflectors from their rows of it: one after the other, `reflect`.
template <class Real, class Shape, bool Pivots>
struct QrSlimSteps {
  static constexpr int cols = Shape::cols, width = Shape::width, each = Shape::rows_per_lane;
  using Scratch = QrSlimScratch<Real, Shape>;
  using Group = LaneGroup<Shape>;
  using Rows = Real[each][cols];

  /// What a lane knows: of a column, which others may know, too, and of a row of R, where it has
  /// one.
  struct Lane {
    int exponents[cols];         ///< columns stand for x·2^exponent
    int place = 0;               ///< of R's columns the lane's own becomes this one
    Real left = 0;               ///< the square of what is left of it, comparable with others'
    Real weight = 1;             ///< makes it that
    Real diagonal = 0;           ///< of R's row
    int exponent = 0;            ///< of the column that has it
    std::uint32_t negative = 0;  ///< bit k: the reflectors' k-th diagonal entry is
    std::uint32_t done = 0;      ///< bit j: column j has had its turn
    bool finite = true;          ///< is all of A

    /// By which row i of R and column i of Q are multiplied, so that R's diagonal is not negative.
    KOKKOS_FUNCTION Real sign(int i) const {
      return i < cols && (negative >> i & 1U) ? Real(-1) : Real(1);
    }
  };

  /// The largest of the matrices of the warp, whose lanes go on together.
  KOKKOS_FUNCTION static int most_of_warp(Group const& group, int count) {
    if constexpr (Shape::matrices > 1) return group.warp.max(count);
    return count;
  }

  /// The column that a lane knows of.
  KOKKOS_FUNCTION static int column_of(int lane) { return lane / Shape::lanes_per_column; }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T entry(T const (&x)[cols], int k) {
    T y = x[0];
    CARROLL_UNROLL
    for (int j = 1; j < cols; ++j) y = j == k ? x[j] : y;
    return y;
  }

  /// Brings rows into a lane, columns scaled by powers of two to a largest entry near 1; all of a
  /// matrix with an entry that is not finite as zeros.
  template <class Problem>  // has m, n and a
  KOKKOS_FORCEINLINE_FUNCTION static void load(Group const& group, Problem const& problem,
                                               Lane& own, Rows& x) {
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      int const i = group.row + width * r;
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        x[r][j] = i < problem.m && j < problem.n ? problem.a(i, j) : Real(0);
    }
    constexpr int of_zeros = -(1 << 20), of_others = 1 << 20;
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      Real largest = 0;
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) {
        Real const size = Kokkos::abs(x[r][j]);
        largest = Kokkos::max(largest, size < infinity ? size : infinity);
      }
      int const exponent = group.max(!(largest < infinity)  ? of_others
                                     : !(largest > Real(0)) ? of_zeros
                                                            : exponent_of(largest));
      own.finite = own.finite && exponent != of_others;
      own.exponents[j] = exponent == of_zeros ? 0 : exponent;
    }
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      own.exponents[j] = own.finite ? own.exponents[j] : 0;
      int const half = -own.exponents[j] / 2;
      Real const factor = power_of_two<Real>(half);
      Real const rest = power_of_two<Real>(-own.exponents[j] - half);
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) x[r][j] = own.finite ? x[r][j] * factor * rest : Real(0);
    }
    own.place = column_of(group.row);
  }

  /// The square of the norm of the lane's own column from row `first` on.
  KOKKOS_FORCEINLINE_FUNCTION static Real square_from(Group const& group, Rows const& x,
                                                      int first) {
    Real squares[cols] = {};
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      bool const counts = r > 0 || group.row >= first;
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        squares[j] = fused_square_sum(counts ? x[r][j] : Real(0), squares[j]);
    }
    return scattered_sums<cols, width / 2>(group.warp, squares);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void make_comparable(Group const& group,
                                                          QrProblem<Real> const& problem, Lane& own,
                                                          Rows const& x) {
    int const c = column_of(group.row);
    Real const square = square_from(group, x, 0);
    own.weight = qr_column_weight(group, square, entry(own.exponents, c));
    own.left = c < problem.n ? square * own.weight : Real(-1);
  }

  /// Products of the rows v with all columns, for all lanes to read.
  KOKKOS_FORCEINLINE_FUNCTION static void share_products(Group const& group, Scratch& scratch,
                                                         int step, Real const (&v)[each],
                                                         Rows const& x) {
    Real products[cols] = {};
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j) products[j] = Kokkos::fma(v[r], x[r][j], products[j]);
    }
    Real const own = scattered_sums<cols, width / 2>(group.warp, products);
    if (group.row % Shape::lanes_per_column == 0)
      scratch.products[step & 1][column_of(group.row)] = own;
  }

  /// x := H·x with H = I - inverse·v·vᵀ, one of several, k, in turn.
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Group const& group, Scratch& scratch, int k,
                                                Real const (&v)[each], Real inverse, Rows& x) {
    share_products(group, scratch, k, v, x);
    group.warp.sync();
    Real const* const products = scratch.products[k & 1];
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      Real const minus_w = products[j] * -inverse;
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) x[r][j] = Kokkos::fma(minus_w, v[r], x[r][j]);
    }
  }

  /// Reflector k, of whose entries keep(i, v) may keep the lane's own.
  template <class Keep>
  KOKKOS_FORCEINLINE_FUNCTION static void reflect(Group const& group, Scratch& scratch, int steps,
                                                  int k, Lane& own, Rows& x, Keep const& keep) {
    int pivot = k;
    if constexpr (Pivots) pivot = column_of(choose_qr_column(group, own.left, own.place, k, steps));
    Real v[each];
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) v[r] = entry(x[r], pivot);
    if (group.row <= k) v[0] = 0;
    if (group.row == k) {
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j) scratch.row[k & 1][j] = x[0][j];
    }
    share_products(group, scratch, k, v, x);
    group.warp.sync();
    Real const* const row = scratch.row[k & 1];
    Real const* const products = scratch.products[k & 1];
    auto const [beta, head, inverse] = make_scaled_reflector(row[pivot], products[pivot]);
    if (group.row == k) {
      v[0] = head;
      own.diagonal = beta;
      own.exponent = entry(own.exponents, pivot);
      scratch.inverses[k] = inverse;
    }
    if (beta < Real(0)) own.negative |= 1U << k;
    own.done |= 1U << pivot;
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      Real const w = Kokkos::fma(head, row[j], products[j]) * inverse;
      Real const minus_w = own.done >> j & 1U ? Real(0) : -w;
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) x[r][j] = Kokkos::fma(minus_w, v[r], x[r][j]);
    }
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) keep(group.row + width * r, v[r]);
    if constexpr (Pivots) own.left = square_from(group, x, k + 1) * own.weight;
  }
};

}  // namespace carroll::detail
