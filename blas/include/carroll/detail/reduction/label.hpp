// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// How the kernels of threads are launched, and how all kernels of a reduction are called.
namespace carroll::detail {

constexpr char const* reduction_label(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum: return "carroll::sum";
    case Reduction::asum: return "carroll::asum";
    case Reduction::dot: return "carroll::dot";
    case Reduction::norm2: return "carroll::norm2";
    case Reduction::max_abs: return "carroll::max_abs";
  }
  return "carroll::reduction";
}

/// Entries that the calling thread of a host adds before others have woken up.
inline constexpr std::int64_t entries_of_caller = 1 << 15;

/// Launches a kernel of threads: one for each group of chunks of each vector.
template <class ExecSpace, class Kernel, class Batch>
void launch_tasks(char const* label, ExecSpace const& exec, Kernel const& kernel,
                  Batch const& batch, ReductionPlan const& plan) {
  std::int64_t const tasks = batch.members * plan.groups;
  if (lanes<ExecSpace> == 1 && batch.members * batch.length <= entries_of_caller)
    for (std::int64_t task = 0; task < tasks; ++task) kernel(task);
  else
    Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, tasks), kernel);
}

}  // namespace carroll::detail
