// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/strip_columns.hpp>
#include <carroll/detail/determinant/strip_exchange.hpp>
#include <carroll/detail/determinant/strip_state.hpp>
#include <carroll/detail/determinant/strip_update.hpp>

namespace carroll::detail {

/// A strip, or a team's share of its columns: condensed, written as W, its pivots multiplied.
template <class T, int R, int B, int Columns, class Member, bool Shared>
struct StripCondense : StripUpdate<T, R, B, Columns, Member> {
  using Base = StripTeam<T, R, B, Columns, Member>;
  using Base::first_row, Base::threads_per_team;
  using Base::memory, Base::plan, Base::scratch, Base::source, Base::task_scratch, Base::threads,
      Base::W, Base::work, Base::column_of_W;

  KOKKOS_FUNCTION void condense(int s, int part, DeterminantInfo<T>& info) {
    int const m = plan.columns(s);
    wait_for_strip(s);
    if (s > 0 && memory.records[(s - 1) % plan.ring].stop != 0) {
      if (part == 0 && threads.thread == 0) {
        memory.records[s % plan.ring].stop = 1;
        memory.records[s % plan.ring].filled = 0;
      }
      return publish(s, 1);
    }
    // Fewer columns per thread make shorter steps.
    constexpr int most = Columns / threads_per_team;
    if (m > most / 2 * threads_per_team)
      condense<most>(s, part, info);
    else if (most > 2 && m > threads_per_team)
      condense<2>(s, part, info);
    else
      condense<1>(s, part, info);
  }

 private:
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void condense(int s, int part, DeterminantInfo<T>& info) {
    int const first = s * R;
    int const m = plan.columns(s);
    int const rows = Kokkos::min(int{R}, plan.rows - first);
    int const begin = part * Columns;
    bool const shared = Shared && plan.teams(s) > 1;
    bool const records = part == 0 && threads.warp_index == 0;
    bool regular, odd, known;
    bool again = false;
    do {
      Strip<T, R, C, W> strip;
      load(strip, s, rows, begin, m);
      if constexpr (Shared && C * threads_per_team == Columns)
        regular = condense(strip, first, rows, part, plan.teams(s), again);
      else
        regular = strip.condense(threads, scratch.strip, rows, begin, NoExchange{});
      known = !shared || again;
      if (regular && rows < m) store(strip, s, begin, m);
      odd = records && record(s, rows, m, regular);
      publish(s, known || regular ? 1 : failed_team);
      again = !known && !all_succeeded(s);
    } while (Shared && again);
    if (records) multiply(s, first, rows, m, regular, odd, info);
  }

  /// The first team's pivots for all; or, when they have not done for some, the best of all
  /// teams.
  KOKKOS_FORCEINLINE_FUNCTION bool condense(Strip<T, R, Columns / threads_per_team, W>& strip,
                                            int first, int rows, int part, int teams, bool again) {
    int const begin = part * Columns;
    auto const step = static_cast<std::uint32_t>(first_row + first + 1);
    if (again) {
      TeamExchange<T> const exchange{memory.words, task_scratch, part, teams, step};
      return strip.condense(threads, scratch.strip, rows, begin, exchange);
    }
    TeamLead<T> const lead{teams > 1 ? memory.lead_words : nullptr, step};
    if (part == 0) return strip.condense(threads, scratch.strip, rows, begin, lead);
    return threads.all(strip.follow(threads, scratch.strip, rows, begin, lead));
  }

  /// What a team adds to `published` that needs better pivots.
  static constexpr int failed_team = 1 + (1 << 16);

  /// Waits for all teams of a strip.
  KOKKOS_FUNCTION bool all_succeeded(int s) const {
    if (threads.thread == 0) {
      int published;
      do {
        published = acquire(memory.published + s);
      } while (published % (1 << 16) < plan.teams(s));
      scratch.number = published >> 16;
    }
    threads.barrier();
    return scratch.number == 0;
  }

  KOKKOS_FUNCTION void publish(int s, int amount) const {
    threads.barrier();
    if (threads.thread == 0) release_add(memory.published + s, amount);
  }

  /// The strip is up to date, and nobody reads W of that whose place in the ring is to be taken.
  KOKKOS_FUNCTION void wait_for_strip(int s) const {
    if (threads.thread == 0 && s > 0) {
      while (acquire(memory.ready + s) < plan.tiles(s - 1)) {
      }
    } else if (threads.thread == 32 && s >= plan.ring) {
      int const before = s - plan.ring;
      while (acquire(memory.finished + before) < plan.readers(before)) {
      }
    }
    threads.barrier();
  }

  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void load(Strip<T, R, C, W>& strip, int s, int rows, int begin,
                                        int m) const {
    StridedMatrix<T const> const from =
        s == 0 ? source : StridedMatrix<T const>{memory.next, memory.pitch, 1};
    int const j = begin + threads.thread;
    T const* at = from.data + j * from.col_stride;
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c)
        strip.a[r][c] = r < rows && j + c * threads.size() < m
                            ? at[c * threads.size() * from.col_stride]
                            : T(0);
      at += from.row_stride;
    }
    if (s > 0) return;
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      T const factor = r < rows ? memory.row_factor[r] : T(0);
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) strip.a[r][c] *= factor;
    }
  }

  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void store(Strip<T, R, C, W> const& strip, int s, int begin,
                                         int m) const {
    T* at = column_of_W(s, begin + threads.thread);
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c)
        if (begin + threads.thread + c * threads.size() < m)
          at[-c * threads.size()] = strip.a[r][c];
      at += memory.pitch;
    }
  }

  /// Says which columns are to move: one warp of a strip's first team. Is their order odd?
  KOKKOS_FUNCTION bool record(int s, int rows, int m, bool regular) const {
    int const lane = threads.warp.lane;
    StripRecord& to = memory.records[s % plan.ring];
    if (lane == 0) {
      to.stop = !regular;
      to.filled = 0;
    }
    if (!regular) return false;
    ColumnMoves const moves(threads.warp, scratch.strip.columns, rows, m, scratch.tails);
    std::uint32_t const filled = threads.warp.ballot(moves.hole >= 0);
    std::uint32_t const before = (std::uint32_t{1} << lane) - 1;
    to.pivots[lane] = lane < rows ? scratch.strip.columns[lane] : 0;
    if (moves.hole >= 0) {
      to.holes[count_bits(filled & before)] = moves.hole;
      to.fillers[count_bits(filled & before)] = moves.filler;
    }
    if (lane == 0) to.filled = count_bits(filled);
    return moves.odd;
  }

  /// Multiplies the pivots; strips take turns, nobody else waits for it. The same warp.
  KOKKOS_FUNCTION void multiply(int s, int first, int rows, int m, bool regular, bool odd,
                                DeterminantInfo<T>& info) const {
    int const lane = threads.warp.lane;
    if (lane == 0)
      while (acquire(memory.multiplied) < s) {
      }
    threads.warp.sync();
    StripProgress<T>& progress = *memory.progress;
    StripState<T> state = progress.state;
    if (regular) {
      state.take_pivots(threads.warp, scratch.strip.pivots, memory.row_top + first, rows, odd);
      int scaling = lane < rows ? memory.row_exponent[first + lane] : 0;
      for (int step = 16; step > 0; step /= 2) scaling += threads.warp.from(scaling, lane ^ step);
      state.exponent += scaling;
    }
    if (lane != 0) return;
    progress.state = state;
    if (!regular) progress.status = Status::singular;
    if (!regular || rows == m) info = state.info(regular ? Status::success : Status::singular, 0);
    release_increase(memory.multiplied);
  }
};

}  // namespace carroll::detail
