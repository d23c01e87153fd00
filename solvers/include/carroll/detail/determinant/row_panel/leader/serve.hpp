// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/leader/condense.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// What the last warp of a leader team does (row_panel/leader/kernel.hpp).
template <class T, int Columns, int W, bool Follows>
struct LeaderService : LeaderCondensation<T, Columns, W, Follows> {
  using Base = LeaderCondensation<T, Columns, W, Follows>;
  using Base::R, Base::pitch;
  using Base::scratch, Base::memory;

 protected:
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
      this->template tell<LeaderBarrier::brought>();
      this->template await<LeaderBarrier::condensed>();
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
      this->template tell<LeaderBarrier::moved>();
      this->template await<LeaderBarrier::left>();
      if (memory.is_awaited(s) && warp.lane < R)
        publish(memory.told(s, warp.lane), LeaderWord::of(pivot, moves.hole, moves.filler));
      odd = odd != are_odd<R>(warp, pivot, rows, m);
      of_row_panel = of_next;
      // Nothing is waited for any more, and nobody waits.
      if (s + 1 == last) leave_matrix(warp);
      this->template await<LeaderBarrier::read>();
      ++s;
    }
    scaling = lanes_sum_down(warp, scaling);
    state.take(warp, product, odd);
    state.exponent += scaling;
    if (warp.lane == 0) info = state.info(Status::success, 0);
  }
};

}  // namespace carroll::detail
