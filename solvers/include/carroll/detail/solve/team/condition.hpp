// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/team/shared_solve.hpp>
#include <carroll/detail/solve/team/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

namespace carroll::detail {

/// Σ|y_i|.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION Real sum_of_sizes(Member const& team, int n, Real const* y) {
  return lane_sum<Real>(team, n, [&](int i) { return Kokkos::abs(y[i]); });
}

/// x[i] := f(i) by all threads. Ends with a barrier.
template <class Member, class Real, class F>
KOKKOS_INLINE_FUNCTION void fill(Member const& team, int n, Real* x, F const& f) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](int i) { x[i] = f(i); });
  team.team_barrier();
}

/// What host_batch/condition.hpp does, for one matrix by all threads of a team, all of which have
/// read before any of them writes: Hager's and Higham's lower bound of ‖A⁻¹‖₁, on all threads.
/// About 2n² flops for each of some five solutions.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION Real estimate_inverse_norm(Member const& team,
                                                  SolveStorage<Real> const& at) {
  int const n = at.n;
  Real *const x = at.x, *const signs = at.signs;
  auto const sum_of_solution = [&] {
    solve_shared(team, at, x);
    Real const sum = sum_of_sizes(team, n, x);
    team.team_barrier();
    return sum;
  };
  auto const sign = [&](int i) { return x[i] > Real(0) ? Real(1) : Real(-1); };
  fill(team, n, signs, [](int) { return Real(0); });
  fill(team, n, x, [&](int i) {
    Real const size = Real(1) + static_cast<Real>(i) / static_cast<Real>(n > 1 ? n - 1 : 1);
    return i % 2 == 0 ? size : -size;
  });
  Real const beside = sum_of_solution() * (Real(2) / static_cast<Real>(3 * n));
  fill(team, n, x, [&](int) { return Real(1) / static_cast<Real>(n); });
  Real estimate = sum_of_solution();
  for (int step = 0, where = 0; step < most_condition_steps; ++step) {
    int const turned = count_of(team, n, [&](int i) { return sign(i) != signs[i]; });
    team.team_barrier();
    if (turned == 0) break;
    fill(team, n, signs, sign);
    fill(team, n, x, [&](int i) { return signs[i]; });
    solve_transposed_shared(team, at, x);
    Real const here = x[where];  // with its sign: the way back from a column is another way
    Real const best = lane_max<Real>(team, n, [&](int i) { return Kokkos::abs(x[i]); });
    int const steepest = Kokkos::min(first_largest(team, n, x), n - 1);
    team.team_barrier();
    if (step > 0 && !(best > here)) break;
    where = steepest;
    fill(team, n, x, [&](int i) { return i == where ? Real(1) : Real(0); });
    Real const found = sum_of_solution();
    if (!(found > estimate)) break;
    estimate = found;
  }
  return beside > estimate ? beside : estimate;
}

}  // namespace carroll::detail
