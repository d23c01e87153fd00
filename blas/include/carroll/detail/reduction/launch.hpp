// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/reduction/exact/launch.hpp>
#include <carroll/detail/reduction/label.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <carroll/detail/reduction/thread/kernel.hpp>
#include <carroll/detail/reduction/warp/kernel.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// The kernels of the reductions:
///
/// | summation              | host                   | device with warps      | any other device  |
/// | ---------------------- | ---------------------- | ---------------------- | ----------------- |
/// | canonical, compensated | thread/kernel.hpp      | warp/kernel.hpp        | thread/kernel.hpp |
/// | exact                  | exact/thread_kernel    | exact/kernel.hpp       | exact/thread_…    |
namespace carroll::detail {

template <class Op, class ExecSpace>
void launch_reduction(ExecSpace const& exec,
                      ReductionBatch<typename Op::T, typename Op::Value> const& batch,
                      [[maybe_unused]] ReductionPlan const& plan, ReductionMemory const& memory) {
  auto* const partials = static_cast<typename Op::Partial*>(memory.partials);
  if constexpr (has_warps<ExecSpace>) {
    using Kernel = WarpReductionKernel<ExecSpace, Op>;
    ReductionPlan const cut = device_reduction_plan(batch.length);
    std::int64_t const teams =
        cut.chunks == 1 ? quotient_up(batch.members, cut.vectors) : batch.members * cut.groups;
    launch_teams(reduction_label(Op::reduction), exec, Kernel(batch, cut, partials, memory.arrived),
                 {.count = static_cast<int>(teams),
                  .threads = 32 * (cut.chunks == 1 ? cut.vectors : cut.warps),
                  .scratch = Kernel::bytes_per_team});
  } else {
    using Kernel = ThreadReductionKernel<ExecSpace, Op>;
    Kernel const kernel(batch, plan, partials, memory.arrived);
    launch_tasks(reduction_label(Op::reduction), exec, kernel, batch, plan);
  }
}

/// Enqueues a reduction.
template <Reduction R, class ExecSpace, class T, class Value>
void enqueue_reduction(ExecSpace const& exec, ReductionBatch<T, Value> const& batch,
                       ReductionPlan const& plan, ReductionMemory const& memory,
                       Summation summation) {
  if (batch.members == 0) return;
  if constexpr (R == Reduction::max_abs) {
    launch_reduction<Operation<R, T, Largest>>(exec, batch, plan, memory);
  } else if (summation == Summation::canonical) {
    launch_reduction<Operation<R, T, PlainSum>>(exec, batch, plan, memory);
  } else if (summation == Summation::compensated) {
    launch_reduction<Operation<R, T, CompensatedSum>>(exec, batch, plan, memory);
  } else {
    launch_exact_reduction<R>(exec, batch, plan, memory);
  }
}

}  // namespace carroll::detail
