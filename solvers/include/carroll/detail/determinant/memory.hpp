// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/determinant/host/tiles.hpp>
#include <carroll/detail/determinant/outer_block/launch.hpp>
#include <carroll/detail/determinant/portable/panels.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/row_panel/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant/types.hpp>
#include <cstdint>

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

}  // namespace carroll::detail
