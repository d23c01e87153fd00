// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/pipeline/signals.hpp>
#include <carroll/detail/determinant/row_panel/pivot_exchange.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>

namespace carroll::detail {

/// The row panels of a matrix, one after the other, by one team, or a team's share of their
/// columns: condensed, written as W for the teams that update the rows behind, and taken off the
/// next row panel's rows, which then are the row panel at hand. So nothing but its own work stands
/// between a team and the next row panel, as long as the others keep up.
///
/// 4·R flops per entry of a row panel: half of them its steps, half of them the update.
template <class T, int R, int B, int Columns, int W, class Member, bool Shared>
struct RowPanelPipeline : RowPanelSignals<T, R, B, Columns, W, Member, Shared> {
  using Base = RowPanelSignals<T, R, B, Columns, W, Member, Shared>;
  using Base::first_column, Base::column, Base::has_share, Base::is_awaited, Base::write_record,
      Base::tell_teams, Base::wait_for_rows, Base::all_succeeded, Base::store;
  using Base::first_row, Base::threads_per_team, Base::part, Base::s, Base::regular;
  using Base::memory, Base::plan, Base::scratch, Base::source, Base::exchange_scratch,
      Base::threads, Base::work, Base::column_of_W;

  /// All row panels, as far as the team has a share of them.
  KOKKOS_FUNCTION void run(int team, DeterminantInfo<T>& info) {
    part = team;
    row_panels<widest>();
    if (part == 0 && !(regular && plan.first_row_panels != 0))
      this->finish(regular ? plan.rows : s * R, regular, info);
  }

 private:
  /// Columns per thread: fewer make shorter steps. A team that has row panels for itself leaves
  /// those of few columns to the leader (row_panel/leader/kernel.hpp).
  static constexpr int widest = Columns / threads_per_team;
  static constexpr int narrowest = Shared && widest >= 4 ? widest / 2 : widest;

  /// The next row panel's rows that are worked on together.
  template <int C>
  static constexpr int at_once = Kokkos::min(R, (R <= 16 ? 128 : 64) / int(C * sizeof(T)));

  /// From C columns per thread on, as many as row panels need.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void row_panels() {
    row_panels_of<C>();
    if constexpr (C > narrowest) row_panels<C / 2>();
  }

  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void row_panels_of() {
    constexpr int least = C == narrowest ? 0 : C / 2 * threads_per_team;
    auto const needed = [&] { return has_share(s) && plan.columns(s) > least; };
    if (!needed()) return;
    RowPanel<T, R, C, W> row_panel;
    T ahead[at_once<C>][C];
    load(row_panel);
    do {
      condense(row_panel, ahead);
      if (!regular) break;
      if (has_share(s + 1))
        advance(row_panel, ahead, plan.columns(s + 1) <= least);
      else
        ++s;
    } while (needed());
  }

  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void load(RowPanel<T, R, C, W>& row_panel) const {
    int const rows = Kokkos::min(int{R}, plan.rows - s * R);
    int const m = plan.columns(s);
    StridedMatrix<T const> const from =
        s == 0 ? source : StridedMatrix<T const>{next_of(s), memory.pitch, 1};
    int const j = column(0);
    T const* at = from.data + j * from.col_stride;
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c)
        row_panel.a[r][c] = r < rows && j + c * threads.size() < m
                                ? at[c * threads.size() * from.col_stride]
                                : T(0);
      at += from.row_stride;
    }
    if (s > 0) return;
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      T const factor = r < rows ? memory.row_factor[r] : T(0);
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) row_panel.a[r][c] *= factor;
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION T* next_of(int row_panel) const {
    return memory.next + static_cast<std::ptrdiff_t>(row_panel % 2 * R) * memory.pitch;
  }

  /// Afterwards W is in memory, and all that the update wants to know in scratch; and some of the
  /// next row panel's rows are `ahead`.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void condense(RowPanel<T, R, C, W>& row_panel,
                                            T (&ahead)[at_once<C>][C]) {
    int const first = s * R;
    int const m = plan.columns(s);
    int const rows = Kokkos::min(int{R}, plan.rows - first);
    int const teams = plan.teams(s);
    bool const shared = Shared && teams > 1;
    bool again = false, known;
    do {
      if (Shared && again) load(row_panel);
      regular = eliminate(row_panel, first, rows, teams, again);
      known = !shared || again;
      wait_for_rows();
      threads.barrier();  // nor does anybody read the candidates any more
      if (regular && rows < m) leave(row_panel, ahead, rows, m);
      threads.barrier();
      tell_teams(rows, known);
      again = shared && !all_succeeded(known) && !known;
    } while (Shared && again);
  }

  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void leave(RowPanel<T, R, C, W> const& row_panel,
                                         T (&ahead)[at_once<C>][C], int rows, int m) {
    int const below = (s + 1) * R;
    int const count = Kokkos::min(int{R}, plan.rows - below);
    StridedMatrix<T const> const from = this->rows_before(s);
    // All is on its way before anything is waited for.
    constexpr int entries = (R * R + threads_per_team - 1) / threads_per_team;
    T factors[entries];
    CARROLL_UNROLL
    for (int e = 0; e < entries; ++e) {
      int const at = e * threads_per_team + threads.thread;
      factors[e] = at < R * R && at % R < count
                       ? from(below + at % R, scratch.row_panel.columns[at / R])
                       : T(0);
    }
    int const r = threads.thread % R;
    T const row_factor = r < count ? memory.row_factor[below + r] : T(0);
    int places[C];
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) places[c] = column(c);
    read(from, 0, places, ahead);
    if (is_awaited()) store(row_panel, m);
    if (threads.warp_index == 0) {
      int const lane = threads.warp.lane;
      int const pivot = lane < rows ? scratch.row_panel.columns[lane] : 0;
      ColumnMoves const moves(threads.warp, pivot, rows, m, scratch.tails);
      this->take_record(pivot, moves.hole, moves.filler);
      if (part == 0 && is_awaited()) write_record();
    }
    if constexpr (!Shared) {
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) {
        int const behind = places[c] - (m - rows);
        if (behind < 0 || behind >= rows) continue;
        CARROLL_UNROLL
        for (int k = 0; k < R; ++k) scratch.tail[behind][k] = row_panel.a[k][c];
        CARROLL_UNROLL
        for (int i = 0; i < at_once<C>; ++i) scratch.tail[behind][R + i] = ahead[i][c];
      }
    }
    CARROLL_UNROLL
    for (int e = 0; e < entries; ++e) {
      int const at = e * threads_per_team + threads.thread;
      if (at < R * R) scratch.factors[at / R][at % R] = factors[e] * row_factor;
    }
    if (threads.thread < R) scratch.row_factor[threads.thread] = row_factor;
  }

  /// The first team's pivots for all; or, when they have not done for some, the best of all teams.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION bool eliminate(RowPanel<T, R, C, W>& row_panel, int first, int rows,
                                             int teams, bool again) {
    if constexpr (Shared && C * threads_per_team == Columns) {
      auto const step = static_cast<std::uint32_t>(first_row + first + 1);
      if (again) {
        PivotExchange<T> const exchange{memory.words, exchange_scratch, part, teams, step};
        return row_panel.condense(threads, scratch.row_panel, rows, first_column(), exchange);
      }
      TeamLead<T> const lead{teams > 1 ? memory.lead_words : nullptr, step};
      if (part == 0)
        return row_panel.condense(threads, scratch.row_panel, rows, first_column(), lead);
      return threads.all(row_panel.follow(threads, scratch.row_panel, rows, first_column(), lead));
    } else {
      return row_panel.condense(threads, scratch.row_panel, rows, first_column(), NoExchange{});
    }
  }

  /// Some of row panel s + 1's rows.
  template <int Rows, int C>
  KOKKOS_FORCEINLINE_FUNCTION void read(StridedMatrix<T const> const& from, int r0,
                                        int const (&places)[C], T (&held)[Rows][C]) const {
    // Where there is nothing, something else is read, that counts for nothing.
    int const last_row = Kokkos::max(plan.rows - 1, 0), last_column = plan.columns(s) - 1;
    int const first = (s + 1) * R + r0;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      T const* at = &from(Kokkos::min(first, last_row), Kokkos::min(places[c], last_column));
      CARROLL_UNROLL
      for (int r = 0; r < Rows; ++r) {
        held[r][c] = *at;
        at += first + r < last_row ? from.row_stride : 0;
      }
    }
  }

  /// A column that fills a hole.
  template <int Rows, int C>
  KOKKOS_FUNCTION void fill(StridedMatrix<T const> const& from, int filler, int c,
                            RowPanel<T, R, C, W>& row_panel, T (&ahead)[Rows][C]) const {
    int const m = plan.columns(s + 1);
    T const* at = Shared ? column_of_W(s, filler) : scratch.tail[filler - m];
    T const* row = &from((s + 1) * R, filler);
    CARROLL_UNROLL
    for (int d = 0; d < C; ++d) {
      if (d != c) continue;
      CARROLL_UNROLL
      for (int r = 0; r < Rows; ++r) {
        ahead[r][d] = Shared ? *row : at[R + r];
        row += (s + 1) * R + r + 1 < plan.rows ? from.row_stride : 0;
      }
      CARROLL_UNROLL
      for (int k = 0; k < R; ++k) {
        row_panel.a[k][d] = *at;
        at += Shared ? memory.pitch : 1;
      }
    }
  }

  /// To the next row panel, in registers if they hold both, and in memory.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void advance(RowPanel<T, R, C, W>& row_panel,
                                           T (&ahead)[at_once<C>][C], bool last) {
    constexpr bool fits = R * C * sizeof(T) <= 256;
    constexpr int Rows = at_once<C>;
    bool const to_memory = Shared || !fits || last;
    int const m = plan.columns(s + 1);
    StridedMatrix<T const> const from = this->rows_before(s);
    int places[C];
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const j = column(c);
      places[c] = j < m ? this->source_of(j) : j;
      if (places[c] != j) fill(from, places[c], c, row_panel, ahead);
    }
    T next[fits ? R : 1][C];
    T* at = next_of(s + 1) + column(0);
    CARROLL_NO_UNROLL
    for (int r0 = 0; r0 < R; r0 += Rows) {
      T held[Rows][C];
      CARROLL_UNROLL
      for (int r = 0; r < Rows; ++r) CARROLL_UNROLL
      for (int c = 0; c < C; ++c) held[r][c] = ahead[r][c] * scratch.row_factor[r0 + r];
      if (r0 + Rows < R) read(from, r0 + Rows, places, ahead);
      constexpr int pitch = sizeof scratch.factors[0] / sizeof(T);
      subtract_row_panel(&scratch.factors[0][r0], pitch, row_panel, held);
      CARROLL_UNROLL
      for (int r = 0; r < Rows; ++r) CARROLL_UNROLL
      for (int c = 0; c < C; ++c)
        if (column(c) >= m) held[r][c] = T(0);
      if (to_memory) {
        CARROLL_UNROLL
        for (int r = 0; r < Rows; ++r) {
          CARROLL_UNROLL
          for (int c = 0; c < C; ++c)
            if (column(c) < m) at[c * threads.size()] = held[r][c];
          at += memory.pitch;
        }
      }
      if constexpr (fits) {
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c) {
          CARROLL_UNROLL
          for (int r = 0; r + Rows < R; ++r) next[r][c] = next[r + Rows][c];
          CARROLL_UNROLL
          for (int r = 0; r < Rows; ++r) next[R - Rows + r][c] = held[r][c];
        }
      }
    }
    ++s;
    if constexpr (fits) {
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) CARROLL_UNROLL
      for (int c = 0; c < C; ++c) row_panel.a[r][c] = next[r][c];
    } else {
      if (!last) load(row_panel);
    }
  }
};

}  // namespace carroll::detail
