// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/certified_determinant/blocked.hpp>
#include <carroll/detail/certified_determinant/closed_form.hpp>
#include <carroll/detail/certified_determinant/dispatch.hpp>
#include <carroll/detail/certified_determinant/team.hpp>
#include <carroll/detail/device/launch.hpp>

/// The launches of what detail/certified_determinant/dispatch.hpp has decided.
namespace carroll::detail {

template <class ExecSpace, class Real>
void enqueue_certified(ExecSpace const& exec, CertifiedBatch<Real> const& batch,
                       CertifiedMemory const& memory, CertifiedPlan const& plan) {
  if (batch.members == 0) return;
  if (plan.path == CertifiedPath::closed) {
    using Kernel = CertifiedClosedKernel<ExecSpace, Real>;
    Kokkos::parallel_for("carroll::certified_determinant::closed_form",
                         typename Kernel::Policy(exec, 0, batch.members), Kernel(batch));
  } else if (plan.path == CertifiedPath::team) {
    // A host's threads have a matrix each: barriers would cost more than a team saves.
    int const threads =
        lanes<ExecSpace> == 1
            ? 1
            : static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::clamp(batch.n / 4, 1, 8))));
    using Kernel = CertifiedTeamKernel<ExecSpace, Real>;
    launch_teams("carroll::certified_determinant::team", exec, Kernel(batch, memory),
                 {.count = plan.slots, .threads = threads, .lanes = lanes<ExecSpace>});
  } else {
    for (int member = 0; member < batch.members; ++member)
      enqueue_certified_blocked(exec, batch, memory, member);
  }
}

}  // namespace carroll::detail
