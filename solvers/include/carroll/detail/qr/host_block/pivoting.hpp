// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/host_block/storage.hpp>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <utility>

/// Column pivoting on a host, reflector by reflector: which column is next is known only after the
/// last one has been applied to all. What is left of a column stands in A with zeros above.
namespace carroll::detail {

/// Squares of the columns' norms, comparable with each other. Columns of zeros, whose exponents
/// mean nothing, do not count for what the others are compared with. Ends with a barrier.
template <class Real, class Member>
void start_pivoting(Member const& team, QrBlockStorage<Real> const& at) {
  int const whole = at.reflectors().end_row();
  blocks::share_out(team, at.n, [&](int j) {
    at.norms[j] = blocks::square_of(at.A.col(j), 0, whole);
    at.order[j] = j;
  });
  team.team_barrier();
  if (team.team_rank() == 0) {
    constexpr int farthest = -(exponent_bias<Real> / 2);
    int most = -4 * exponent_bias<Real>;
    for (int j = 0; j < at.n; ++j)
      if (at.norms[j] > Real(0)) most = std::max(most, at.exponents[j]);
    for (int j = 0; j < at.n; ++j) {
      at.weights[j] = power_of_two<Real>(2 * std::clamp(at.exponents[j] - most, farthest, 0));
      at.norms[j] *= at.weights[j];
    }
  }
  team.team_barrier();
}

/// The column that is left longest, the first of equals, becomes column k. One thread.
template <class Real>
void choose_pivot(QrBlockStorage<Real> const& at, int k) {
  auto const p = static_cast<int>(std::max_element(at.norms + k, at.norms + at.n) - at.norms);
  if (p == k) return;
  std::swap_ranges(at.A.col(k), at.A.col(k) + at.A.rows, at.A.col(p));
  std::swap_ranges(at.R.col(k), at.R.col(k) + k, at.R.col(p));
  std::swap(at.norms[k], at.norms[p]);
  std::swap(at.weights[k], at.weights[p]);
  std::swap(at.exponents[k], at.exponents[p]);
  std::swap(at.order[k], at.order[p]);
}

/// Column k := its reflector; R has what stands above it already. Returns tau. One thread.
template <class V, class Real>
Real make_next_reflector(QrBlockStorage<Real> const& at, int k) {
  Real* const above = at.R.col(k);
  std::copy(above, above + k, at.column);
  Real tau = 0;
  if (!blocks::make_reflector<V>(at.reflectors(), k, at.R, tau)) above[k] = tau = 0;
  std::copy(at.column, at.column + k, above);
  return tau;
}

/// R and the reflectors of A·P, with their T. 3mn² - n³ flops (m >= n), a third of them for norms;
/// the columns behind are read and written once for each reflector. Two barriers a column.
template <class Real, class Member>
void factorise_pivoted(Member const& team, QrBlockStorage<Real> const& at) {
  using blocks::panel;
  blocks::BlockReflectors<Real> const Q = at.reflectors();
  start_pivoting(team, at);
  for (int k = 0; k < at.k; ++k) {
    Real& tau = Q.factor(k / panel)[k % panel * (panel + 1)];
    if (team.team_rank() == 0) {
      choose_pivot(at, k);
      blocks::with_packs<Real>(
          [&]<class V>() { by_itself<V::bytes>([&] { tau = make_next_reflector<V>(at, k); }); });
    }
    team.team_barrier();
    blocks::share_out(team, at.n - k - 1, [&](int behind) {
      int const j = k + 1 + behind;
      Real* const y = at.A.col(j);
      blocks::with_packs<Real>([&]<class V>() {
        by_itself<V::bytes>([&] {
          blocks::reflect<V>(Q, k, tau, j, j + 1);
          at.R(k, j) = y[k];
          y[k] = 0;
          at.norms[j] = at.weights[j] * blocks::sum_of_squares<V>(y, Q.first_row(k), Q.end_row());
        });
      });
    });
    team.team_barrier();
  }
  blocks::share_out(team, Q.panels(), [&](int p) {
    int const K = std::min(panel, at.k - p * panel);
    blocks::with_packs<Real>([&]<class V>() {
      by_itself<V::bytes>([&] { blocks::form_factor<V>(Q, p * panel, K, Q.factor(p)); });
    });
  });
  team.team_barrier();
}

}  // namespace carroll::detail
