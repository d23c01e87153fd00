// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/column_compaction.hpp>
#include <carroll/detail/determinant/row_panel/leader/memory.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/determinant/row_panel/state.hpp>
#include <carroll/detail/device/async_copy.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// Barriers of a leader team. The first one is of the warps that condense; all others are told by
/// one side and waited for by the other, so that nobody waits for the same one at two places of the
/// code, which compute-sanitizer's synccheck takes for an error. None is 0, the whole team's own.
struct LeaderBarrier {
  static constexpr int own = 1;
  static constexpr int brought = 2;  ///< the next row panel's rows are in scratch
  static constexpr int condensed =
      3;                           ///< a row panel, and whoever condenses has seen what was brought
  static constexpr int moved = 4;  ///< what columns the next row panel has
  static constexpr int left = 5;   ///< W is in memory
  static constexpr int read = 6;   ///< the next row panel's rows: they may be overwritten
};

/// The warps of a leader team that condense: all but the last one, with a barrier of their own.
template <int W>
struct LeaderWarps {};
template <int W>
struct RowPanelThreads<LeaderWarps<W>> {
  static constexpr int warps = W;
  int thread;
  DeviceWarp warp;
  int warp_index;

  KOKKOS_FUNCTION explicit RowPanelThreads(int t) : thread(t), warp{t % 32}, warp_index(t / 32) {}
  KOKKOS_FUNCTION static constexpr int size() { return 32 * W; }
  KOKKOS_FORCEINLINE_FUNCTION int column(int c) const { return c * size() + thread; }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { named_barrier<LeaderBarrier::own, 32 * W>(); }
};

/// The row panels of a matrix, one after the other, by one team. Its last warp serves the others:
/// while they condense a row panel, it waits for the rows of the next one and brings them to
/// scratch, and multiplies pivots; while they take the row panel off the next one, it tells the
/// teams that have the rows behind (row_panel/leader/rows.hpp) that W is there. So nobody who
/// computes waits for memory.
///
/// 4·R flops per entry of a row panel: half of them its steps, half of them the update.
template <class T, int Columns, int W, bool Follows>
struct RowPanelLeader {
  static constexpr int R = trailing_rows, C = Columns / (32 * W);
  static_assert(C * 32 * W == Columns);
  static constexpr int pitch = Columns + 16 / int(sizeof(T));
  using Threads = RowPanelThreads<LeaderWarps<W>>;

  struct Scratch {
    RowPanelScratch<T, R, W> row_panel;
    alignas(16) T rows[R][pitch];  ///< of the next row panel
    alignas(16) T factors[R][R];
    T tail[R][R + 1];  ///< W of the columns behind those that stay
    T row_factor[R];   ///< of the next row panel
    int tails[32];
    std::uint16_t source[Columns];  ///< the column that stands in a place from now on
    int regular;                    ///< no row has become zero
    int verdict;                    ///< of those who have measured the rows
  };

  Scratch& scratch;
  LeaderMemory<T, Follows> memory;
  StridedMatrix<T const> source;
  StridedMatrix<T> work;

  KOKKOS_FUNCTION void run(int thread, DeterminantInfo<T>& info) {
    for (int j = thread; j < Columns; j += 32 * (W + 1))
      scratch.source[j] = static_cast<std::uint16_t>(j);
    Threads const threads(thread);
    if (threads.warp_index < W)
      condense(threads);
    else
      serve(threads.warp, info);
  }

 private:
  template <int Number>
  KOKKOS_FORCEINLINE_FUNCTION static void tell() {
    named_arrival<Number, 32 * (W + 1)>();
  }
  template <int Number>
  KOKKOS_FORCEINLINE_FUNCTION static void await() {
    named_barrier<Number, 32 * (W + 1)>();
  }

  // What the warps that condense do.

  KOKKOS_FUNCTION void condense(Threads const& threads) {
    RowPanel<T, R, C, W> row_panel;
    load(threads, row_panel, !Follows ? source : scaled());
    bool balanced = false;
    for (int s = 0;;) {
      bool const regular = row_panel.condense(
          threads, scratch.row_panel, Kokkos::min(int{R}, memory.columns(s)), 0, NoExchange{});
      if (threads.thread == 0) scratch.regular = regular;
      await<LeaderBarrier::brought>();
      tell<LeaderBarrier::condensed>();
      if (s == 0 && scratch.verdict != LeaderVerdict::go_on && !balanced) {
        if (Follows || scratch.verdict != LeaderVerdict::balanced) return;
        balanced = true;
        load(threads, row_panel, scaled());
        continue;
      }
      if (!regular || s + 1 == memory.row_panels()) return;
      leave(threads, row_panel, s);
      tell<LeaderBarrier::left>();
      await<LeaderBarrier::moved>();
      advance(threads, row_panel, s);
      tell<LeaderBarrier::read>();
      ++s;
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION StridedMatrix<T const> scaled() const {
    return {work.data, work.row_stride, work.col_stride};
  }

  /// The first row panel, scaled by its rows' largest entries.
  KOKKOS_FUNCTION void load(Threads const& threads, RowPanel<T, R, C, W>& row_panel,
                            StridedMatrix<T const> const& from) {
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) CARROLL_UNROLL
    for (int c = 0; c < C; ++c)
      row_panel.a[r][c] = threads.column(c) < memory.n ? from(r, threads.column(c)) : T(0);
    T* const factors = scratch.row_panel.pivots;  // there are none so far
    if constexpr (Follows) {
      if (threads.thread < R) factors[threads.thread] = memory.memory.row_factor[threads.thread];
    } else {
      static_assert(sizeof scratch.factors >= W * R * sizeof(MagnitudeRange));
      auto* const ranges = reinterpret_cast<MagnitudeRange*>(&scratch.factors[0][0]);
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        auto const row = MagnitudeRange::of(threads.warp, row_panel.a[r]);
        if (threads.warp.lane == 0) ranges[threads.warp_index * R + r] = row;
      }
      threads.barrier();
      if (threads.thread < R) {
        MagnitudeRange range;
        for (int w = 0; w < W; ++w) range.add(ranges[w * R + threads.thread]);
        factors[threads.thread] =
            power_of_two<T>(range.template flags<T>() == 0 ? -range.template exponent<T>() : 0);
      }
    }
    threads.barrier();
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) CARROLL_UNROLL
    for (int c = 0; c < C; ++c) row_panel.a[r][c] *= factors[r];
    threads.barrier();
  }

  /// Afterwards W is in memory, and what the update wants to know in scratch.
  KOKKOS_FORCEINLINE_FUNCTION void leave(Threads const& threads,
                                         RowPanel<T, R, C, W> const& row_panel, int s) {
    int const m = memory.columns(s);
    constexpr int entries = (R * R + 32 * W - 1) / (32 * W);
    CARROLL_UNROLL
    for (int e = 0; e < entries; ++e) {
      int const at = e * 32 * W + threads.thread, r = at % R;
      if (at >= R * R) break;
      scratch.factors[at / R][r] =
          scratch.rows[r][scratch.row_panel.columns[at / R]] * scratch.row_factor[r];
    }
    if (memory.is_awaited(s)) {
      T* at = memory.entry_of_W(s, 0, threads.column(0));
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c)
          if (threads.column(c) < m) at[c * threads.size()] = row_panel.a[r][c];
        at += memory.memory.pitch;
      }
    }
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const behind = threads.column(c) - (m - R);
      if (behind < 0 || behind >= R) continue;
      CARROLL_UNROLL
      for (int k = 0; k < R; ++k) scratch.tail[behind][k] = row_panel.a[k][c];
    }
  }

  /// To the next row panel.
  KOKKOS_FORCEINLINE_FUNCTION void advance(Threads const& threads, RowPanel<T, R, C, W>& row_panel,
                                           int s) {
    constexpr int at_once = Kokkos::min(R, 128 / int(C * sizeof(T)));
    int const m = memory.columns(s + 1);
    int places[C];
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const j = threads.column(c);
      places[c] = j < m ? int{scratch.source[j]} : j;
      if (places[c] == j) continue;
      CARROLL_UNROLL
      for (int k = 0; k < R; ++k) row_panel.a[k][c] = scratch.tail[places[c] - m][k];
    }
    T next[R][C];
    CARROLL_NO_UNROLL
    for (int r0 = 0; r0 < R; r0 += at_once) {
      T held[at_once][C];
      CARROLL_UNROLL
      for (int r = 0; r < at_once; ++r) CARROLL_UNROLL
      for (int c = 0; c < C; ++c)
        held[r][c] = scratch.rows[r0 + r][places[c]] * scratch.row_factor[r0 + r];
      subtract_row_panel(&scratch.factors[0][r0], int{R}, row_panel, held);
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) {
        CARROLL_UNROLL
        for (int r = 0; r + at_once < R; ++r) next[r][c] = next[r + at_once][c];
        CARROLL_UNROLL
        for (int r = 0; r < at_once; ++r)
          next[R - at_once + r][c] = threads.column(c) < m ? held[r][c] : T(0);
      }
    }
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) CARROLL_UNROLL
    for (int c = 0; c < C; ++c) row_panel.a[r][c] = next[r][c];
  }

  // What the last warp does.

  /// What is known of a row panel's rows, one per lane: row panels take turns in half a warp.
  struct RowPanelRows {
    T top = 1;
    int exponent = 0;
  };
  [[nodiscard]] KOKKOS_FUNCTION int row_of_lane(DeviceWarp const& warp, int s) const {
    return warp.lane - (memory.first() / R + s) % 2 * R;
  }
  KOKKOS_FUNCTION RowPanelRows rows_of(DeviceWarp const& warp, int s) const {
    int const r = row_of_lane(warp, s);
    if (r < 0 || r >= Kokkos::min(int{R}, memory.columns(s))) return {};
    return {memory.memory.row_top[s * R + r], memory.memory.row_exponent[s * R + r]};
  }

  [[nodiscard]] KOKKOS_FUNCTION int await_verdict(DeviceWarp const& warp) {
    RowPanelProgress<T> const& progress = *memory.memory.progress;
    if (!Follows) wait_for(&progress.decided);
    int const verdict = progress.status != Status::success   ? int{LeaderVerdict::ends}
                        : progress.balanced != 0 && !Follows ? int{LeaderVerdict::balanced}
                                                             : int{LeaderVerdict::go_on};
    if (warp.lane == 0) scratch.verdict = verdict;
    return verdict;
  }

  /// RowPanel t's rows into scratch, and what is known of them.
  KOKKOS_FORCEINLINE_FUNCTION RowPanelRows await_rows(DeviceWarp const& warp, int t) {
    int const lane = warp.lane, m = memory.columns(t - 1);
    int const count = memory.blocks_of(t);
    int const* const delivered = memory.delivered(t);
    constexpr int at_once = 16 / sizeof(T);
    using Chunk = RowPanelQuad<float>;
    int const apart = memory.staged_pitch();
    T const* const from = memory.staged(t, 0, lane * at_once);
    T* const to = &scratch.rows[0][lane * at_once];
    T const* const factors = memory.memory.row_factor + t * R;
    bool const has_row = lane < R && lane < memory.columns(t);
    wait_for(delivered, count);
    T const factor = has_row ? factors[lane] : T(0);
    RowPanelRows const rows = rows_of(warp, t);
    // Rows that there are not are brought, too, and count for nothing.
    CARROLL_NO_UNROLL
    for (int j = 0; j + lane * at_once < m; j += 32 * at_once) {
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r)
        copy_async(reinterpret_cast<Chunk*>(to + r * pitch + j),
                   reinterpret_cast<Chunk const*>(from + r * apart + j));
    }
    if (lane < R) scratch.row_factor[lane] = factor;
    wait_for_copies();
    return rows;
  }

  /// The pivots of the rows that were taken off before.
  KOKKOS_FUNCTION void take_first(DeviceWarp const& warp, RowPanelProduct<T>& product, int& scaling,
                                  bool& odd) const {
    RowPanelMemory<T> const& arrays = memory.memory;
    for (int i = warp.lane - memory.first(); i < 0; i += 32) {
      product.take(arrays.pivots[i], arrays.row_top[i]);
      scaling += arrays.row_exponent[i];
    }
    for (int t = memory.first() / R; t > 0; --t) {
      int const pivot = warp.lane < R ? arrays.columns[warp.lane - t * R] : 0;
      odd = odd != are_odd<R>(warp, pivot, R, memory.n + t * R);
    }
  }

  /// Tasks that nobody has taken are of row panels that there are not.
  KOKKOS_FUNCTION void leave_matrix(DeviceWarp const& warp) const {
    warp.sync();
    int number = 0;
    if (warp.lane == 0) do
        number = memory.next_task();
      while (number < memory.tasks());
    bool const last = memory.leaves_last(warp.from(number, 0));
    warp.sync();  // what the other teams have written comes before what is put back
    if (last) memory.put_back(warp);
  }

  /// There are no row panels from s on.
  KOKKOS_FUNCTION void stop(DeviceWarp const& warp, int s) const {
    for (int k = s * R + warp.lane; k < memory.row_panels() * R; k += 32)
      publish(memory.told(0, k), LeaderWord::stop);
    leave_matrix(warp);
  }

  KOKKOS_FUNCTION void serve(DeviceWarp const& warp, DeterminantInfo<T>& info) {
    RowPanelState<T> state;
    RowPanelProduct<T> product;
    RowPanelRows of_row_panel, of_next;
    int scaling = 0, hole = -1;
    int verdict = 0;
    bool odd = false, balanced = false;
    int const last = memory.row_panels() - 1;
    for (int s = 0;;) {
      int const rows = Kokkos::min(int{R}, memory.columns(s)), m = memory.columns(s);
      if (s == 0 && !balanced) {
        verdict = await_verdict(warp);
        of_row_panel = rows_of(warp, 0);
        state.exponent = memory.memory.progress->state.exponent;
      }
      // Of a matrix that ends here nobody has rows.
      if (s < last && verdict != LeaderVerdict::ends && !(s == 0 && balanced)) {
        of_next = await_rows(warp, s + 1);
        if (s == 0) take_first(warp, product, scaling, odd);
      }
      tell<LeaderBarrier::brought>();
      await<LeaderBarrier::condensed>();
      if (s == 0 && verdict != LeaderVerdict::go_on && !balanced) {
        balanced = true;
        if (verdict == LeaderVerdict::balanced) continue;
        if (warp.lane == 0 && !Follows) info = state.info(memory.memory.progress->status, 0);
        return stop(warp, 0);
      }
      if (scratch.regular == 0) {
        state.take(warp, product, odd);
        if (warp.lane == 0) info = state.info(Status::singular, 0);
        if (s < last) stop(warp, s);
        return;
      }
      int const r = row_of_lane(warp, s);
      if (r >= 0 && r < rows) product.take(scratch.row_panel.pivots[r], of_row_panel.top);
      scaling += of_row_panel.exponent;
      int const pivot = warp.lane < rows ? scratch.row_panel.columns[warp.lane] : 0;
      if (s == last) {
        odd = odd != are_odd<R>(warp, pivot, rows, m);
        break;
      }
      ColumnMoves const moves(warp, pivot, rows, m, scratch.tails);
      if (hole >= 0) scratch.source[hole] = static_cast<std::uint16_t>(hole);
      warp.sync();
      hole = moves.hole;
      if (hole >= 0) scratch.source[hole] = static_cast<std::uint16_t>(moves.filler);
      tell<LeaderBarrier::moved>();
      await<LeaderBarrier::left>();
      if (memory.is_awaited(s) && warp.lane < R)
        publish(memory.told(s, warp.lane), LeaderWord::of(pivot, moves.hole, moves.filler));
      odd = odd != are_odd<R>(warp, pivot, rows, m);
      of_row_panel = of_next;
      // Nothing is waited for any more, and nobody waits.
      if (s + 1 == last) leave_matrix(warp);
      await<LeaderBarrier::read>();
      ++s;
    }
    scaling = lanes_sum_down(warp, scaling);
    state.take(warp, product, odd);
    state.exponent += scaling;
    if (warp.lane == 0) info = state.info(Status::success, 0);
  }
};

}  // namespace carroll::detail
