// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/elementwise/device.hpp>
#include <carroll/detail/elementwise/host.hpp>
#include <carroll/detail/elementwise/problem.hpp>
#include <carroll/detail/reduction/label.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <limits>
#include <string>

/// Enqueues a combination of arrays, without fences or allocations.
namespace carroll::detail {

/// On devices, which all take teams of 256 threads.
template <class ExecSpace, class Kernel>
void launch_elementwise(char const* label, ExecSpace const& exec, Kernel const& kernel) {
  require(kernel.teams() <= std::numeric_limits<int>::max(), label,
          [] { return std::string("the arrays have more pieces than a launch can count"); });
  launch_teams(label, exec, kernel,
               {.count = static_cast<int>(kernel.teams()), .threads = Kernel::threads});
}

template <class T>
bool has_wide_entries(Elementwise<T> const& problem) {
  auto const whole = [](T const* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
  return problem.is_flat() && (!problem.reads_x() || whole(problem.x)) &&
         (!problem.reads_y() || whole(problem.y)) && whole(problem.z);
}

template <class ExecSpace, class T>
void enqueue_elementwise(char const* label, ExecSpace const& exec, Elementwise<T> const& problem) {
  if (problem.entries() == 0) return;
  if (!problem.reads_x() && problem.beta == T(1)) {
    if (problem.y == problem.z) return;
  }
  if constexpr (lanes<ExecSpace> == 1) {
    HostElementwiseKernel<ExecSpace, T> const kernel(problem);
    if (problem.entries() <= entries_of_caller)
      for (std::int64_t task = 0; task < kernel.tasks(); ++task) kernel(task);
    else
      Kokkos::parallel_for(
          label, typename HostElementwiseKernel<ExecSpace, T>::Policy(exec, 0, kernel.tasks()),
          kernel);
  } else if (has_wide_entries(problem)) {
    launch_elementwise(label, exec, FlatElementwiseKernel<ExecSpace, T>(problem));
  } else {
    launch_elementwise(label, exec, StridedElementwiseKernel<ExecSpace, T>(problem));
  }
}

}  // namespace carroll::detail
