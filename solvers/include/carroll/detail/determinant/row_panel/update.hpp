// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/determinant/row_panel/team.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/signals.hpp>

namespace carroll::detail {

/// The update of a row panel: A3·W off the rows behind the next row panel, where they are, by
/// blocks of rows, which are looked at for their range.
template <class T, int R, int B, int Columns, int W, class Member>
struct RowPanelUpdate : RowPanelTeam<T, R, B, Columns, W, Member> {
  using Base = RowPanelTeam<T, R, B, Columns, W, Member>;
  using Base::holes, Base::memory, Base::plan, Base::scratch, Base::source, Base::threads,
      Base::work, Base::column_of_W;

  /// False if the determinant is known.
  KOKKOS_FUNCTION bool update_block(int s, int block) {
    int const begin = block * B;
    int const count = Kokkos::min(int{B}, plan.rows - begin);
    if (!wait_for_W(s)) return false;
    if (threads.thread == 0) wait_for(memory.applied + block, s);
    if (threads.warp_index == 0) copy_record(s);
    threads.barrier();
    StridedMatrix<T const> const from = rows_before(s);
    find_factors<B>(from, begin, count, scratch.record.pivots);
    threads.barrier();
    subtract(from, s, begin, count);
    threads.barrier();
    rescale_rows(begin, count);
    threads.barrier();
    if (threads.thread == 0) publish(memory.applied + block);
    if (threads.thread == 32) publish(memory.finished + s);
    return true;
  }

 protected:
  /// What is added to `published` by a team that needs better pivots, and when there is no row
  /// panel any more.
  static constexpr int team_failed = 1 << 16, stopped = 1 << 30;

  /// The matrix as row panel s finds it, below the row panel.
  [[nodiscard]] KOKKOS_FUNCTION StridedMatrix<T const> rows_before(int s) const {
    return s == 0 ? source : StridedMatrix<T const>{work.data, work.row_stride, work.col_stride};
  }

  /// The rows' entries in the pivots' columns.
  template <int Rows>
  KOKKOS_FUNCTION void find_factors(StridedMatrix<T const> const& from, int begin, int count,
                                    int const* pivots) const {
    for (int e = threads.thread; e < R * Rows; e += threads.size()) {
      int const r = e % Rows, k = e / Rows;
      scratch.factors[k][r] =
          r < count ? from(begin + r, pivots[k]) * memory.row_factor[begin + r] : T(0);
    }
  }

  /// The record in scratch, by one warp, of which each lane has one pivot and may have a hole.
  KOKKOS_FUNCTION void take_record(int pivot, int hole, int filler) {
    RowPanelRecord& to = scratch.record;
    int const lane = threads.warp.lane;
    if (lane < to.filled) holes[to.holes[lane] / 32] = 0;  // of the record before
    to.holes[lane] = -1;
    threads.warp.sync();
    std::uint32_t const filled = threads.warp.ballot(hole >= 0);
    int const place = Kokkos::popcount(filled & ((std::uint32_t{1} << lane) - 1));
    to.pivots[lane] = pivot;
    if (hole >= 0) {
      to.holes[place] = hole;
      to.fillers[place] = filler;
      Kokkos::atomic_or(&holes[hole / 32], std::uint32_t{1} << hole % 32);
    }
    if (lane == 0) to.filled = Kokkos::popcount(filled);
  }

  /// The column that will stand at j.
  KOKKOS_FUNCTION int source_of(int j) const {
    if ((holes[j / 32] >> j % 32 & 1U) == 0) return j;
    int place = 0;
    CARROLL_UNROLL
    for (int h = 0; h < R; h += 4) {  // at once, and not one after the other
      auto const four = *reinterpret_cast<RowPanelQuad<int> const*>(scratch.record.holes + h);
      CARROLL_UNROLL
      for (int u = 0; u < 4; ++u) place = four.x[u] == j ? h + u : place;
    }
    return scratch.record.fillers[place];
  }

  /// What row panel s has told, into scratch: by one warp.
  KOKKOS_FUNCTION void copy_record(int s) {
    int const lane = threads.warp.lane;
    RowPanelRecord const& from = memory.records[s % plan.ring];
    int const filled = from.filled, hole = from.holes[lane];
    take_record(from.pivots[lane], lane < filled ? hole : -1, from.fillers[lane]);
  }

  /// Rows that have left the range in which they are safe are scaled when they are read next.
  KOKKOS_FUNCTION void rescale_rows(int begin, int count) const {
    int const r = threads.thread;
    if (r >= count) return;
    int largest = 0;
    for (int w = 0; w < W; ++w) largest = Kokkos::max(largest, scratch.largest[w][r]);
    int const e = pending_exponent<T>(largest);
    memory.row_factor[begin + r] = power_of_two<T>(-e);
    if (e == 0) return;
    memory.row_exponent[begin + r] += e;
    memory.row_top[begin + r] = scale(memory.row_top[begin + r], -e);
  }

 private:
  static constexpr int columns_at_once = sizeof(T) == 4 ? 4 : 2;

  KOKKOS_FUNCTION bool wait_for_W(int s) const {
    if (threads.thread == 32) {
      int const teams = plan.teams(s);
      scratch.published = wait_until(memory.published + s, [&](int published) {
        // By all, without failure or a second time.
        return published >= stopped || published == teams || published % team_failed == 2 * teams;
      });
    }
    threads.barrier();
    return scratch.published < stopped;
  }

  template <int U>
  KOKKOS_FORCEINLINE_FUNCTION void read_weights(T const* (&w)[U],
                                                T (&weights)[row_panel_terms][U]) const {
    CARROLL_UNROLL
    for (int k = 0; k < row_panel_terms; ++k) {
      CARROLL_UNROLL
      for (int c = 0; c < U; ++c) {
        weights[k][c] = *w[c];
        w[c] += memory.pitch;
      }
    }
  }

  KOKKOS_FUNCTION void subtract(StridedMatrix<T const> const& from, int s, int begin,
                                int count) const {
    constexpr int U = columns_at_once, Rows = B;
    int const rest = plan.n - (s + 1) * R;
    T const* const row_panel = column_of_W(s, 0);
    int largest = 0;  // of row begin + lane
    for (int j0 = 0; j0 < rest; j0 += U * threads.size()) {
      T held[Rows][U];
      T const* w[U];
      CARROLL_UNROLL
      for (int c = 0; c < U; ++c) {
        int const j = j0 + c * threads.size() + threads.thread;
        int const column = j < rest ? source_of(j) : 0;
        w[c] = row_panel - column;
        T const* at = &from(begin, column);
        CARROLL_UNROLL
        for (int r = 0; r < Rows; ++r) {
          held[r][c] = *at;  // or what counts for nothing, where there is none
          at += r + 1 < count ? from.row_stride : 0;
        }
      }
      CARROLL_UNROLL
      for (int r = 0; r < Rows; ++r) {
        T const factor = r < count ? memory.row_factor[begin + r] : T(0);
        CARROLL_UNROLL
        for (int c = 0; c < U; ++c) held[r][c] *= factor;
      }
      T next[row_panel_terms][U];
      read_weights(w, next);
      CARROLL_NO_UNROLL
      for (int k0 = 0; k0 < R; k0 += row_panel_terms) {
        T sum[Rows][U] = {};
        T weights[row_panel_terms][U];
        CARROLL_UNROLL
        for (int k = 0; k < row_panel_terms; ++k) CARROLL_UNROLL
        for (int c = 0; c < U; ++c) weights[k][c] = next[k][c];
        if (k0 + row_panel_terms < R) read_weights(w, next);
        CARROLL_UNROLL
        for (int k = 0; k < row_panel_terms; ++k) {
          CARROLL_UNROLL
          for (int r = 0; r < Rows; r += 4) {
            auto const four =
                *reinterpret_cast<RowPanelQuad<T> const*>(&scratch.factors[k0 + k][r]);
            CARROLL_UNROLL
            for (int u = 0; u < 4; ++u) CARROLL_UNROLL
            for (int c = 0; c < U; ++c)
              sum[r + u][c] = Kokkos::fma(four.x[u], weights[k][c], sum[r + u][c]);
          }
        }
        CARROLL_UNROLL
        for (int r = 0; r < Rows; ++r) CARROLL_UNROLL
        for (int c = 0; c < U; ++c) held[r][c] -= sum[r][c];
      }
      int const j = j0 + threads.thread;
      T* at = &work(begin, j);
      CARROLL_UNROLL
      for (int r = 0; r < Rows; ++r) {
        int size = 0;
        CARROLL_UNROLL
        for (int c = 0; c < U; ++c) {
          if (r >= count || j + c * threads.size() >= rest) continue;
          at[c * threads.size() * work.col_stride] = held[r][c];
          size = Kokkos::max(size, magnitude(held[r][c]));
        }
        at += work.row_stride;
        int const row = threads.warp.max(size);
        if (threads.warp.lane == r) largest = Kokkos::max(largest, row);
      }
    }
    if (threads.warp.lane < B) scratch.largest[threads.warp_index][threads.warp.lane] = largest;
  }
};

}  // namespace carroll::detail
