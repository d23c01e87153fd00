// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/closed_form/host.hpp>
#include <carroll/detail/determinant/closed_form/kernel.hpp>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/determinant/host/batch.hpp>
#include <carroll/detail/determinant/host/launch.hpp>
#include <carroll/detail/determinant/host/scratch.hpp>
#include <carroll/detail/determinant/memory.hpp>
#include <carroll/detail/determinant/outer_block/launch.hpp>
#include <carroll/detail/determinant/portable/launch.hpp>
#include <carroll/detail/determinant/row_panel/launch.hpp>
#include <carroll/detail/determinant/study/launch.hpp>
#include <carroll/detail/determinant/warp/kernels.hpp>
#include <carroll/detail/device/launch.hpp>

/// The launches of what detail/determinant/dispatch.hpp has decided.
namespace carroll::detail {

/// Families for real numbers on hosts.
template <class ExecSpace, class T>
void enqueue_on_host(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                     DeterminantPanels<T> const& panels, DeterminantPath path) {
  if (path == DeterminantPath::host_closed_form) {
    HostClosedKernel<ExecSpace, T> const kernel(batch);
    Kokkos::parallel_for("carroll::determinant::closed_form",
                         typename HostClosedKernel<ExecSpace, T>::Policy(exec, 0, kernel.items()),
                         kernel);
  } else if (path == DeterminantPath::host_batch) {
    HostBatchKernel<ExecSpace, T> const kernel(batch, exec.concurrency());
    launch_fitting_teams("carroll::determinant::simd", exec, kernel, {kernel.teams(), 1});
  } else if (path == DeterminantPath::host_scratch) {
    using Kernel = HostScratchKernel<ExecSpace, T>;
    launch_fitting_teams(
        "carroll::determinant::scratch", exec, Kernel(batch),
        {batch.members, 1, Kernel::bytes_per_team(batch.n), scratch_level_of<ExecSpace>});
  } else {
    for (int member = 0; member < batch.members; ++member)
      enqueue_host_panels(exec, batch.from(member), panels);
  }
}

/// Families for real numbers on devices with warps.
template <class ExecSpace, class T>
void enqueue_on_warps(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                      DeterminantMemory<ExecSpace, T> const& memory, DeterminantPlan const& plan) {
  switch (plan.path) {
    case DeterminantPath::thread_per_matrix: return enqueue_threads(exec, batch);
    case DeterminantPath::thread_stream: return enqueue_thread_stream(exec, batch);
    case DeterminantPath::lanes_per_matrix: return enqueue_lanes(exec, batch, plan.shape);
    case DeterminantPath::one_team: return enqueue_one_team(exec, batch, plan.shape);
    case DeterminantPath::one_team_tiles:
      if constexpr (sizeof(T) == 8) enqueue_one_team_tiles(exec, batch);
      return;
    case DeterminantPath::per_panel: return enqueue_per_panel(exec, batch, memory.row_panels);
    case DeterminantPath::leader:
      return enqueue_with_leader(exec, batch, memory.row_panels, plan.shape);
    case DeterminantPath::pipeline: return enqueue_pipeline(exec, batch, memory.row_panels);
    default:
      for (int member = 0; member < batch.members; ++member)
        OuterBlockLaunch(exec, batch.from(member), memory.row_panels, memory.outer_blocks)
            .enqueue();
  }
}

/// Enqueues the determinants of a checked batch.
template <class ExecSpace, class T>
void enqueue_determinant(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                         DeterminantMemory<ExecSpace, T> const& memory,
                         DeterminantPlan const& plan) {
  if (batch.members == 0) return;
  switch (plan.path) {
    case DeterminantPath::closed_form: {
      using Kernel = DeterminantClosedKernel<ExecSpace, T>;
      return Kokkos::parallel_for("carroll::determinant::closed_form",
                                  typename Kernel::Policy(exec, 0, batch.members), Kernel(batch));
    }
    case DeterminantPath::scratch: return enqueue_scratch(exec, batch);
    case DeterminantPath::panels:
      if constexpr (lanes<ExecSpace> == 1 || RealScalar<T>)
        for (int member = 0; member < batch.members; ++member)
          enqueue_panels(exec, batch.from(member), memory.panels);
      return;
    case DeterminantPath::in_place: return enqueue_in_place(exec, batch, plan.method);
    case DeterminantPath::launches:
      for (int member = 0; member < batch.members; ++member)
        enqueue_steps(exec, batch.from(member), plan.method);
      return;
    default:
      if constexpr (RealScalar<T>) {
        if constexpr (lanes<ExecSpace> == 1)
          enqueue_on_host(exec, batch, memory.panels, plan.path);
        else if constexpr (has_warps<ExecSpace>)
          enqueue_on_warps(exec, batch, memory, plan);
      }
  }
}

}  // namespace carroll::detail
