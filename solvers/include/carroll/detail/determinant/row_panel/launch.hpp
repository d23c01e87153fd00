// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/row_panel/leader/kernel.hpp>
#include <carroll/detail/determinant/row_panel/one_team/kernel.hpp>
#include <carroll/detail/determinant/row_panel/one_team/tiles_kernel.hpp>
#include <carroll/detail/determinant/row_panel/per_panel/kernels.hpp>
#include <carroll/detail/determinant/row_panel/pipeline/kernel.hpp>
#include <carroll/detail/determinant/row_panel/start.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <type_traits>
#include <utility>

/// The launches of the kernels that work by row panels.
namespace carroll::detail {

/// A team per matrix, of up to `columns` columns.
template <class ExecSpace, class T>
void enqueue_one_team(ExecSpace const& exec, DeterminantBatch<T> const& batch, int columns) {
  auto const enqueue = [&]<int W>(std::integral_constant<int, W>) {
    RowPanelMatrixKernel<ExecSpace, T, 16, W> const kernel(batch);
    Kokkos::parallel_for("carroll::determinant::row_panels", kernel.policy(exec), kernel);
  };
  switch (columns) {
    case 64: return enqueue(std::integral_constant<int, 1>());
    case 128: return enqueue(std::integral_constant<int, 2>());
    case 256: return enqueue(std::integral_constant<int, 4>());
  }
}

/// The same with a trailing update by tensor cores. (H200, 2026-11-22, order 128: 1000 matrices
/// 0.33 ms by tiles, 0.39 by sums of threads; 20 of them 0.107 and 0.123 ms.)
template <class ExecSpace>
void enqueue_one_team_tiles(ExecSpace const& exec, DeterminantBatch<double> const& batch) {
  RowPanelTilesKernel<ExecSpace, 128, 2, 4> const kernel(exec, batch);
  Kokkos::parallel_for("carroll::determinant::row_panels", kernel.policy(exec), kernel);
}

/// What precedes all row panels of a batch, unless the leader team has them all.
template <class ExecSpace, class T>
void enqueue_row_panel_start(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                             RowPanelWorkspace<T> const& workspace) {
  RowPanelStartKernel<ExecSpace, T> const start(batch, workspace);
  Kokkos::parallel_for("carroll::determinant::start", start.policy(exec), start);
}

/// The row panels of a plan by `teams` teams for each matrix.
template <class ExecSpace, class T>
void enqueue_row_panel_steps(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                             RowPanelWorkspace<T> const& workspace, RowPanelPlan const& plan,
                             RowPanelStage const& stage, int teams) {
  auto const enqueue = [&]<class Kernel>(std::type_identity<Kernel>) {
    Kernel const kernel(batch, workspace, plan, stage, teams);
    Kokkos::parallel_for("carroll::determinant::shared_row_panels", kernel.policy(exec), kernel);
  };
  // Short code is fast code: where one team has a row panel there is none for teams that share it.
  if constexpr (sizeof(T) == 4)
    if (plan.n <= 1024)
      return enqueue(
          std::type_identity<RowPanelStepsKernel<ExecSpace, T, 16, 8, 1024, 8, false>>());
  enqueue(std::type_identity<
          RowPanelStepsKernel<ExecSpace, T, 16, 8, int{row_panel_team_columns<T>}, 8, true>>());
}

/// As many teams as run at the same time, and as there is use for: one at least for updates.
inline int row_panel_teams(int teams_at_once, RowPanelPlan const& plan, int members) {
  int const fitting = teams_at_once / members;
  return std::max(plan.teams(0) + 1, std::min(fitting, plan.teams(0) + plan.blocks()));
}

/// All of the matrix, or rows from `first` on, by a leader of so many columns.
template <class ExecSpace, class T>
void enqueue_leader(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                    RowPanelWorkspace<T> const& workspace, int first, int columns) {
  int const fitting = workspace.teams_at_once / batch.members;
  int const n = batch.n - first, blocks = (n + leader_block - 1) / leader_block;
  int const teams = std::clamp(fitting, 2, 1 + blocks);
  auto const enqueue = [&]<int Columns, int W, bool Follows = false>(
      std::integer_sequence<int, Columns, W>, std::bool_constant<Follows> = {}) {
    RowPanelLeaderKernel<ExecSpace, T, Columns, W, Follows> const kernel(batch, workspace, first,
                                                                         teams);
    Kokkos::parallel_for("carroll::determinant::front", kernel.policy(exec), kernel);
  };
  if (first != 0)
    return enqueue(std::integer_sequence<int, most_leader_columns<T>, 4>(), std::true_type());
  switch (columns) {
    case 64: return enqueue(std::integer_sequence<int, 64, 2>());
    case 128: return enqueue(std::integer_sequence<int, 128, 4>());
    case 256: return enqueue(std::integer_sequence<int, 256, 4>());
    case 512:
      if constexpr (sizeof(T) == 4) return enqueue(std::integer_sequence<int, 512, 4>());
  }
}

/// What a matrix needs of the row panels' workspace, if the last ones are a leader's.
template <class T>
RowPanelExtents leader_extents(std::int64_t n) {
  RowPanelExtents extents(shared_row_panel_plan<T>(n));
  int const first = row_panels_before_leader<T>(n) * trailing_rows;
  extents.leader_row_panels = (extents.n - first + trailing_rows - 1) / trailing_rows;
  extents.W_rows = std::max(extents.W_rows, extents.leader_row_panels * trailing_rows);
  return extents;
}

/// A launch per row panel.
template <class ExecSpace, class T>
void enqueue_per_panel(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                       RowPanelWorkspace<T> const& workspace) {
  enqueue_row_panel_start(exec, batch, workspace);
  enqueue_row_panel_rounds(exec, batch, workspace, shared_row_panel_plan<T>(batch.n));
}

/// All row panels in one launch, or the first `row_panels` of them.
template <class ExecSpace, class T>
void enqueue_pipeline(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                      RowPanelWorkspace<T> const& workspace, int row_panels = 0) {
  RowPanelPlan plan = shared_row_panel_plan<T>(batch.n);
  plan.first_row_panels = row_panels;
  enqueue_row_panel_start(exec, batch, workspace);
  enqueue_row_panel_steps(exec, batch, workspace, plan, RowPanelStage{},
                          row_panel_teams(workspace.teams_at_once, plan, batch.members));
}

/// The last row panels by a leader, of up to `columns` columns, those before by the pipeline.
template <class ExecSpace, class T>
void enqueue_with_leader(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                         RowPanelWorkspace<T> const& workspace, int columns) {
  int const before = row_panels_before_leader<T>(batch.n);
  if (before != 0) enqueue_pipeline(exec, batch, workspace, before);
  enqueue_leader(exec, batch, workspace, before * trailing_rows, columns);
}

}  // namespace carroll::detail
