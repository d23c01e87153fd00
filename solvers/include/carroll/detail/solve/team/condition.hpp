// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/team/eliminate.hpp>
#include <carroll/detail/solve/team/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

namespace carroll::detail {

/// Σ|y_i|.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION Real sum_of_sizes(Member const& team, int n, Real const* y) {
  return lane_sum<Real>(team, n, [&](int i) { return Kokkos::abs(y[i]); });
}

/// What host_batch/condition.hpp does, for one matrix by the calling thread: Hager's and Higham's
/// lower bound of ‖A⁻¹‖₁. About 2n² flops for each of some five solutions.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION Real estimate_inverse_norm(Member const& team,
                                                  SolveStorage<Real> const& at) {
  int const n = at.n;
  Real *const x = at.x, *const signs = at.signs;
  lane_for(team, n, [&](int i) {
    Real const size = Real(1) + static_cast<Real>(i) / static_cast<Real>(n > 1 ? n - 1 : 1);
    x[i] = i % 2 == 0 ? size : -size;
    signs[i] = 0;
  });
  solve(team, at, x);
  Real const beside = sum_of_sizes(team, n, x) * (Real(2) / static_cast<Real>(3 * n));
  lane_for(team, n, [&](int i) { x[i] = Real(1) / static_cast<Real>(n); });
  solve(team, at, x);
  Real estimate = sum_of_sizes(team, n, x);
  for (int step = 0, where = 0; step < most_condition_steps; ++step) {
    auto const sign = [&](int i) { return x[i] > Real(0) ? Real(1) : Real(-1); };
    int const turned = count_of(team, n, [&](int i) { return sign(i) != signs[i]; });
    if (turned == 0) break;
    lane_for(team, n, [&](int i) { x[i] = signs[i] = sign(i); });
    solve_transposed(team, at, x);
    // All lanes have read before they meet in the searches, and one of them writes.
    Real const here = x[where];  // with its sign: the way back from a column is another way
    Real const best = lane_max<Real>(team, n, [&](int i) { return Kokkos::abs(x[i]); });
    int const steepest = Kokkos::min(first_largest(team, n, x), n - 1);
    if (step > 0 && !(best > here)) break;
    where = steepest;
    lane_for(team, n, [&](int i) { x[i] = i == where ? Real(1) : Real(0); });
    solve(team, at, x);
    Real const found = sum_of_sizes(team, n, x);
    if (!(found > estimate)) break;
    estimate = found;
  }
  return beside > estimate ? beside : estimate;
}

}  // namespace carroll::detail
