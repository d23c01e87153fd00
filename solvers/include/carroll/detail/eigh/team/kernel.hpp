// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/eigh/team/ql.hpp>
#include <carroll/detail/eigh/team/storage.hpp>
#include <carroll/detail/eigh/team/tridiagonal.hpp>
#include <carroll/detail/svd/team/launch.hpp>

namespace carroll::detail {

/// The decomposition of symmetric matrices of any order on any device, a team per matrix, all of it
/// in one kernel, from global memory and its caches:
///
///   A = Q·T·Qᵀ,  T = S·diag(λ)·Sᵀ,  V = Q·S
///
/// by Householder reflections and implicit QL steps with Wilkinson's shift (Martin and Wilkinson,
/// Numer. Math. 11 and 12, 1968). A column or row is a thread's, lanes run along columns.
///
/// 8n³/3 flops and some n² rotations to find W, 4n³/3 + 5n³ more for V; some 6n barriers.
template <class ExecSpace, class Real>
class EighTeamKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  EighTeamKernel(EighBatch<Real> const& batch, int max_sweeps)
      : batch_(batch), max_sweeps_(max_sweeps) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    EighProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    EighStorage<Real> const at(problem);
    int exponent = 0;
    if (!load_symmetric(team, problem, at, exponent))
      return refuse(team, problem, Status::non_finite);
    tridiagonalise(team, at);
    if (problem.vectors()) form_vectors(team, at);
    EighSteps const result =
        diagonalise(team, at, most_ql_steps(max_sweeps_, at.n), problem.vectors());
    write_eigenpairs(
        team, problem, [&](int k) { return at.d[k]; }, rank_limit<Real>(at.n),
        [&](int k) { return scale(at.d[k], exponent); }, [&](int k) { return at.A.col(k); },
        result.steps, result.converged);
  }

 private:
  EighBatch<Real> batch_;
  int max_sweeps_;
};

template <class ExecSpace, class Real>
void enqueue_eigh_team(ExecSpace const& exec, EighBatch<Real> batch, EighPlan const& plan,
                       EighOptions const& options) {
  EighBounds const& bounds = plan.bounds(EighPlan::team);
  if (bounds.members == 0) return;
  batch.selection = plan.members(EighPlan::team);
  launch_fitting_teams("carroll::eigh::team", exec,
                       EighTeamKernel<ExecSpace, Real>(batch, options.max_sweeps),
                       {bounds.members, team_threads(exec, bounds.members, bounds.n)});
}

}  // namespace carroll::detail
