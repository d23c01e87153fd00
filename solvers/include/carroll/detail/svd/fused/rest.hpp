// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/svd/fused/kernel.hpp>
#include <carroll/detail/svd/fused/shape.hpp>
#include <carroll/detail/team.hpp>

/// Members that were to be begun with eigenvectors, but for which these were of no use, or not good
/// enough, where a team can hold them in its registers.
namespace carroll::detail {

/// As FusedKernel, of the widest class; members that have been begun, or are of another class, cost
/// a look.
template <class ExecSpace, class Real>
class FusedRestKernel : public FusedKernel<ExecSpace, Real, typename FusedClasses<Real>::Last> {
  using Base = FusedKernel<ExecSpace, Real, typename FusedClasses<Real>::Last>;

 public:
  FusedRestKernel(SvdBatch<Real> const& batch, int const* list, int members, Real tolerance,
                  int max_sweeps)
      : Base(batch, list, members, tolerance, max_sweeps), batch_(batch), list_(list) {}

  KOKKOS_FUNCTION void operator()(typename Base::Member const& team) const {
    SvdProblem<Real> const problem = batch_(list_ ? list_[team.league_rank()] : team.league_rank());
    if (problem.state->rotated || !is_widest_fused(problem.rows, problem.cols)) return;
    team.team_barrier();  // all have looked
    Base::operator()(team);
  }

 private:
  SvdBatch<Real> batch_;
  int const* list_;
};

/// Those of `members` members of up to `cols` columns. Their states have no columns left for later
/// kernels.
template <class ExecSpace, class Real>
void enqueue_fused_rest(ExecSpace const& exec, SvdBatch<Real> const& batch, int const* list,
                        int members, int cols, Real tolerance, int max_sweeps) {
  FusedRestKernel<ExecSpace, Real> const kernel(batch, list, members, tolerance, max_sweeps);
  Kokkos::parallel_for("carroll::svd::fused", kernel.policy(exec, std::min(cols, most_fused_rows)),
                       kernel);
}

}  // namespace carroll::detail
