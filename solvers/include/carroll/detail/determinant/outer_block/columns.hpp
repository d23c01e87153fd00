// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/outer_block/outer_block.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// After the row panels of an outer block: where its pivots stood, which columns move, and U. Each
/// row panel has left its rows of W in the order of columns in which it found them; here they are
/// brought into the last one, which concerns few entries. So are, behind the second outer block of
/// two, the first one's rows of V. One team per row; W is read once for its largest entries.
template <class ExecSpace, class T, int R>
class OuterBlockColumnsKernel {
 public:
  static constexpr int W = 8;

 private:
  struct Scratch {
    alignas(16) int pivots[outer_block_rows];
    alignas(16) int holes[outer_block_rows];
    alignas(16) int fillers[outer_block_rows];
    int largest[W];
  };

 public:
  using Policy = BoundedTeams<ExecSpace, 32 * W, 2, sizeof(Scratch) + 16>;

  /// `plan` and `stage`: of the outer block, with row panels of R rows. `second` of two, the first
  /// one's V being in the rows before.
  OuterBlockColumnsKernel(DeterminantBatch<T> const& batch, RowPanelWorkspace<T> const& workspace,
                          OuterBlock<T> const& outer_block, RowPanelPlan const& plan,
                          RowPanelStage const& stage, bool second)
      : batch_(batch),
        workspace_(workspace),
        outer_block_(outer_block),
        plan_(plan),
        stage_(stage),
        second_(second) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    return team_policy<Policy>(exec, {.count = (second_ ? 2 : 1) * outer_block_rows,
                                      .threads = 32 * W,
                                      .scratch = sizeof(Scratch) + 16});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    RowPanelMemory<T> const memory = stage_.in(workspace_.of(0));
    // Rows of the outer block before are numbered from -outer_block_rows on.
    int const row = team.league_rank() - (second_ ? outer_block_rows : 0);
    RowPanelThreads<TeamMember<ExecSpace>> const threads(team);
    if (row == 0)  // for the next launch of row panels
      for (int k = threads.thread; k < workspace_.counters(); k += threads.size())
        memory.ticket[k] = 0;
    if (row == 1 && threads.thread == 0) *workspace_.started(1) = 0;
    if (memory.progress->status != Status::success) return;

    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    int const row_panels = plan_.row_panels();
    int const row_panel = row < 0 ? -1 : row / R;  // that has left the row as it is
    int const before = Kokkos::max(row_panel, 0);  // in whose order of columns it is
    // Its entries, also those that do not remain, are on their way before anything else.
    constexpr int C = 64 / sizeof(T);
    T first[C];
    read(memory, row, plan_.columns(before), threads.thread, first);
    for (int e = threads.thread; e < outer_block_rows; e += threads.size()) {
      int const s = e / R, k = e % R;
      RowPanelRecord const& record = memory.records[s];
      scratch.pivots[e] = record.pivots[k];
      bool const filled = k < record.filled;
      scratch.holes[e] = filled ? record.holes[k] : -1;
      scratch.fillers[e] = filled ? record.fillers[k] : -1;
    }
    threads.barrier();

    StridedMatrix<T> const A = stage_.in(batch_.work_of(0));
    auto const entry = [&](int column) -> T& {
      return row < 0 ? A(row, column) : *memory.entry_of_W(row, column);
    };
    T* const U =
        row < 0 ? outer_block_.U_before + outer_block_rows * outer_block_rows : outer_block_.U;
    int const rest = plan_.columns(row_panels);
    static_assert(outer_block_rows == 32 * W && OuterBlock<T>::groups == W);
    {
      int const e = threads.thread, s = e / R;
      T u = 0;
      if (s > row_panel) u = entry(traced(scratch, scratch.pivots[e], s, before));
      if (s > row_panel) U[row * outer_block_rows + e] = u;
      if (row == 0) outer_block_.pivots[e] = traced(scratch, scratch.pivots[e], s, 0);
      T const sum = lanes_sum_down(threads.warp, Kokkos::abs(u));
      if (row >= 0 && threads.warp.lane == 0) outer_block_.sums[row * W + threads.warp_index] = sum;
    }
    int largest = 0;
    threads.barrier();  // holes are pivots' places
    for (int e = threads.thread; e < outer_block_rows; e += threads.size()) {
      int const hole = scratch.holes[e];
      bool const moves = hole >= 0 && hole < rest;
      int const source = moves ? traced(scratch, hole, row_panels, before) : 0;
      // What fills holes stands behind `rest`, so that nothing is read after it has been written.
      if (moves) {
        T const x = entry(source);
        entry(hole) = x;
        largest = Kokkos::max(largest, magnitude(x));
      }
      if (row == 0) {
        outer_block_.holes[e] = moves && source != hole ? hole : -1;
        outer_block_.fillers[e] = source;
      }
    }
    threads.barrier();

    if (row < 0) return;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) largest = Kokkos::max(largest, magnitude(first[c]));
    constexpr int step = C * 32 * W;
    for (int j0 = step + threads.thread; j0 < rest; j0 += step) {
      T x[C];
      read(memory, row, rest, j0, x);
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) largest = Kokkos::max(largest, magnitude(x[c]));
    }
    largest = threads.warp.max(largest);
    if (threads.warp.lane == 0) scratch.largest[threads.warp_index] = largest;
    threads.barrier();
    if (threads.thread != 0) return;
    for (int w = 1; w < W; ++w) largest = Kokkos::max(largest, scratch.largest[w]);
    outer_block_.W_top[row] = largest == 0 ? T(0) : of_magnitude<T>(largest + 1);
    outer_block_.V_top[row] = 0;
  }

 private:
  /// Entries of W from column j on, as many apart as the team has threads, of `columns` in all.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION static void read(RowPanelMemory<T> const& memory, int row,
                                               int columns, int j, T (&x)[C]) {
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const column = j + c * 32 * W;
      x[c] = row >= 0 && column < columns ? *memory.entry_of_W(row, column) : T(0);
    }
  }

  /// The place before row panel `to` of the column at `place` before row panel `from` (behind them
  /// all: from = row panels).
  KOKKOS_FUNCTION int traced(Scratch const& scratch, int place, int from, int to) const {
    CARROLL_NO_UNROLL
    for (int s = from - 1; s >= to; --s) {
      int source = place;
      CARROLL_UNROLL
      for (int k = 0; k < R; ++k)  // without a branch: at most one of them is it
        source = scratch.holes[s * R + k] == place ? scratch.fillers[s * R + k] : source;
      place = source;
    }
    return place;
  }

  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  OuterBlock<T> outer_block_;
  RowPanelPlan plan_;
  RowPanelStage stage_;
  bool second_;
};

}  // namespace carroll::detail
