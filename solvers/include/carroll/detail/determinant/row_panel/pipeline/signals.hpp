// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/determinant/row_panel/update.hpp>
#include <carroll/detail/device/signals.hpp>

namespace carroll::detail {

/// The row panel at hand of a team that condenses (row_panel/pipeline/pipeline.hpp), and what it
/// tells the other teams about it, and hears from them.
template <class T, int R, int B, int Columns, int W, class Member, bool Shared>
struct RowPanelSignals : RowPanelUpdate<T, R, B, Columns, W, Member> {
  using Base = RowPanelUpdate<T, R, B, Columns, W, Member>;
  using Base::memory, Base::plan, Base::scratch, Base::threads, Base::column_of_W;
  using Base::stopped, Base::team_failed;

  int part = 0;         ///< the team's, of a row panel's columns
  int s = 0;            ///< the row panel at hand
  bool regular = true;  ///< no row has become zero

 protected:
  KOKKOS_FUNCTION int first_column() const { return part * Columns; }
  [[nodiscard]] KOKKOS_FUNCTION int column(int c) const {
    return first_column() + threads.column(c);
  }
  [[nodiscard]] KOKKOS_FUNCTION bool has_share(int row_panel) const {
    return regular && row_panel < plan.row_panels() &&
           (part == 0 || plan.columns(row_panel) > first_column());
  }

  /// By one warp, and long before it is published, so that publishing does not wait for it.
  KOKKOS_FUNCTION void write_record() const {
    threads.warp.sync();
    int const lane = threads.warp.lane;
    RowPanelRecord const& from = scratch.record;
    RowPanelRecord& to = memory.records[s % plan.ring];
    to.pivots[lane] = from.pivots[lane];
    to.holes[lane] = from.holes[lane];
    to.fillers[lane] = from.fillers[lane];
    if (lane == 0) to.filled = from.filled;
  }

  /// Does anybody read this row panel's W?
  [[nodiscard]] KOKKOS_FUNCTION bool is_awaited() const {
    return Shared || plan.rows < plan.n || plan.blocks_behind(s) > 0;
  }

  /// Tells the other teams: by one warp. What only this team reads is written behind.
  KOKKOS_FUNCTION void tell_teams(int rows, bool known) const {
    if (threads.warp_index != 0) return;
    int const lane = threads.warp.lane;
    // Who sees that all teams are done, sees also that there is nothing.
    bool const stops = known && !regular && part == 0;
    int const amount = (known || regular ? 1 : 1 + team_failed) + (stops ? stopped : 0);
    threads.warp.sync();
    if (lane == 0 && (is_awaited() || !regular)) publish(memory.published + s, amount);
    if (regular && part == 0 && lane < rows) {
      memory.pivots[s * R + lane] = scratch.row_panel.pivots[lane];
      memory.columns[s * R + lane] = scratch.row_panel.columns[lane];
    }
    if (!stops) return;
    for (int t = s + 1 + lane; t < plan.row_panels(); t += 32)
      publish(memory.published + t, stopped);
  }

  /// The rows of the next row panel are up to date but for this one, and nobody reads W of the row
  /// panel whose place in the ring is to be taken.
  KOKKOS_FUNCTION void wait_for_rows() const {
    if (threads.warp_index == 1) {
      int const block = plan.first_block(s + 1) + threads.warp.lane;
      if (block < plan.end_block(s + 1)) wait_for(memory.applied + block, s);
    } else if (threads.thread == 64 && s >= plan.ring) {
      int const before = s - plan.ring;
      wait_for(memory.finished + before, plan.blocks_behind(before));
    }
  }

  /// Waits for all teams of a row panel: all of its W is there.
  KOKKOS_FUNCTION bool all_succeeded(bool known) const {
    if (threads.thread == 0) {
      int const teams = known ? 2 * plan.teams(s) : plan.teams(s);
      scratch.published = wait_until(
          memory.published + s, [&](int published) { return published % team_failed >= teams; });
    }
    threads.barrier();
    return scratch.published < team_failed;
  }

  /// W, where the other teams read it.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void store(RowPanel<T, R, C, W> const& row_panel, int m) const {
    int const j = column(0);
    T* at = column_of_W(s, j);
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c)
        if (j + c * threads.size() < m) at[-c * threads.size()] = row_panel.a[r][c];
      at += memory.pitch;
    }
  }
};

}  // namespace carroll::detail
