// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/leader_emulation.hpp>
#include <carroll/detail/determinant/row_panel/update.hpp>
#include <carroll/detail/device/math.hpp>

namespace carroll::detail {

/// A team's share of a round (row_panel/per_panel/kernels.hpp): the next row panel, or a block of B
/// rows behind it. The arithmetic of row_panel/pipeline/pipeline.hpp and row_panel/update.hpp.
template <class T, int R, int B, int C, int Teams, int W, class Member>
struct RowPanelRound : RowPanelUpdate<T, R, B, Teams * C * 32 * W, W, Member> {
  using Base = RowPanelUpdate<T, R, B, Teams * C * 32 * W, W, Member>;
  using Base::memory, Base::plan, Base::scratch, Base::threads, Base::work, Base::exchange_scratch,
      Base::column_of_W;
  static constexpr int factor_pitch = R > B ? R : B;

  /// RowPanel t, with row panel t - 1 taken off it: into W, and the result if it is the last one.
  KOKKOS_FUNCTION void condense(int t, DeterminantInfo<T>& info) {
    int const first = t * R;
    int const m = plan.columns(t);
    int const rows = Kokkos::min(int{R}, plan.rows - first);
    if (!open(t - 1, first, rows)) return;
    Factors<R> factors;
    if (t > 0) factors.ask(*this, this->rows_before(t - 1), first, rows);
    RowPanel<T, R, C, W> row_panels[Teams];
    bool regular, again = false;
    do {
      load(row_panels, t, rows, m, factors);
      bool kept = true;
      if constexpr (Teams == 1) {
        regular = row_panels[0].condense(threads, scratch.row_panel, rows, 0, NoExchange{});
      } else {
        LeaderEmulation<T, R, W, Teams> const followers{
            row_panels, static_cast<RowPanelOffers<T, R, W>*>(exchange_scratch), again, kept};
        regular = row_panels[0].condense(threads, scratch.row_panel, rows, 0, followers);
      }
      bool const done = threads.all(regular && kept) || again || Teams == 1;
      again = !done;
    } while (Teams != 1 && again);
    if (regular) {
      if (rows < m) store(row_panels, t, m);
      if (threads.warp_index == 0) publish(t, rows, m);
      if (t + 1 < plan.row_panels()) return;
      threads.barrier();
    }
    this->finish(regular ? plan.rows : first, regular, info);
  }

  /// Takes row panel s off B rows from `begin` on, U columns per thread at a time, that many rows
  /// `Together`.
  template <int U, int Together>
  KOKKOS_FUNCTION void update(int s, int begin) {
    int const count = Kokkos::min(int{B}, plan.rows - begin);
    int const rest = plan.n - (s + 1) * R;
    if (!open(s, begin, count)) return;
    StridedMatrix<T const> const from = this->rows_before(s);
    Factors<B> factors;
    factors.ask(*this, from, begin, count);
    int largest = 0;  // of row begin + lane
    for (int j0 = 0; j0 < rest; j0 += U * threads.size()) {
      Columns<U, Together> columns;
      columns.ask(*this, from, s, begin, count, j0, rest);
      if (j0 == 0) {
        factors.keep(*this);
        threads.barrier();
      }
      if (j0 + 32 * threads.warp_index < rest)
        largest = Kokkos::max(largest, subtract(columns, from.row_stride, begin, count, j0));
    }
    scratch.largest[threads.warp_index][threads.warp.lane] = largest;
    threads.barrier();
    this->rescale_rows(begin, count);
  }

 private:
  static_assert(B == 32 && (C == 1 || Teams == 1));

  [[nodiscard]] KOKKOS_FUNCTION int column(int t, int c) const { return threads.column(t * C + c); }

  /// All that is known of the matrix and of row panel s, if there is one, and the rows' factors.
  /// False, to all threads, if the determinant is known.
  KOKKOS_FUNCTION bool open(int s, int begin, int count) {
    RowPanelProgress<T> const& progress = *memory.progress;
    bool const goes_on = progress.status == Status::success;
    if (progress.balanced) this->source = {work.data, work.row_stride, work.col_stride};
    int const r = threads.thread;
    if (r < factor_pitch) scratch.row_factor[r] = r < count ? memory.row_factor[begin + r] : T(0);
    if (threads.warp_index == 0) {
      int const lane = threads.warp.lane;
      for (int k = lane; k < Base::hole_words(plan.n); k += 32) this->holes[k] = 0;
      if (lane == 0) scratch.record.filled = 0;
      threads.warp.sync();
      // Row panels of a matrix whose determinant is known have told nothing.
      if (s >= 0 && threads.warp.ballot(goes_on) == 0xffffffffU) this->copy_record(s);
    }
    // To all alike, should the team that condenses say otherwise right now.
    return threads.all(goes_on);
  }

  /// Some rows' entries in the pivots' columns, on their way into scratch.
  template <int Rows>
  struct Factors {
    static constexpr int count = (R * Rows + 32 * W - 1) / (32 * W);
    T held[count];

    KOKKOS_FORCEINLINE_FUNCTION void ask(RowPanelRound const& round,
                                         StridedMatrix<T const> const& from, int begin, int rows) {
      CARROLL_UNROLL
      for (int e = 0; e < count; ++e) {
        int const at = e * 32 * W + round.threads.thread, r = at % Rows;
        held[e] = at < R * Rows && r < rows
                      ? from(begin + r, round.scratch.record.pivots[at / Rows])
                      : T(0);
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void keep(RowPanelRound const& round) const {
      CARROLL_UNROLL
      for (int e = 0; e < count; ++e) {
        int const at = e * 32 * W + round.threads.thread, r = at % Rows;
        if (at < R * Rows)
          round.scratch.factors[at / Rows][r] = held[e] * round.scratch.row_factor[r];
      }
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION void load(RowPanel<T, R, C, W> (&row_panels)[Teams], int row_panel,
                                        int rows, int m, Factors<R> const& factors) const {
    bool const behind = row_panel > 0;
    StridedMatrix<T const> const from = this->rows_before(behind ? row_panel - 1 : 0);
    int places[Teams][C];
    CARROLL_UNROLL
    for (int t = 0; t < Teams; ++t) CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const j = column(t, c);
      places[t][c] = j >= m ? 0 : behind ? this->source_of(j) : j;
      T const* at = &from(row_panel * R, places[t][c]);
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        row_panels[t].a[r][c] = *at;  // or what counts for nothing, where there is none
        at += r + 1 < rows ? from.row_stride : 0;
      }
    }
    if (behind) factors.keep(*this);
    threads.barrier();
    CARROLL_UNROLL
    for (int t = 0; t < Teams; ++t) CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      RowPanel<T, R, 1, W> before;
      T held[R][1];
      if (behind) {
        T const* at = column_of_W(row_panel - 1, places[t][c]);
        CARROLL_UNROLL
        for (int k = 0; k < R; ++k) {
          before.a[k][0] = *at;
          at += memory.pitch;
        }
      }
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) held[r][0] = row_panels[t].a[r][c] * scratch.row_factor[r];
      if (behind) subtract_row_panel(&scratch.factors[0][0], int{factor_pitch}, before, held);
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) row_panels[t].a[r][c] = column(t, c) < m ? held[r][0] : T(0);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(RowPanel<T, R, C, W> const (&row_panels)[Teams],
                                         int row_panel, int m) const {
    CARROLL_UNROLL
    for (int t = 0; t < Teams; ++t) CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      if (column(t, c) >= m) continue;
      T* at = column_of_W(row_panel, column(t, c));
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        *at = row_panels[t].a[r][c];
        at += memory.pitch;
      }
    }
  }

  /// Pivots, and which columns move: by one warp.
  KOKKOS_FUNCTION void publish(int row_panel, int rows, int m) {
    int const lane = threads.warp.lane;
    int const pivot = lane < rows ? scratch.row_panel.columns[lane] : 0;
    ColumnMoves const moves(threads.warp, pivot, rows, m, scratch.tails);
    this->take_record(pivot, moves.hole, moves.filler);
    threads.warp.sync();
    RowPanelRecord const& from = scratch.record;
    RowPanelRecord& to = memory.records[row_panel % plan.ring];
    to.pivots[lane] = pivot;
    to.holes[lane] = from.holes[lane];
    to.fillers[lane] = from.fillers[lane];
    if (lane == 0) to.filled = from.filled;
    if (lane >= rows) return;
    memory.pivots[row_panel * R + lane] = scratch.row_panel.pivots[lane];
    memory.columns[row_panel * R + lane] = pivot;
  }

  /// A thread's columns of some rows, with W for them.
  template <int U, int Together>
  struct Columns {
    T const* at[U];  ///< the next rows' entries
    bool there[U];
    RowPanel<T, R, U, W> row_panel;
    T next[Together][U];  ///< rows that are on their way

    KOKKOS_FORCEINLINE_FUNCTION void ask(RowPanelRound const& round,
                                         StridedMatrix<T const> const& from, int s, int begin,
                                         int count, int j0, int rest) {
      CARROLL_UNROLL
      for (int c = 0; c < U; ++c) {
        int const j = j0 + round.threads.column(c);
        there[c] = j < rest;
        int const place = there[c] ? round.source_of(j) : 0;
        at[c] = &from(begin, place);
        T const* w = round.column_of_W(s, place);
        CARROLL_UNROLL
        for (int k = 0; k < R; ++k) {
          row_panel.a[k][c] = there[c] ? *w : T(0);
          w += round.memory.pitch;
        }
      }
      read(from.row_stride, count);
    }
    KOKKOS_FORCEINLINE_FUNCTION void read(std::ptrdiff_t row_stride, int count) {
      CARROLL_UNROLL
      for (int r = 0; r < Together; ++r) CARROLL_UNROLL
      for (int c = 0; c < U; ++c) {
        next[r][c] = there[c] && r < count ? *at[c] : T(0);
        at[c] += row_stride;
      }
    }
  };

  /// The largest entry of row `begin` + lane.
  template <int U, int Together>
  KOKKOS_FORCEINLINE_FUNCTION int subtract(Columns<U, Together>& columns, std::ptrdiff_t row_stride,
                                           int begin, int count, int j0) const {
    T* to = &work(begin, j0 + threads.thread);
    std::ptrdiff_t const apart = threads.size() * work.col_stride;
    int largest = 0;
    CARROLL_NO_UNROLL
    for (int r0 = 0; r0 < count; r0 += Together) {
      T held[Together][U];
      CARROLL_UNROLL
      for (int r = 0; r < Together; ++r) CARROLL_UNROLL
      for (int c = 0; c < U; ++c) held[r][c] = columns.next[r][c] * scratch.row_factor[r0 + r];
      // On their way while these are worked on.
      if (r0 + Together < count) columns.read(row_stride, count - r0 - Together);
      subtract_row_panel(&scratch.factors[0][r0], int{factor_pitch}, columns.row_panel, held);
      CARROLL_UNROLL
      for (int r = 0; r < Together; ++r) {
        int size = 0;
        CARROLL_UNROLL
        for (int c = 0; c < U; ++c) {
          if (!columns.there[c] || r0 + r >= count) continue;
          to[c * apart] = held[r][c];
          size = Kokkos::max(size, magnitude(held[r][c]));
        }
        to += work.row_stride;
        int const row = threads.warp.max(size);
        if (threads.warp.lane == r0 + r) largest = row;
      }
    }
    return largest;
  }
};

}  // namespace carroll::detail
