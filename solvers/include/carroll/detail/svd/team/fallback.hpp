// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/team/finish.hpp>
#include <carroll/detail/svd/team/jacobi.hpp>
#include <carroll/detail/svd/team/prepare.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// The list of members that are left over := `count` members of `list`.
struct StartFallback {
  FallbackList fallback;
  int const* list;
  int count;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (k == 0) *fallback.count = count;
    if (k < count) fallback.members[k] = list[k];
  }
};

/// Before a fast path: the members that are left over from the start.
template <class ExecSpace, class Real>
void enqueue_fallback_list(ExecSpace const& exec, SvdBatch<Real> const& batch, int const* list,
                           int count) {
  launch_each("carroll::svd::start_fallback", exec, std::max(count, 1),
              StartFallback{batch.fallback, list, count});
}

/// The team kernels, one after the other, on the members that a fast path has left over: matrices
/// that are rank-deficient, graded beyond the fast path's range, or not converged. A fixed number
/// of teams works off the list, so that an empty one costs a launch and nothing else. Bits do not
/// depend on the order of the list: each member is worked on alone.
template <class ExecSpace, class Real, SummedRows summed>
class FallbackKernel {
 public:
  FallbackKernel(SvdBatch<Real> const& batch, Real tolerance, int max_sweeps,
                 std::size_t scratch_bytes)
      : fallback_(batch.fallback),
        prepare_(batch),
        jacobi_(batch, tolerance, max_sweeps, scratch_bytes),
        finish_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const count = *fallback_.count;
    if (team.league_rank() >= count) return;
    Real* const scratch = jacobi_.scratch(team);
    for (int k = team.league_rank(); k < count; k += team.league_size()) {
      int const b = fallback_.members[k];
      prepare_.run(team, b);
      team.team_barrier();
      jacobi_.run(team, b, scratch);
      team.team_barrier();
      finish_.run(team, b);
      team.team_barrier();  // all have left the member before its scratch is used again
    }
  }

 private:
  FallbackList fallback_;
  PrepareKernel<ExecSpace, Real, summed> prepare_;
  JacobiKernel<ExecSpace, Real> jacobi_;
  FinishKernel<ExecSpace, Real, summed> finish_;
};

}  // namespace carroll::detail
