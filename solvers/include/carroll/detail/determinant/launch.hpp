// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/closed_form/host.hpp>
#include <carroll/detail/determinant/closed_form/kernel.hpp>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/determinant/host/batch.hpp>
#include <carroll/detail/determinant/host/launch.hpp>
#include <carroll/detail/determinant/host/scratch.hpp>
#include <carroll/detail/determinant/host/tiles.hpp>
#include <carroll/detail/determinant/outer_block/launch.hpp>
#include <carroll/detail/determinant/portable/launch.hpp>
#include <carroll/detail/determinant/portable/panels.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/row_panel/launch.hpp>
#include <carroll/detail/determinant/study/launch.hpp>
#include <carroll/detail/determinant/warp/kernels.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant/types.hpp>
#include <cstdint>

/// What the families' kernels work in, and their launches.
namespace carroll::detail {

/// What kernels work in besides the caller's matrices, as far as a plan wants it.
template <class ExecSpace, class T>
struct DeterminantMemory {
  using Real = RealOf<T>;

  T* copies = nullptr;  ///< with DeterminantExtents::keep
  T* second = nullptr;  ///< Dodgson's or condensation's other array
  T* column = nullptr;  ///< condensation's pivot column
  Real* row_tops = nullptr;
  int* exponents = nullptr;
  DeterminantState<T>* states = nullptr;
  DeterminantPanels<T> panels;
  RowPanelWorkspace<Real> row_panels;
  DeterminantOuterBlocks<ExecSpace, Real> outer_blocks;

  /// Shapes, and all that allocates memory by itself.
  void prepare(ExecSpace const& exec, DeterminantExtents const& extents,
               DeterminantPlan const& plan) {
    std::int64_t const n = extents.n;
    row_panels.teams_at_once = plan.teams_at_once;
    switch (plan.path) {
      case DeterminantPath::leader: row_panels.extents = leader_extents<Real>(n); break;
      case DeterminantPath::per_panel:
      case DeterminantPath::pipeline:
        row_panels.extents = RowPanelExtents(shared_row_panel_plan<Real>(n));
        break;
      case DeterminantPath::outer_blocks:
        row_panels.extents = outer_block_extents<Real>(n);
        outer_blocks.prepare(exec);
        break;
      case DeterminantPath::host_panels:
        panels.most = HostBlock<Real>::panels_for(n, exec.concurrency());
        break;
      default: break;
    }
  }

  /// Pieces of one allocation.
  void lay_out(Arena& arena, DeterminantExtents const& extents, DeterminantPlan const& plan) {
    using P = DeterminantPath;
    std::int64_t const n = extents.n, batch = extents.batch;
    DeterminantNeeds const needs = determinant_needs(plan.path);
    std::int64_t const matrices = count_of(needs.rows, batch);
    std::int64_t const by_row_panels = count_of(needs.row_panels, batch);
    bool const by_outer_blocks = plan.path == P::outer_blocks,
               on_host = plan.path == P::host_panels;
    bool const has_second = plan.method == DeterminantMethod::dodgson ||
                            plan.method >= DeterminantMethod::condensation_ping_pong;

    if (extents.keep) copies = arena.take<T>(count_of(needs.copies, batch) * n * n);
    second = arena.take_if<T>(has_second, matrices * n * n);
    column = arena.take_if<T>(plan.method == DeterminantMethod::condensation_read_only_column, n);
    row_tops = arena.take<Real>(matrices * n * (on_host ? 2 : 1));
    exponents = arena.take<int>(matrices * 2 * n);
    states = arena.take_if<DeterminantState<T>>(
        needs.rows == DeterminantShare::one || by_outer_blocks, batch);
    if (on_host) {
      int const most = panels.most;
      panels.panel = arena.take<T>(2 * most * HostPanel<T>::scalars(n, most));
      panels.exchanges = arena.take<int>(n + 2 * most * HostPanel<T>::ints);
    } else if (plan.path == P::panels) {
      panels.panel =
          arena.take<T>(std::int64_t{panel_rows<T>} * padded_row<T>(static_cast<int>(n)));
      panels.factors = arena.take<T>(n * panel_rows<T>);
      panels.exchanges = arena.take<int>(panel_rows<T>);
    }
    if (by_row_panels != 0) {
      row_panels.scalars = arena.take<Real>(by_row_panels * row_panels.scalars_per_member());
      row_panels.ints = arena.take<int>(row_panels.all_ints(by_row_panels));
      row_panels.progress = arena.take<RowPanelProgress<Real>>(by_row_panels);
      row_panels.records = arena.take<RowPanelRecord>(by_row_panels * row_panels.extents.records);
      row_panels.words = arena.take<std::uint64_t>(by_row_panels * row_panels.words_per_member());
    }
    if (by_outer_blocks) {
      using Blocks = OuterBlockMemory<Real>;
      auto* const scalars = arena.take<Real>(Blocks::scalars(static_cast<int>(n)));
      outer_blocks.memory = Blocks(scalars, arena.take<int>(Blocks::ints()));
    }
  }

  /// No team has measured its rows, nothing is counted or told.
  void clear(ExecSpace const& exec, DeterminantExtents const& extents,
             DeterminantPlan const& plan) const {
    std::int64_t const members = count_of(determinant_needs(plan.path).row_panels, extents.batch);
    if (members == 0) return;
    set_to_zero(exec, row_panels.progress, members);
    if (plan.path != DeterminantPath::leader) return;
    set_to_zero(exec, row_panels.ints, row_panels.all_ints(members));
    set_to_zero(exec, row_panels.words, members * row_panels.words_per_member());
  }
};

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
