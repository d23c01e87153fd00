// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/row_panel/leader/kernel.hpp>
#include <carroll/detail/determinant/row_panel/one_team/kernel.hpp>
#include <carroll/detail/determinant/row_panel/one_team/tiles_kernel.hpp>
#include <carroll/detail/determinant/row_panel/per_panel/kernels.hpp>
#include <carroll/detail/determinant/row_panel/persistent_kernel.hpp>
#include <carroll/detail/determinant/row_panel/start.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <type_traits>
#include <utility>

/// The kernels that work by row panels: for which orders, in which shapes. Shapes depend on the
/// order and the precision alone.
namespace carroll::detail {

template <class ExecSpace, class T>
inline constexpr bool has_row_panels = has_warps<ExecSpace>&& RealScalar<T>;

/// The largest order for which one team has a matrix for itself: what four warps can hold.
inline constexpr int most_row_panel_columns = 256;

/// Does one team have all of a matrix? Few matrices are shared, or go by rounds: sooner done, with
/// the same bits, as row panels and sums are the same, and the choice of pivots does not depend on
/// the number of threads; larger batches are done sooner by teams that ask nobody. (H200,
/// 2026-11-22, order 256, single precision: one matrix 0.12 ms for 0.30; 64 by rounds 0.23 for
/// 0.31, 200 of them 0.52 for 0.46.)
inline bool one_team_row_panels(std::int64_t n, std::int64_t members) {
  return n <= most_row_panel_columns && members > (n <= most_row_panel_columns / 2 ? 16 : 64);
}

/// Are matrices that are shared sooner done by a launch per row panel for all of them
/// (row_panel/per_panel/kernels.hpp)? Up to the orders for which one team can hold a row panel.
/// (H200, 2026-11-22, single precision: order 512, 8 matrices 0.40 ms for 0.36, 16 of them 0.42 for
/// 0.69, 64 of them 0.94 for 4.9; order 1024, 4 matrices 0.96 ms for 0.79, 8 of them 1.2 for 1.5.)
inline bool takes_rounds(std::int64_t n, std::int64_t members) {
  return n <= most_row_panel_columns ? members > 16
                                     : n <= most_round_columns && n * members >= 8192;
}

/// Columns of a shared row panel that one team holds: a row panel of 16 rows and the next one,
/// which is to be, go into its registers.
template <class T>
inline constexpr int row_panel_team_columns = sizeof(T) == 4 ? 512 : 256;

/// When so many columns are left, of a matrix that is shared, one team condenses its row panels and
/// others keep its rows (row_panel/leader/leader.hpp), with the same bits, as one team has a row
/// panel then in either case.
template <class T>
inline constexpr int most_leader_columns = row_panel_team_columns<T>;

/// Row panels before that.
template <class T>
int row_panels_before_leader(std::int64_t n) {
  auto const more = static_cast<int>(std::max(n - most_leader_columns<T>, std::int64_t{0}));
  return (more + trailing_rows - 1) / trailing_rows;
}

/// Teams that run at the same time at least: one fills a multiprocessor.
template <class ExecSpace>
int row_panel_teams_at_once(ExecSpace const& exec) {
  return processors(exec);
}

/// Up to 1024 columns one team can hold a row panel of single precision, at the price of some
/// registers that go to memory. Beyond, row panels are shared.
template <class T>
RowPanelPlan shared_row_panel_plan(std::int64_t n) {
  int const order = static_cast<int>(n);
  if (sizeof(T) == 4 && n <= 1024) return {order, 16, 8, 1024};
  return {order, 16, 8, int{row_panel_team_columns<T>}};
}

/// Matrices of which a team each has one. (H200, 2026-11-22, double precision, order 128: 1000 of
/// them 0.33 ms by tiles, 0.39 by sums of threads; 20 of them 0.107 ms for 0.123.)
template <class ExecSpace, class T>
void enqueue_row_panels(ExecSpace const& exec, DeterminantBatch<T> const& batch) {
  auto const enqueue = [&](auto const& kernel) {
    Kokkos::parallel_for("carroll::determinant::row_panels", kernel.policy(exec), kernel);
  };
  if (batch.n <= 64)
    enqueue(RowPanelMatrixKernel<ExecSpace, T, 16, 1>(batch));
  else if (batch.n > 128)
    enqueue(RowPanelMatrixKernel<ExecSpace, T, 16, 4>(batch));
  else if constexpr (sizeof(T) == 8)
    enqueue(RowPanelTilesKernel<ExecSpace, 128, 2, 4>(exec, batch));
  else
    enqueue(RowPanelMatrixKernel<ExecSpace, T, 16, 2>(batch));
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

/// What a matrix that is shared, and not by rounds, needs of the row panels' workspace.
template <class T>
RowPanelExtents leader_extents(std::int64_t n) {
  RowPanelExtents extents(shared_row_panel_plan<T>(n));
  int const first = row_panels_before_leader<T>(n) * trailing_rows;
  extents.leader_row_panels = (extents.n - first + trailing_rows - 1) / trailing_rows;
  extents.W_rows = std::max(extents.W_rows, extents.leader_row_panels * trailing_rows);
  return extents;
}

/// All of the matrix, or rows from `first` on.
template <class ExecSpace, class T>
void enqueue_leader(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                    RowPanelWorkspace<T> const& workspace, int first) {
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
    enqueue(std::integer_sequence<int, most_leader_columns<T>, 4>(), std::true_type());
  else if (n <= 64)
    enqueue(std::integer_sequence<int, 64, 2>());
  else if (n <= 128)
    enqueue(std::integer_sequence<int, 128, 4>());
  else if (n <= 256)
    enqueue(std::integer_sequence<int, 256, 4>());
  else if constexpr (sizeof(T) == 4)
    enqueue(std::integer_sequence<int, 512, 4>());
}

template <class ExecSpace, class T>
void enqueue_shared_row_panels(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                               RowPanelWorkspace<T> const& workspace) {
  RowPanelPlan plan = shared_row_panel_plan<T>(batch.n);  // with row panels of front_rows
  if (takes_rounds(batch.n, batch.members)) {
    enqueue_row_panel_start(exec, batch, workspace);
    return enqueue_row_panel_rounds(exec, batch, workspace, plan);
  }
  plan.first_row_panels = row_panels_before_leader<T>(batch.n);
  if (plan.first_row_panels != 0) {
    enqueue_row_panel_start(exec, batch, workspace);
    enqueue_row_panel_steps(exec, batch, workspace, plan, RowPanelStage{},
                            row_panel_teams(workspace.teams_at_once, plan, batch.members));
  }
  enqueue_leader(exec, batch, workspace, plan.first_row_panels * plan.R);
}

}  // namespace carroll::detail
