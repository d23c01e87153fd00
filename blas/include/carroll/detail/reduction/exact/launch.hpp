// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/reduction/exact/kernel.hpp>
#include <carroll/detail/reduction/exact/terms.hpp>
#include <carroll/detail/reduction/exact/thread_kernel.hpp>
#include <carroll/detail/reduction/label.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// Enqueues an exact reduction: of ExactTerms, or of terms with another end.
template <class Terms, class ExecSpace, class T, class Value>
void launch_exact_reduction(ExecSpace const& exec, ReductionBatch<T, Value> const& batch,
                            ReductionPlan const& plan, ReductionMemory const& memory) {
  constexpr Reduction R = Terms::reduction;
  if constexpr (has_warps<ExecSpace>) {
    using Kernel = ExactWarpKernel<ExecSpace, Terms>;
    ReductionPlan const exact = exact_reduction_plan(plan);
    launch_teams(reduction_label(R), exec, Kernel(batch, exact, memory.digits, memory.arrived),
                 {.count = static_cast<int>(batch.members * exact.groups),
                  .threads = 32 * exact.warps,
                  .scratch = Kernel::bytes_per_team});
  } else {
    using Kernel = ExactThreadKernel<ExecSpace, Terms>;
    launch_tasks(reduction_label(R), exec, Kernel(batch, plan, memory.digits, memory.arrived),
                 batch, plan);
  }
}

}  // namespace carroll::detail
