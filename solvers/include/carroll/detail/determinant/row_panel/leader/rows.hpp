// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/leader/memory.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/determinant/row_panel/start.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/signals.hpp>

namespace carroll::detail {

/// A team that has rows of a matrix, for the leader (row_panel/leader/kernel.hpp): a block of them
/// in scratch, from which it takes row panel after row panel, until they are part of the leader's
/// next row panel.
///
/// 2·R flops per entry and row panel; of memory, W is read once per block, n³/(3B) entries in all.
template <class T, int Columns, int W, bool Follows, class Member>
struct TrailingWorker {
  static constexpr int R = trailing_rows, B = leader_block;
  static constexpr int size = 32 * W;
  static constexpr int U = (Columns + size - 1) / size;  ///< columns per thread
  static constexpr int pitch = Columns + 16 / int(sizeof(T));

  struct Scratch {
    alignas(16) T rows[B][pitch];
    alignas(16) T factors[R][B];
    T row_factor[B];  ///< power of two by which a row is multiplied when it is read
    MagnitudeRange ranges[W][B];
    int largest[W][B];
    int pivots[R];
    std::uint64_t tally;
    int number;
    int goes_on;
    std::uint16_t source[Columns];  ///< the column that stands in a place from now on
  };

  RowPanelThreads<Member> const& threads;
  Scratch& scratch;
  LeaderMemory<T, Follows> memory;
  DeterminantBatch<T> const& batch;
  int member;

  KOKKOS_FUNCTION void run() {
    for (;;) {
      threads.barrier();  // nobody reads the number of the task before any more
      if (threads.thread == 0) scratch.number = memory.next_task();
      threads.barrier();
      int const number = scratch.number;
      if (number < memory.measured())
        measure(number * B);
      else if (number < memory.tasks())
        condense(number - memory.measured() + memory.first_block);
      else if (threads.warp_index == 0 && memory.leaves_last(number))
        return memory.put_back(threads.warp);
      else
        return;
    }
  }

 private:
  KOKKOS_FUNCTION void measure(int begin) {
    RowPanelMemory<T> const& arrays = memory.memory;
    int const flags =
        measure_rows(threads, scratch.ranges, arrays, batch.source_of(member), memory.n, begin);
    threads.barrier();
    if (threads.thread == 0)
      scratch.tally = gather(&arrays.progress->measured, RowScanFlags::of(flags));
    threads.barrier();
    if (RowScanFlags::teams(scratch.tally) != memory.blocks()) return;
    RowPanelProgress<T> const progress =
        decide_start(threads.team, batch, arrays, member, RowScanFlags::flags(scratch.tally));
    threads.barrier();
    if (threads.thread != 0) return;
    *arrays.progress = progress;
    publish(&arrays.progress->decided);
  }

  /// A block of rows, until it is in row panel t and has come through row panel t - 2.
  KOKKOS_FUNCTION void condense(int block) {
    RowPanelMemory<T> const& arrays = memory.memory;
    if (threads.thread == 0 && !Follows) wait_for(&arrays.progress->decided);
    threads.barrier();
    if (arrays.progress->status != Status::success) return;
    int const begin = block * B, count = Kokkos::min(int{B}, memory.n - begin);
    int const t = block / memory.first_block, r = threads.thread;
    bool const has_row = r < count;
    int exponent = 0;  // of row begin + thread
    T top = 1;
    if (has_row) {
      exponent = arrays.row_exponent[begin + r];
      top = arrays.row_top[begin + r];
    }
    if (r < B) scratch.row_factor[r] = has_row ? arrays.row_factor[begin + r] : T(0);
    StridedMatrix<T const> from = batch.source_of(member);
    if (Follows || arrays.progress->balanced != 0) {
      StridedMatrix<T> const work = RowPanelStage{memory.first()}.in(batch.work_of(member));
      from = {work.data, work.row_stride, work.col_stride};
    }
    load(from, begin, count);
    for (int j = threads.thread; j < Columns; j += threads.size())
      scratch.source[j] = static_cast<std::uint16_t>(j);
    threads.barrier();
    int hole = -1;  // that the row panel before has left to this lane
    for (int s = 0; s + 1 < t; ++s) {
      if (!learn(s, hole)) return;
      update(s);
      rescale_rows(exponent, top);
      threads.barrier();
    }
    deliver(t, block % memory.first_block * B, count);
    if (has_row) {
      arrays.row_factor[begin + r] = scratch.row_factor[r];
      arrays.row_exponent[begin + r] = exponent;
      arrays.row_top[begin + r] = top;
    }
    threads.barrier();
    if (threads.thread == 0) publish(memory.delivered(t));
  }

  KOKKOS_FUNCTION void load(StridedMatrix<T const> const& from, int begin, int count) const {
    T held[B][U];
    CARROLL_UNROLL
    for (int r = 0; r < B; ++r) CARROLL_UNROLL
    for (int u = 0; u < U; ++u) {
      int const j = threads.column(u);
      held[r][u] = r < count && j < memory.n ? from(begin + r, j) : T(0);
    }
    CARROLL_UNROLL
    for (int r = 0; r < B; ++r) CARROLL_UNROLL
    for (int u = 0; u < U; ++u)
      if (threads.column(u) < Columns) scratch.rows[r][threads.column(u)] = held[r][u];
  }

  /// Waits for row panel s: its pivots, and what stands where from now on. False if there is none.
  KOKKOS_FUNCTION bool learn(int s, int& hole) const {
    if (threads.warp_index == 0) {
      int const lane = threads.warp.lane;
      if (hole >= 0) scratch.source[hole] = static_cast<std::uint16_t>(hole);
      std::uint64_t word = LeaderWord::there;
      if (lane < R) word = wait_for(memory.told(s, lane));
      if (lane < R) scratch.pivots[lane] = LeaderWord::pivot(word);
      threads.warp.sync();
      hole = lane < R ? LeaderWord::hole(word) : -1;
      if (hole >= 0) scratch.source[hole] = static_cast<std::uint16_t>(LeaderWord::filler(word));
      bool const goes_on = threads.warp.ballot((word & LeaderWord::stop) != 0) == 0;
      if (lane == 0) scratch.goes_on = goes_on;
    }
    threads.barrier();
    return scratch.goes_on != 0;
  }

  KOKKOS_FUNCTION void update(int s) const {
    int const rest = memory.columns(s + 1);
    int places[U];
    RowPanel<T, R, U, W> row_panel;
    T held[B][U];
    CARROLL_UNROLL
    for (int u = 0; u < U; ++u) {
      int const j = threads.column(u);
      places[u] = j < rest ? int{scratch.source[j]} : 0;
      T const* at = memory.entry_of_W(s, 0, places[u]);
      CARROLL_UNROLL
      for (int k = 0; k < R; ++k) {
        row_panel.a[k][u] = j < rest ? *at : T(0);
        at += memory.memory.pitch;
      }
    }
    for (int e = threads.thread; e < R * B; e += threads.size())
      scratch.factors[e / B][e % B] =
          scratch.rows[e % B][scratch.pivots[e / B]] * scratch.row_factor[e % B];
    CARROLL_UNROLL
    for (int r = 0; r < B; ++r) CARROLL_UNROLL
    for (int u = 0; u < U; ++u) held[r][u] = scratch.rows[r][places[u]] * scratch.row_factor[r];
    threads.barrier();
    subtract_row_panel(&scratch.factors[0][0], int{B}, row_panel, held);
    int largest = 0;  // of row lane
    CARROLL_UNROLL
    for (int r = 0; r < B; ++r) {
      int magnitudes = 0;
      CARROLL_UNROLL
      for (int u = 0; u < U; ++u) {
        if (threads.column(u) >= rest) continue;
        scratch.rows[r][threads.column(u)] = held[r][u];
        magnitudes = Kokkos::max(magnitudes, magnitude(held[r][u]));
      }
      int const row = threads.warp.max(magnitudes);
      if (threads.warp.lane == r) largest = row;
    }
    if (threads.warp.lane < B) scratch.largest[threads.warp_index][threads.warp.lane] = largest;
    threads.barrier();
  }

  /// Rows that have left the range in which they are safe are scaled when they are read next.
  KOKKOS_FUNCTION void rescale_rows(int& exponent, T& top) const {
    int const r = threads.thread;
    if (r >= B) return;
    int largest = 0;
    for (int w = 0; w < W; ++w) largest = Kokkos::max(largest, scratch.largest[w][r]);
    int const e = pending_exponent<T>(largest);
    scratch.row_factor[r] = power_of_two<T>(-e);
    if (e == 0) return;
    exponent += e;
    top = scale(top, -e);
  }

  KOKKOS_FUNCTION void deliver(int t, int first, int count) const {
    int const m = memory.columns(t - 1);
    CARROLL_UNROLL
    for (int u = 0; u < U; ++u) {
      int const j = threads.column(u);
      if (j >= m) continue;
      CARROLL_UNROLL
      for (int r = 0; r < B; ++r)
        if (r < count) *memory.staged(t, first + r, j) = scratch.rows[r][j];
    }
  }
};

}  // namespace carroll::detail
