// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/outer_block/columns.hpp>
#include <carroll/detail/determinant/outer_block/product.hpp>
#include <carroll/detail/determinant/outer_block/rows.hpp>
#include <carroll/detail/determinant/outer_block/scale.hpp>
#include <carroll/detail/determinant/outer_block/trsm.hpp>
#include <carroll/detail/determinant/row_panel/launch.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/stream_fork.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <limits>
#include <type_traits>
#include <utility>

/// The launches of large matrices, outer block by outer block, or by twos
/// (outer_block/outer_block.hpp). The next outer block's rows are updated first, while on another
/// instance the rows behind are made ready for the product; during the product the next outer block
/// is condensed, on a third instance, which goes before the others.
namespace carroll::detail {

/// What a matrix of order n needs of the row panels' workspace.
template <class T>
RowPanelExtents outer_block_extents(std::int64_t n) {
  int const outer_blocks = outer_blocks_of<T>(n);
  constexpr int any = std::numeric_limits<int>::max();
  RowPanelPlan const outer_block = outer_block_plan<T>(n, any);
  RowPanelExtents extents(
      shared_row_panel_plan<T>(n - std::int64_t{outer_blocks} * outer_block_rows));
  extents.n = static_cast<int>(n);
  extents.W_rows = std::max(extents.W_rows, outer_blocks_kept * outer_block_rows);
  extents.records = std::max(extents.records, outer_blocks_kept * most_outer_block_row_panels);
  extents.row_panels = std::max(extents.row_panels, most_outer_block_row_panels);
  extents.blocks = std::max(extents.blocks, outer_block_rows / outer_block_block_rows<T, 16>);
  // The most there are: with wide teams, or where they end.
  extents.teams =
      std::max(outer_block.teams(0), outer_block_plan<T>(least_pair_columns - 1, any).teams(0));
  return extents;
}

/// What outer blocks want besides the row panels' workspace.
template <class ExecSpace, class T>
struct DeterminantOuterBlocks {
  OuterBlockMemory<T> memory;
  StreamFork<ExecSpace> side;    ///< for what all others wait for
  StreamFork<ExecSpace> beside;  ///< for what fills gaps

  /// Makes all that allocates memory, but for `memory`.
  void prepare(ExecSpace const& exec) {
    side = StreamFork<ExecSpace>::of(exec, true);
    beside = StreamFork<ExecSpace>::of(exec, false);
    prepare_subtract_product();
  }
};

/// Condenses the outer block of `plan` and `stage`, in the rows of the matrix. `before`: the first
/// one, for the `second` of two; `alone`: nothing else is to be done at the same time.
template <class ExecSpace, class T>
void condense_outer_block(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                          RowPanelWorkspace<T> const& workspace, OuterBlock<T> const& outer_block,
                          OuterBlock<T> const& before, RowPanelPlan const& plan,
                          RowPanelStage const& stage, bool second, bool alone) {
  int const teams = alone ? std::max(plan.teams(0) + 1, workspace.teams_at_once)
                          : plan.teams(0) + outer_block_update_teams<T>(plan.R);
  auto const enqueue = [&]<int R, int Columns>(std::integer_sequence<int, R, Columns>) {
    constexpr int rows = outer_block_block_rows<T, R>;
    using Steps = RowPanelStepsKernel<ExecSpace, T, R, rows, Columns, 8, true>;
    Steps const steps(batch, workspace, plan, stage, teams);
    Kokkos::parallel_for("carroll::determinant::shared_row_panels", steps.policy(exec), steps);
  };
  auto const order = [&]<int R>(std::integral_constant<int, R>) {
    OuterBlockColumnsKernel<ExecSpace, T, R> const columns(batch, workspace, outer_block, plan,
                                                           stage, second);
    Kokkos::parallel_for("carroll::determinant::outer_block_columns", columns.policy(exec),
                         columns);
  };
  if (plan.R == 16)
    enqueue(std::integer_sequence<int, 16, row_panel_team_columns<T>>());
  else if (plan.team_columns == wide_team_columns<T>)
    enqueue(std::integer_sequence<int, 32, wide_team_columns<T>>());
  else
    enqueue(std::integer_sequence<int, 32, row_panel_team_columns<T>>());
  if (plan.R == 16)
    order(std::integral_constant<int, 16>());
  else
    order(std::integral_constant<int, 32>());
  if (plan.n < least_fold_columns) return;
  OuterBlockTrsmKernel<ExecSpace, T> const fold(batch, workspace, outer_block, before, plan, stage,
                                                second);
  Kokkos::parallel_for("carroll::determinant::outer_block_trsm", fold.policy(exec), fold);
}

/// One matrix, the first of the batch.
template <class ExecSpace, class T>
class OuterBlockLaunch {
 public:
  OuterBlockLaunch(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                   RowPanelWorkspace<T> const& workspace,
                   DeterminantOuterBlocks<ExecSpace, T> const& outer_blocks)
      : exec_(exec),
        batch_(batch),
        workspace_(workspace),
        outer_blocks_(outer_blocks.memory),
        side_(outer_blocks.side),
        beside_(outer_blocks.beside) {
    batch_.members = 1;
  }

  void enqueue() {
    enqueue_row_panel_start(exec_, batch_, workspace_);
    using Scale = OuterBlockScaleKernel<ExecSpace, T>;
    launch_teams("carroll::determinant::scale", exec_,
                 Scale(batch_, workspace_, outer_blocks_.of(0)), {batch_.n, Scale::threads});
    batch_.source.data = batch_.work.data;
    for (int k : {0, 1, 2}) batch_.source.strides[k] = batch_.work.strides[k];
    int const outer_blocks = outer_blocks_of<T>(batch_.n);
    Group group = group_at(0);
    condense(exec_, group, 0, true);
    if (group.count == 2) {
      take_off({0, 1}, outer_block_rows, 2 * outer_block_rows, false);
      condense(exec_, group, 1, true);
    }
    for (int unmeasured = 0; group.count > 0;) {
      unmeasured += group.count;
      bool const measure = unmeasured >= measured_outer_blocks<T>;
      if (measure) unmeasured = 0;
      Group const next = group_at(group.end());
      update(group, next, measure);
      group = next;
    }
    int const first = outer_blocks * outer_block_rows;
    if (first < batch_.n) {
      RowPanelPlan const rest = shared_row_panel_plan<T>(batch_.n - first);
      enqueue_row_panel_steps(exec_, batch_, workspace_, rest, RowPanelStage{first},
                              row_panel_teams(workspace_.teams_at_once, rest, 1));
    }
  }

 private:
  /// Outer blocks that are taken off together: two, one, or none when there are no more.
  struct Group {
    int first, count;
    [[nodiscard]] int end() const { return first + count; }
  };
  [[nodiscard]] Group group_at(int first) const {
    int const left = outer_blocks_of<T>(batch_.n) - first;
    return {first, std::min(left, plan(first).n >= least_pair_columns ? 2 : 1)};
  }

  [[nodiscard]] RowPanelPlan plan(int number) const {
    return outer_block_plan<T>(batch_.n - number * outer_block_rows, workspace_.teams_at_once);
  }
  /// Does V take the place of the outer block's rows?
  [[nodiscard]] bool folds(int number) const { return plan(number).n >= least_fold_columns; }
  [[nodiscard]] RowPanelStage stage(int number) const {
    int const place = number % outer_blocks_kept;
    return {number * outer_block_rows, place * outer_block_rows,
            place * most_outer_block_row_panels};
  }

  /// Outer block `k` of a group; `alone`: nothing else is to be done at the same time.
  void condense(ExecSpace const& exec, Group const& group, int k, bool alone) const {
    int const number = group.first + k;
    condense_outer_block(exec, batch_, workspace_, outer_blocks_.of(number),
                         outer_blocks_.of(group.first), plan(number), stage(number), k == 1, alone);
  }

  /// Takes a group off all rows behind it, and condenses the next one.
  void update(Group const& group, Group const& next, bool measure) const {
    int const n = batch_.n;
    int const begin = group.end() * outer_block_rows;
    if (next.count == 0) return take_off(group, begin, n, measure);
    int const end = begin + outer_block_rows;
    find_X(exec_, group, begin, end, measure);
    // The others' rows as soon as there is room for them beside the small product. But the next
    // outer block's teams, each of which wants all of a multiprocessor, wait for them then: where
    // that takes long, with doubles, and the outer block longer than the product, it begins before
    // them. (H200, 2026-11-22, order 4096, single and double precision: 3.67 and 4.20 ms,
    // otherwise 3.68 and 4.02.)
    bool const early = sizeof(T) == 4 || folds(group.first);
    if (early) find_X(beside_.fork(exec_), group, end, n, measure);
    subtract_product(group, begin, end);
    ExecSpace const urgent = side_.fork(exec_);
    ExecSpace const filling = early ? exec_ : beside_.fork(urgent);
    condense(urgent, next, 0, false);
    if (!early) find_X(filling, group, end, n, measure);
    beside_.join(exec_);
    int from = end;
    if (next.count == 2) {
      // The second one's rows are in the first half of the product.
      from += (n - end) / 2 / 128 * 128;
      subtract_product(group, end, from);
      side_.join(exec_);
      take_off({next.first, 1}, end, end + outer_block_rows, false);
      condense(side_.fork(exec_), next, 1, false);
    }
    subtract_product(group, from, n);
    side_.join(exec_);
  }

  /// A group off rows `begin` to `end` - 1.
  void take_off(Group const& group, int begin, int end, bool measure) const {
    find_X(exec_, group, begin, end, measure);
    subtract_product(group, begin, end);
  }

  void find_X(ExecSpace const& exec, Group const& group, int begin, int end, bool measure) const {
    if (plan(group.first).R == 32) {
      find_X_of<32, 4, false>(exec, group.first, begin, end, measure);
      if (group.count == 2) find_X_of<32, 4, true>(exec, group.first + 1, begin, end, false);
    } else if (end - begin <= outer_block_rows) {  // few rows are spread over more teams
      find_X_of<16, 2, false>(exec, group.first, begin, end, measure);
    } else {
      find_X_of<16, 8, false>(exec, group.first, begin, end, measure);
    }
  }
  template <int R, int M, bool Second>
  void find_X_of(ExecSpace const& exec, int number, int begin, int end, bool measure) const {
    if (begin == end) return;
    OuterBlockRowsKernel<ExecSpace, T, R, M, Second, WholeMatrixRows<T>> const kernel(
        {batch_.work_of(0)}, workspace_, outer_blocks_.of(number), plan(number), begin, end,
        folds(number), measure);
    Kokkos::parallel_for("carroll::determinant::outer_block_rows", kernel.policy(exec), kernel);
  }

  /// Rows and columns in the order in which they stand in memory.
  void subtract_product(Group const& group, int begin, int end) const {
    int const columns = plan(group.first).n;
    StridedMatrix<T> const A = batch_.work_of(0);
    Gemm<T> gemm{};
    gemm.m = end - begin;
    gemm.k = group.count * outer_block_rows;
    gemm.n = columns - static_cast<int>(gemm.k);
    if (gemm.m == 0 || gemm.n == 0) return;
    gemm.alpha = T(-1);
    gemm.a = {&A(end - 1, columns - 1), -A.row_stride, -A.col_stride};
    if (folds(group.first)) {
      gemm.b = {&A(group.end() * outer_block_rows - 1, gemm.n - 1), -A.row_stride, -A.col_stride};
    } else {
      RowPanelMemory<T> const memory = stage(group.first).in(workspace_.of(0));
      gemm.b = {memory.entry_of_W(0, gemm.n - 1), memory.pitch, 1};
    }
    gemm.beta = T(1);
    gemm.c = {&A(end - 1, gemm.n - 1), -A.row_stride, -A.col_stride};
    enqueue_subtract_product(exec_, gemm);
  }

  ExecSpace exec_;
  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  OuterBlockMemory<T> outer_blocks_;
  StreamFork<ExecSpace> side_, beside_;
};

}  // namespace carroll::detail
