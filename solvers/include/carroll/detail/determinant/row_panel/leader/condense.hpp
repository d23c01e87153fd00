// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/leader/team.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>

namespace carroll::detail {

/// What those warps of a leader team do that condense (row_panel/leader/kernel.hpp).
template <class T, int Columns, int W, bool Follows>
struct LeaderCondensation : LeaderTeam<T, Columns, W, Follows> {
  using Base = LeaderTeam<T, Columns, W, Follows>;
  using Base::R, Base::C;
  using Base::scratch, Base::memory, Base::source, Base::work;
  using typename Base::Threads;

 protected:
  KOKKOS_FUNCTION void condense(Threads const& threads) {
    RowPanel<T, R, C, W> row_panel;
    load(threads, row_panel, !Follows ? source : scaled());
    bool balanced = false;
    for (int s = 0;;) {
      bool const regular = row_panel.condense(
          threads, scratch.row_panel, Kokkos::min(int{R}, memory.columns(s)), 0, NoExchange{});
      if (threads.thread == 0) scratch.regular = regular;
      this->template await<LeaderBarrier::brought>();
      this->template tell<LeaderBarrier::condensed>();
      if (s == 0 && scratch.verdict != LeaderVerdict::go_on && !balanced) {
        if (Follows || scratch.verdict != LeaderVerdict::balanced) return;
        balanced = true;
        load(threads, row_panel, scaled());
        continue;
      }
      if (!regular || s + 1 == memory.row_panels()) return;
      leave(threads, row_panel, s);
      this->template tell<LeaderBarrier::left>();
      this->template await<LeaderBarrier::moved>();
      advance(threads, row_panel, s);
      this->template tell<LeaderBarrier::read>();
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
};

}  // namespace carroll::detail
