// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/gram/member.hpp>
#include <carroll/detail/svd/gram/product.hpp>
#include <carroll/detail/svd/gram/sweeps.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// All sweeps of members that seldom want any, in one launch: for those that have been begun
/// somewhere else. The teams of a member go through its steps together, products and rotations as
/// in the launches of their own, with the same bits, and meet behind each. Where a member has
/// converged they end at once, which takes as long as one of some hundred launches would.
///
/// Teams take tickets as they begin, so that those of a member are resident together:
/// device/signals.hpp. Two meetings a set.
template <class ExecSpace, class Real>
class GramTogetherKernel {
  using Products = GramProductKernel<ExecSpace, Real, false>;
  using Turns = GramRotateKernel<ExecSpace, Real>;

 public:
  static constexpr int threads = Turns::threads;
  static_assert(threads == Products::threads);
  static constexpr std::size_t scratch_bytes =
      std::max(Products::scratch_bytes, Turns::scratch_bytes);
  using Policy = BoundedTeams<ExecSpace, threads, Turns::teams_at_once, scratch_bytes>;

  /// `teams` of a member.
  GramTogetherKernel(SvdBatch<Real> const& batch, Real tolerance, int sweeps, int teams)
      : batch_(batch), tolerance_(tolerance), sweeps_(sweeps), teams_(teams) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    constexpr int launch = 5;  // of those that count teams
    int ticket = 0;
    if (team.team_rank() == 0) ticket = draw_ticket(&batch_.states[batch_.index(0)].begun[launch]);
    team.team_broadcast(ticket, 0);
    SvdProblem<Real> const problem = batch_(batch_.index(ticket / teams_));
    GramMember<Real> const member(problem);
    auto const rule = PairRule<Real>::of(tolerance_, problem.cols);
    void* const scratch =
        team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes} - 16, 16);
    int const rank = ticket % teams_, sets = member.schedule.sets();
    int meetings = 0;
    auto const meet = [&] {
      team.team_barrier();
      if (team.team_rank() == 0) {
        publish(&problem.state->met);
        wait_for(&problem.state->met, ++meetings * teams_);
      }
      team.team_barrier();
    };
    CARROLL_NO_UNROLL
    for (int step = 0; step < sweeps_ * sets; ++step) {
      GramStep const at{step / sets, step % sets};
      if (member.done(team, at, rule.tolerance)) return;
      multiply(team, member, at, rank, scratch);
      meet();
      CARROLL_NO_UNROLL
      for (int slot = rank; slot < member.schedule.pairs(); slot += teams_) {
        Turns::run(team, member, tolerance_, at, slot, scratch);
        team.team_barrier();
      }
      meet();
    }
  }

 private:
  KOKKOS_FUNCTION void multiply(TeamMember<ExecSpace> const& team, GramMember<Real> const& member,
                                GramStep const& at, int rank, void* scratch) const {
    SvdProblem<Real> const& problem = member.problem();
    int const pairs = member.schedule.pairs(), parts = gram_parts(problem.cols);
    int const kinds = problem.right_cols > 0 ? 2 : 1;
    CARROLL_NO_UNROLL
    for (int k = rank; k < pairs * parts * kinds; k += teams_)
      Products::run(team, member, tolerance_, at,
                    {k % pairs, k / pairs % parts, k >= pairs * parts}, scratch);
  }

  SvdBatch<Real> batch_;
  Real tolerance_;
  int sweeps_, teams_;
};

}  // namespace carroll::detail
