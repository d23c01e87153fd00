// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/fused_team.hpp>
#include <carroll/detail/unroll.hpp>

/// Householder QR of a matrix in the registers of a team, and its reflectors at work.
///
/// A reflector is H = I - v·vᵀ with ‖v‖² = 2, that is √τ times LAPACK's v: no factor τ to be
/// handed round, and two reciprocal roots in place of a root and two divisions.
namespace carroll::detail {

/// x := x - v·(v·x) for the two columns of a lane.
template <class Group, class Real, int K>
KOKKOS_FORCEINLINE_FUNCTION void reflect(Group const& group, Real const (&v)[K], Real (&p)[K],
                                         Real (&q)[K], bool p_too = true, bool q_too = true) {
  Real const p_dot = group.sum_parts(lane_dot(v, p)), q_dot = group.sum_parts(lane_dot(v, q));
  Real const p_weight = p_too ? p_dot : Real(0), q_weight = q_too ? q_dot : Real(0);
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) {
    p[t] = Kokkos::fma(-p_weight, v[t], p[t]);
    q[t] = Kokkos::fma(-q_weight, v[t], q[t]);
  }
}

/// The reflector that clears x below row k, in v; x becomes that column of R. Returns whether R's
/// diagonal entry is negative. Below 2^-60 in single, 2^-500 in double precision what is left of a
/// column is zero.
template <class Team, class Real, int K>
KOKKOS_FORCEINLINE_FUNCTION bool make_reflector(Team const& team, int k, Real (&x)[K],
                                                Real (&v)[K]) {
  Real diagonal = 0;
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) {
    int const i = team.row(t);
    v[t] = i > k ? x[t] : Real(0);
    diagonal += i == k ? x[t] : Real(0);
  }
  Real const below = team.group.sum_parts(lane_dot(v, v));
  Real const alpha = team.group.sum_parts(diagonal);
  Real const square = Kokkos::fma(alpha, alpha, below);
  constexpr int least = sizeof(Real) == 4 ? -120 : -1000;
  bool const zero = !(square > power_of_two<Real>(least));
  Real const inverse = refined_rsqrt(square, rough_rsqrt(square));
  Real const tau = Kokkos::fma(Kokkos::abs(alpha), inverse, Real(1));
  Real const inverse_root = refined_rsqrt(tau, rough_rsqrt(tau));
  Real const scaling = zero ? Real(0) : with_sign_of(alpha, inverse * inverse_root);
  Real const head = zero ? Real(0) : tau * inverse_root;
  Real const beta = zero ? Real(0) : with_sign_of(alpha, -square * inverse);
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) {
    int const i = team.row(t);
    v[t] = i == k ? head : v[t] * scaling;
    x[t] = i == k ? beta : i > k ? Real(0) : x[t];
  }
  return beta < Real(0);
}

/// F = Q·R of the n columns that the team holds; R takes their place. The reflectors go to V,
/// columns of Shape::rows entries, unless that is null; signs of R's diagonal to `signs`, likewise.
///
/// One barrier a column: the warp that holds the next column makes its reflector as soon as that
/// column is up to date. 4·rows·n² flops; a step takes two sums over the lanes of a pair, one after
/// the other.
template <class Team, class Real, int K>
KOKKOS_FORCEINLINE_FUNCTION void factorise(Team const& team, int n, Real (&p)[K], Real (&q)[K],
                                           Real* V, Real* signs = nullptr) {
  using Shape = typename Team::Shape;
  auto const& group = team.group;
  auto const step = [&](int k, auto& x) {
    Real* const shared = team.scratch.reflector + k % 2 * Shape::rows;
    if (team.warp == k / Shape::cols) {
      bool const mine = group.pair == k % Shape::cols / 2;
      Real kept[K], v[K];
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) kept[t] = x[t];
      bool const negative = make_reflector(team, k, kept, v);
      if (mine) {
        store_column<Shape>(shared, group.part, v);
        CARROLL_UNROLL
        for (int t = 0; t < K; ++t) x[t] = kept[t];
        if (V) store_column<Shape>(V + k * Shape::rows, group.part, v);
        if (signs && group.part == 0) signs[k] = negative ? -1 : 1;
      }
    }
    team.barrier();
    if (team.first + Shape::cols > k + 1) {
      Real v[K];
      load_column<Shape>(shared, group.part, v);
      reflect(group, v, p, q, team.p > k, team.q > k);
    }
  };
  CARROLL_NO_UNROLL
  for (int k = 0; k < n; k += 2) {
    step(k, p);
    if (k + 1 < n) step(k + 1, q);
  }
}

/// The lane's columns := Q·columns, with Q the product of the reflectors 0 to `last` of V.
/// 4·rows flops a reflector and column; warps do not wait for each other.
template <class Team, class Real, int K>
KOKKOS_FORCEINLINE_FUNCTION void apply_reflectors(Team const& team, Real const* V, int last,
                                                  Real (&p)[K], Real (&q)[K]) {
  using Shape = typename Team::Shape;
  Real v[K];
  if (last >= 0) load_column<Shape>(V + last * Shape::rows, team.group.part, v);
  CARROLL_NO_UNROLL
  for (int k = last; k >= 0; --k) {
    Real next[K];
    load_column<Shape>(V + Kokkos::max(k - 1, 0) * Shape::rows, team.group.part, next);
    reflect(team.group, v, p, q);
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) v[t] = next[t];
  }
}

}  // namespace carroll::detail
