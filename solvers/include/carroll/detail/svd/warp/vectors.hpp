// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Shows the singular values to all lanes and counts for each of this lane's how many come before
/// it: larger ones, and equal ones of columns further left. Returns the largest.
template <class Group>
KOKKOS_INLINE_FUNCTION double order(Group const& group, WarpTile<typename Group::Shape> const& F,
                                    double p_sigma, double q_sigma, int& p_place, int& q_place) {
  using Shape = typename Group::Shape;
  int const p_column = 2 * group.pair, q_column = p_column + 1;
  if (group.part == 0 && group.pair < Shape::pairs) {
    F.sigma(p_column) = p_sigma;
    F.sigma(q_column) = q_sigma;
  }
  group.warp.sync();
  p_place = q_place = 0;
  double largest = 0;
  CARROLL_UNROLL
  for (int k = 0; k < Shape::cols; ++k) {  // 0 outside the matrix
    double const other = F.sigma(k);
    p_place += other > p_sigma || (other == p_sigma && k < p_column) ? 1 : 0;
    q_place += other > q_sigma || (other == q_sigma && k < q_column) ? 1 : 0;
    largest = Kokkos::max(largest, other);
  }
  return largest;
}

/// x := a coordinate vector for a column of J that belongs to no rotation.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION void set_unit(Group const& group, double (&x)[K], int column, int rank,
                                     int n) {
  if (column < rank || column >= n) return;
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) x[t] = group.row(t) == column ? 1.0 : 0.0;
}

/// The rotations' product J from what they did, X·J = W·Σ with X = Rᵀ: w becomes J's column. Entry
/// i follows from either side of
///
///   J(i) = (σ·w(i) - Σ_{k<i} R(k, i)·J(k)) / R(i, i)     forward substitution in Rᵀ·J = W·Σ
///   J(i) = (Σ_{k>=i} R(i, k)·w(k)) / σ                   R·W = J·Σ
///
/// The first is accurate for |R(i, i)| above σ, the second below it: R's rows are graded as their
/// diagonal, and apart from that well conditioned, thanks to pivoting. Neither uses what the other
/// one spoils, so w can be overwritten from the top. Accurate whatever cond(A) is (uniform and
/// normal random matrices, n = 2 to 32: ‖JᵀJ - I‖₁ <= 4·n·eps). 4·n² flops for two columns.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION void recover_rotations(Group const& group,
                                              WarpTile<typename Group::Shape> const& F,
                                              double p_sigma, double q_sigma, double (&p)[K],
                                              double (&q)[K]) {
  using Shape = typename Group::Shape;
  double const p_reciprocal = p_sigma > 0 ? 1 / p_sigma : 0;
  double const q_reciprocal = q_sigma > 0 ? 1 / q_sigma : 0;
  CARROLL_UNROLL
  for (int i = 0; i < Shape::cols; ++i) {
    double const diagonal = F.diagonal(i);
    double p_known = 0, q_known = 0, p_product = 0, q_product = 0;
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) {
      int const k = group.row(t);
      if ((t + 1) * Shape::split <= i) {
        double const r = F(k, i);
        p_known = Kokkos::fma(r, p[t], p_known);
        q_known = Kokkos::fma(r, q[t], q_known);
      } else if (t * Shape::split > i) {
        double const r = F(i, k);
        p_product = Kokkos::fma(r, p[t], p_product);
        q_product = Kokkos::fma(r, q[t], q_product);
      } else {
        double const of_column = F(k, i), of_row = F(i, k);
        double const below = k < i ? of_column : 0.0;
        double const above = k < i ? 0.0 : k == i ? diagonal : of_row;
        p_known = Kokkos::fma(below, p[t], p_known);
        q_known = Kokkos::fma(below, q[t], q_known);
        p_product = Kokkos::fma(above, p[t], p_product);
        q_product = Kokkos::fma(above, q[t], q_product);
      }
    }
    double const reciprocal = F.reciprocal(i);
    int const holder = group.lane_of(group.pair) - group.part + i % Shape::split;
    auto const entry = [&](double sigma, double inverse, double w, double known, double product) {
      if (Shape::split > 1) w = group.warp.from(w, holder);
      double const solved = Kokkos::fma(sigma, w, -group.sum_parts(known)) * reciprocal;
      double const multiplied = group.sum_parts(product) * inverse;
      return Kokkos::abs(diagonal) > sigma ? solved : multiplied;
    };
    constexpr int split = Shape::split;
    double const p_entry = entry(p_sigma, p_reciprocal, p[i / split], p_known, p_product);
    double const q_entry = entry(q_sigma, q_reciprocal, q[i / split], q_known, q_product);
    if (group.part == i % split) {
      p[i / split] = p_entry;
      q[i / split] = q_entry;
    }
  }
}

/// Completes orthonormal columns of length n to n of them. p and q are this lane's, zero so far
/// where missing. Each starts from the coordinate vector that those there are cover least and is
/// orthogonalised twice (see complete_column). Rare.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION void complete_basis(Group const& group, bool p_missing, bool q_missing,
                                           int n, double (&p)[K], double (&q)[K]) {
  constexpr int none_left = 0x7fffffff;
  for (int k = 0; k < Group::Shape::cols; ++k) {
    bool const mine = group.pair == k / 2 && (k % 2 == 0 ? p_missing : q_missing);
    if (!group.any_in_warp(mine)) continue;
    double y[K];
    int key = none_left;
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) {
      double const covered = group.sum_pairs(p[t] * p[t] + q[t] * q[t]);
      int const row = group.row(t);
      if (row < n) key = Kokkos::min(key, (magnitude(covered) & ~63) | row);
    }
    int const start = group.min(key) & 63;
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) y[t] = group.row(t) == start ? 1.0 : 0.0;
    for (int pass = 0; pass < 2; ++pass) {
      double const p_dot = group.sum_parts(lane_dot(p, y));
      double const q_dot = group.sum_parts(lane_dot(q, y));
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) y[t] -= group.sum_pairs(p_dot * p[t] + q_dot * q[t]);
    }
    double const reciprocal = 1 / Kokkos::sqrt(group.sum_parts(lane_dot(y, y)));
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) {
      p[t] = mine && k % 2 == 0 ? y[t] * reciprocal : p[t];
      q[t] = mine && k % 2 == 1 ? y[t] * reciprocal : q[t];
    }
  }
}

/// Does J, of which this lane holds parts of two columns, look orthogonal? Norms of its columns,
/// and (JᵀJ - I)·z for two vectors z of ones that single out the even and the odd columns: an
/// estimate, as LAPACK's condition numbers are, at a fraction of what JᵀJ costs. The same answer in
/// all lanes.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION bool looks_orthogonal(Group const& group, int n, double limit,
                                             double const (&p)[K], double const (&q)[K]) {
  double p_even = 0, p_odd = 0, q_even = 0, q_odd = 0;
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) {
    double const even = group.sum_pairs(p[t]), odd = group.sum_pairs(q[t]);
    p_even = Kokkos::fma(p[t], even, p_even);
    p_odd = Kokkos::fma(p[t], odd, p_odd);
    q_even = Kokkos::fma(q[t], even, q_even);
    q_odd = Kokkos::fma(q[t], odd, q_odd);
  }
  auto const near = [&](double x, double to) {  // false for NaN
    return Kokkos::abs(group.sum_parts(x) - to) <= limit;
  };
  bool const p_norm = near(lane_dot(p, p), 1), q_norm = near(lane_dot(q, q), 1);
  bool const pe = near(p_even, 1), po = near(p_odd, 0), qe = near(q_even, 0), qo = near(q_odd, 1);
  bool const p_poor = 2 * group.pair < n && !(p_norm && pe && po);
  bool const q_poor = 2 * group.pair + 1 < n && !(q_norm && qe && qo);
  return !group.any(p_poor || q_poor);
}

/// Makes J's n columns, of which this lane holds parts of two, orthonormal where `wanted`.
/// `p_place` and `q_place` are the places of their singular values in descending order. Small ones
/// come first: a column's errors lie along those of smaller values, from which it is freed. The
/// other way round it would hand them on to those, multiplied by its own value in the residual.
/// Each is freed twice from all that are finished, which leaves errors of rounding however little
/// is left of it the first time (Giraud, Langou, Rozložník and van den Eshof 2005). Columns of
/// which nothing is left are completed. Rare.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION void orthonormalise(Group const& group, bool wanted, int n, int p_place,
                                           int q_place, double (&p)[K], double (&q)[K]) {
  CARROLL_NO_UNROLL
  for (int k = Group::Shape::cols - 1; k >= 0; --k) {
    bool const p_is_it = p_place == k, q_is_it = q_place == k;
    double y[K];
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) y[t] = group.sum_pairs(p_is_it ? p[t] : q_is_it ? q[t] : 0.0);
    auto const normalise = [&](double least) {  // what is not above `least` in squares is nothing
      double const squares = group.sum_parts(lane_dot(y, y));
      double const reciprocal = squares > least ? 1 / Kokkos::sqrt(squares) : 0.0;
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) y[t] = reciprocal > 0 ? y[t] * reciprocal : 0.0;
    };
    normalise(0.0);  // where R's rows were rounding errors a column may have any length
    CARROLL_NO_UNROLL
    for (int pass = 0; pass < 2; ++pass) {
      double const p_product = group.sum_parts(lane_dot(p, y));
      double const q_product = group.sum_parts(lane_dot(q, y));
      double const p_dot = p_place > k ? p_product : 0.0, q_dot = q_place > k ? q_product : 0.0;
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) y[t] -= group.sum_pairs(p_dot * p[t] + q_dot * q[t]);
      normalise(0x1p-60);
    }
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) {
      p[t] = wanted && p_is_it ? y[t] : p[t];
      q[t] = wanted && q_is_it ? y[t] : q[t];
    }
  }
  bool const p_zero = !(group.sum_parts(lane_dot(p, p)) > 0);
  bool const q_zero = !(group.sum_parts(lane_dot(q, q)) > 0);
  bool const p_lost = wanted && p_zero && 2 * group.pair < n;
  bool const q_lost = wanted && q_zero && 2 * group.pair + 1 < n;
  if (group.any_in_warp(p_lost || q_lost)) complete_basis(group, p_lost, q_lost, n, p, q);
}

}  // namespace carroll::detail
