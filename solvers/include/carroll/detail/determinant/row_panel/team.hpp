// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/determinant/row_panel/tickets.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/signals.hpp>

namespace carroll::detail {

/// What a team of row_panel/pipeline/kernel.hpp has: its warps, its scratch, the matrix and what
/// the teams share. `Columns`: of a row panel, that it holds.
template <class T, int R, int B, int Columns, int W, class Member>
struct RowPanelTeam {
  static constexpr int threads_per_team = 32 * W;

  struct Scratch {
    RowPanelScratch<T, R, W> row_panel;
    alignas(16) T factors[R][R > B ? R : B];
    int largest[W][B];
    alignas(16) RowPanelRecord record;
    int tails[32];
    T row_factor[R > B ? R : B];  ///< of the next row panel, or of the rows at hand
    T tail[R]
          [2 * R + 1];  ///< of the columns behind those that stay: W, and the next row panel's rows
    int odd;
    int number;     ///< of a task
    int published;  ///< of the row panel that is waited for
  };

  /// Scratch for the candidates of all teams that share a row panel.
  KOKKOS_FUNCTION static std::size_t exchange_bytes(RowPanelPlan const& plan) {
    return PivotExchange<T>::template bytes<RowPanelCandidate<T, R>>(plan.teams(0));
  }
  KOKKOS_FUNCTION static int hole_words(int n) { return (n + 127) / 128 * 4; }

  RowPanelThreads<Member> const& threads;
  Scratch& scratch;
  std::uint32_t* holes;  ///< a bit per column
  void* exchange_scratch;
  RowPanelPlan plan;
  int first_row;  ///< of the plan in the matrix
  RowPanelMemory<T> memory;
  StridedMatrix<T const> source;
  StridedMatrix<T> work;

  /// False if the determinant is known.
  KOKKOS_FUNCTION bool begin() {
    for (int k = threads.thread; k < hole_words(plan.n); k += threads.size()) holes[k] = 0;
    if (threads.thread == 0) scratch.record.filled = 0;
    if (memory.progress->balanced) source = {work.data, work.row_stride, work.col_stride};
    return memory.progress->status == Status::success;
  }

  KOKKOS_FUNCTION int next_task() {
    threads.barrier();  // nobody reads the number of the task before any more
    if (threads.thread == 0) scratch.number = draw_ticket(memory.ticket);
    threads.barrier();
    return scratch.number;
  }

  /// Column j of the first row of W; the next column is the entry before.
  KOKKOS_FUNCTION T* column_of_W(int s, int j) const {
    return memory.entry_of_W(s % plan.ring * R, j);
  }

  /// The sign of all columns' moves, and the product of the `count` pivots that have been found.
  /// `regular`: no row has become zero.
  KOKKOS_FUNCTION void finish(int count, bool regular, DeterminantInfo<T>& info) const {
    if (threads.thread == 0) scratch.odd = 0;
    threads.barrier();
    int const lane = threads.warp.lane;
    for (int t = threads.warp_index; t * R < count; t += W) {
      int const rows = Kokkos::min(int{R}, count - t * R);
      int const pivot = lane < rows ? memory.columns[t * R + lane] : 0;
      if (are_odd<R>(threads.warp, pivot, rows, plan.columns(t)) && lane == 0)
        Kokkos::atomic_add(&scratch.odd, 1);
    }
    threads.barrier();
    if (threads.warp_index == 0) multiply(count, regular, scratch.odd % 2 != 0, info);
  }

 private:
  /// Multiplies all pivots: one warp.
  KOKKOS_FUNCTION void multiply(int count, bool regular, bool odd, DeterminantInfo<T>& info) const {
    RowPanelProgress<T>& progress = *memory.progress;
    RowPanelState<T> state = progress.state;
    state.take_pivots(threads.warp, memory.pivots, memory.row_top, count, odd);
    int scaling = 0;
    for (int i = threads.warp.lane; i < count; i += 32) scaling += memory.row_exponent[i];
    state.exponent += lanes_sum_down(threads.warp, scaling);
    if (threads.warp.lane != 0) return;
    progress.state = state;
    if (!regular) progress.status = Status::singular;
    if (!regular || plan.rows == plan.n)
      info = state.info(regular ? Status::success : Status::singular, 0);
  }
};

}  // namespace carroll::detail
