// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/team/shared_solve.hpp>
#include <carroll/detail/solve/team/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

namespace carroll::detail {

/// Σ|y_i|.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION RealOf<Value> sum_of_sizes(Member const& team, int n, Value const* y) {
  return lane_sum<RealOf<Value>>(team, n, [&](int i) { return modulus(y[i]); });
}

/// x[i] := f(i) by all threads. Ends with a barrier.
template <class Member, class Value, class F>
KOKKOS_INLINE_FUNCTION void fill(Member const& team, int n, Value* x, F const& f) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](int i) { x[i] = f(i); });
  team.team_barrier();
}

/// What host_batch/condition.hpp does, for one matrix by all threads of a team, all of which have
/// read before any of them writes: Hager's and Higham's lower bound of ‖A⁻¹‖₁, on all threads.
/// Signs of complex numbers are their phases, which differ from step to step. About 2n² flops for
/// each of some five solutions.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION RealOf<Value> estimate_inverse_norm(Member const& team,
                                                           SolveStorage<Value> const& at) {
  using Real = RealOf<Value>;
  int const n = at.n;
  Value *const x = at.x, *const signs = at.signs;
  auto const sum_of_solution = [&] {
    solve_shared(team, at, x);
    Real const sum = sum_of_sizes(team, n, x);
    team.team_barrier();
    return sum;
  };
  auto const sign = [&](int i) { return sign_against(x[i]); };
  fill(team, n, signs, [](int) { return Value(0); });
  fill(team, n, x, [&](int i) {
    Real const size = Real(1) + static_cast<Real>(i) / static_cast<Real>(n > 1 ? n - 1 : 1);
    return Value(i % 2 == 0 ? size : -size);
  });
  Real const beside = sum_of_solution() * (Real(2) / static_cast<Real>(3 * n));
  fill(team, n, x, [&](int) { return Value(Real(1) / static_cast<Real>(n)); });
  Real estimate = sum_of_solution();
  for (int step = 0, where = 0; step < most_condition_steps; ++step) {
    int const turned = count_of(team, n, [&](int i) { return sign(i) != signs[i]; });
    team.team_barrier();
    if (turned == 0) break;
    fill(team, n, signs, sign);
    fill(team, n, x, [&](int i) { return signs[i]; });
    solve_transposed_shared(team, at, x);
    Real const here = real_part(x[where]);  // with its sign: the way back is another way
    int const steepest = Kokkos::min(first_pivot(team, n, x), n - 1);
    Real const best = modulus(x[steepest]);
    team.team_barrier();
    if (step > 0 && !(best > here)) break;
    where = steepest;
    fill(team, n, x, [&](int i) { return i == where ? Value(1) : Value(0); });
    Real const found = sum_of_solution();
    if (!(found > estimate)) break;
    estimate = found;
  }
  return beside > estimate ? beside : estimate;
}

}  // namespace carroll::detail
