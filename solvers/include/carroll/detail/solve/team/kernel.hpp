// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/team/condition.hpp>
#include <carroll/detail/solve/team/eliminate.hpp>
#include <carroll/detail/solve/team/scale.hpp>
#include <carroll/detail/solve/team/storage.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Systems of any order on any device, from global memory and its caches, or scratch where A fits:
/// elimination with partial pivoting, 16 columns at a time (Golub and Van Loan, 3.4); a team per
/// system, all of it in one kernel. Some columns behind a panel, and a right-hand side, are the
/// work of a thread, without barriers.
///
/// 2n³/3 flops to eliminate, 2n² for each right-hand side, some 10n² for the condition's estimate,
/// by the whole team, with a quarter of a barrier a row; three barriers a column. Of complex
/// numbers four times as many flops.
template <class ExecSpace, class Value>
class SolveTeamKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Real = RealOf<Value>;
  using Storage = SolveStorage<Value>;

  SolveTeamKernel(SolveBatch<Value> const& batch, std::size_t scratch)
      : batch_(batch), scratch_(scratch) {}

  /// What a matrix wants of a team's scratch; on hosts caches do without.
  static std::size_t scratch_bytes(std::int64_t n) {
    if constexpr (lanes<ExecSpace> == 1) return 0;
    auto const most = std::min<std::size_t>(40 << 10,  // five or more teams share a multiprocessor
                                            static_cast<std::size_t>(Policy::scratch_size_max(0)));
    auto const bytes = static_cast<std::size_t>(n * n) * sizeof(Value) + alignof(Value);
    return n < 1000 && bytes <= most ? bytes : 0;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SolveProblem<Value> const problem = batch_(team.league_rank());
    Storage at(problem);
    SolveVerdict<Real> verdict;
    if (problem.n > 0) {
      if (scratch_ > 0)
        at.A.data = static_cast<Value*>(
            team.team_scratch(0).get_shmem_aligned(scratch_ - alignof(Value), alignof(Value)));
      verdict = solve_all(team, problem, at);
    }
    if (verdict.refuses()) {
      Value const nan = quiet_nan<Value>();
      thread_for(team, at.columns,
                 [&](int j) { lane_for(team, at.n, [&](int i) { problem.x(i, j) = nan; }); });
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { *problem.info = verdict.info(); });
  }

 private:
  /// The largest f(j, column j of A), on all threads.
  template <class F>
  KOKKOS_FUNCTION static Real largest_of_columns(TeamMember<ExecSpace> const& team,
                                                 Storage const& at, F const& f) {
    thread_for(team, at.n, [&](int j) {
      Real const x = f(j, at.A.col(j));
      once_per_thread(team, [&] { at.in_cols[j] = x; });
    });
    team.team_barrier();
    Real const largest = lane_max<Real>(team, at.n, [&](int j) { return at.in_cols[j]; });
    team.team_barrier();  // they are written again
    return largest;
  }

  /// All but X of systems that have none. What all threads decide by is the same on all of them.
  KOKKOS_FUNCTION SolveVerdict<Real> solve_all(TeamMember<ExecSpace> const& team,
                                               SolveProblem<Value> const& problem,
                                               Storage const& at) const {
    SolveVerdict<Real> verdict;
    verdict.finite = equilibrate(team, problem, at);
    if (!verdict.finite) return verdict;
    Real const norm = largest_of_columns(
        team, at, [&](int, Value const* a) { return sum_of_sizes(team, at.n, a); });
    auto const top = [&](int rows, Value const* a) {
      return lane_max<Real>(team, rows, [&](int i) { return size_or_infinity(a[i]); });
    };
    Real const before =
        largest_of_columns(team, at, [&](int, Value const* a) { return top(at.n, a); });
    verdict.singular = !factorise(team, at);
    Real const after =
        largest_of_columns(team, at, [&](int j, Value const* a) { return top(j + 1, a); });
    if (before > Real(0)) verdict.growth = Kokkos::max(before, after) / before;
    verdict.broken = !(verdict.growth < Kokkos::Experimental::infinity_v<Real>);
    if (verdict.refuses()) return verdict;
    thread_for(team, at.columns, [&](int j) { solve_side(team, problem, at, j); });
    team.team_barrier();
    auto const any_of = [&](int flag) {
      return count_of(team, at.columns, [&](int j) { return (at.flags[j] & flag) != 0; }) > 0;
    };
    verdict.finite = !any_of(side_not_finite);
    verdict.broken = any_of(side_broken);
    verdict.overflow = any_of(side_overflow);
    verdict.rcond = -1;
    if (problem.inverts())
      verdict.rcond = reciprocal_condition(
          norm, lane_max<Real>(team, at.columns, [&](int j) { return at.sums[j]; }));
    else if (batch_.condition)
      verdict.rcond = reciprocal_condition(norm, estimate_inverse_norm(team, at));
    return verdict;
  }

  /// Column j of X, by the calling thread alone.
  KOKKOS_FUNCTION static void solve_side(TeamMember<ExecSpace> const& team,
                                         SolveProblem<Value> const& problem, Storage const& at,
                                         int j) {
    int flags = 0;
    int const e = load_side(team, problem, at, j, flags);
    solve(team, at, at.Y.col(j));
    Real const sum = problem.inverts() ? sum_of_sizes(team, at.n, at.Y.col(j)) : Real(0);
    store_side(team, problem, at, j, e, flags);
    once_per_thread(team, [&] {
      at.sums[j] = sum;
      at.flags[j] = flags;
    });
  }

  SolveBatch<Value> batch_;
  std::size_t scratch_;
};

/// Threads of a team for systems of n equations, of a `league`. No result depends on this choice.
/// First choices, not tuned.
template <class ExecSpace>
int solve_threads(ExecSpace const& exec, int league, int n) {
  if constexpr (lanes<ExecSpace> == 1) return team_threads(exec, league, n);
  return std::clamp((n + 3) / 4, 1, league > 256 ? 8 : 32);
}

template <class ExecSpace, class Value>
void enqueue_solve_team(ExecSpace const& exec, SolveBatch<Value> const& batch) {
  using Kernel = SolveTeamKernel<ExecSpace, Value>;
  auto const [members, n, columns] = batch.x.extents;
  std::size_t const scratch = Kernel::scratch_bytes(n);
  int const league = static_cast<int>(members);
  launch_fitting_teams("carroll::solve::team", exec, Kernel(batch, scratch),
                       {league, solve_threads(exec, league, static_cast<int>(n)), scratch});
}

}  // namespace carroll::detail
