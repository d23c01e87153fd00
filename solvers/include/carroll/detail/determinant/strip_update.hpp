// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/magnitude_range.hpp>
#include <carroll/detail/determinant/strip_team.hpp>

namespace carroll::detail {

/// The update of a strip: A3·W off the rows below it. The next strip's rows go to
/// StripMemory::next, by tiles of columns, so that many teams have a share of what the next strip
/// waits for; the rows behind are updated where they are, by blocks of rows, and looked at for
/// their range.
template <class T, int R, int B, int Columns, class Member>
struct StripUpdate : StripTeam<T, R, B, Columns, Member> {
  using Base = StripTeam<T, R, B, Columns, Member>;
  using Base::memory, Base::plan, Base::scratch, Base::source, Base::task_scratch, Base::threads,
      Base::W, Base::work, Base::column_of_W;

  /// All rows of some columns, for `next`: rows to warps, columns to lanes.
  KOKKOS_FUNCTION void update_tile(int s, int tile) {
    int const first = (s + 1) * R;
    int const rows = Kokkos::min(int{R}, plan.rows - first);
    if (threads.warp_index == 0) {
      int const block = plan.first_block(s + 1) + threads.warp.lane;
      if (block < plan.end_block(s + 1))
        while (acquire(memory.applied + block) < s) {
        }
    }
    wait_for_W(s);
    copy_record(s);
    if (scratch.record.stop == 0) {
      StridedMatrix<T const> const from = rows_before(s);
      find_factors<R>(from, first, rows);
      int const begin = tile * plan.tile_columns();
      int const end = Kokkos::min(begin + plan.tile_columns(), plan.columns(s + 1));
      CARROLL_NO_UNROLL
      for (int j = begin; j < end; j += 128) update_tile(from, s, first, rows, j, end);
    }
    threads.barrier();
    if (threads.thread == 0) release_increase(memory.ready + s + 1);
    if (threads.thread == 32) release_increase(memory.finished + s);
  }

  /// 128 columns, four of them to a lane.
  KOKKOS_FORCEINLINE_FUNCTION void update_tile(StridedMatrix<T const> const& from, int s, int first,
                                               int rows, int begin, int end) const {
    constexpr int U = 4, warp_rows = R / W;
    struct alignas(warp_rows * sizeof(T)) Factors {
      T x[warp_rows];
    };
    auto* const weights = static_cast<StripQuad<T>*>(task_scratch);
    int const row = threads.warp_index * warp_rows;
    T held[warp_rows][U], w[warp_rows][U];
    CARROLL_UNROLL
    for (int c = 0; c < U; ++c) {
      int const j = begin + c * 32 + threads.warp.lane;
      int const column = j < end ? source_of(j) : 0;
      T const* const at = column_of_W(s, column) + static_cast<std::ptrdiff_t>(row) * memory.pitch;
      CARROLL_UNROLL
      for (int r = 0; r < warp_rows; ++r) {
        w[r][c] = at[static_cast<std::ptrdiff_t>(r) * memory.pitch];
        held[r][c] = j < end && row + r < rows ? from(first + row + r, column) : T(0);
      }
    }
    threads.barrier();  // nobody reads the tile before any more
    CARROLL_UNROLL
    for (int r = 0; r < warp_rows; ++r) {
      T const factor = row + r < rows ? memory.row_factor[first + row + r] : T(0);
      CARROLL_UNROLL
      for (int c = 0; c < U; ++c) held[r][c] *= factor;
      weights[(row + r) * 32 + threads.warp.lane] = {{w[r][0], w[r][1], w[r][2], w[r][3]}};
    }
    threads.barrier();
    CARROLL_NO_UNROLL
    for (int k0 = 0; k0 < R; k0 += strip_terms) {
      T sum[warp_rows][U] = {};
      CARROLL_UNROLL
      for (int k = k0; k < k0 + strip_terms; ++k) {
        auto const x = *reinterpret_cast<Factors const*>(&scratch.factors[k][row]);
        StripQuad<T> const four = weights[k * 32 + threads.warp.lane];
        CARROLL_UNROLL
        for (int r = 0; r < warp_rows; ++r) CARROLL_UNROLL
        for (int c = 0; c < U; ++c) sum[r][c] = Kokkos::fma(x.x[r], four.x[c], sum[r][c]);
      }
      CARROLL_UNROLL
      for (int r = 0; r < warp_rows; ++r) CARROLL_UNROLL
      for (int c = 0; c < U; ++c) held[r][c] -= sum[r][c];
    }
    T* at = memory.next + static_cast<std::ptrdiff_t>(row) * memory.pitch + begin;
    CARROLL_UNROLL
    for (int r = 0; r < warp_rows; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < U; ++c) {
        int const j = c * 32 + threads.warp.lane;
        if (begin + j < end) at[j] = held[r][c];
      }
      at += memory.pitch;
    }
  }

  KOKKOS_FUNCTION void update_block(int s, int block) {
    int const begin = block * B;
    int const count = Kokkos::min(int{B}, plan.rows - begin);
    if (threads.thread == 0)
      while (acquire(memory.applied + block) < s) {
      }
    wait_for_W(s);
    copy_record(s);
    if (scratch.record.stop == 0) {
      StridedMatrix<T const> const from = rows_before(s);
      find_factors<B>(from, begin, count);
      threads.barrier();
      subtract(from, s, begin, count);
      threads.barrier();
      settle(begin, count);
    }
    threads.barrier();
    if (threads.thread == 0) release_increase(memory.applied + block);
    if (threads.thread == 32) release_increase(memory.finished + s);
  }

 private:
  using Base::holes;
  static constexpr int columns_at_once = sizeof(T) == 4 ? 4 : 2;

  KOKKOS_FUNCTION void wait_for_W(int s) const {
    if (threads.thread == 32) {
      int const teams = plan.teams(s);
      int published;
      do {  // by all, without failure or a second time
        published = acquire(memory.published + s);
      } while (published != teams && published % (1 << 16) != 2 * teams);
    }
    threads.barrier();
  }

  /// The matrix as strip s finds it, below the strip.
  [[nodiscard]] KOKKOS_FUNCTION StridedMatrix<T const> rows_before(int s) const {
    return s == 0 ? source : StridedMatrix<T const>{work.data, work.row_stride, work.col_stride};
  }

  KOKKOS_FUNCTION void copy_record(int s) {
    StripRecord const& from = memory.records[s % plan.ring];
    StripRecord& to = scratch.record;
    if (threads.thread < 32) {
      int const lane = threads.thread;
      int const pivot = from.pivots[lane], hole = from.holes[lane], filler = from.fillers[lane];
      int const filled = from.filled, stop = from.stop;
      if (lane < to.filled) holes[to.holes[lane] / 32] = 0;  // of the update before
      threads.warp.sync();
      to.pivots[lane] = pivot;
      to.holes[lane] = hole;
      to.fillers[lane] = filler;
      if (lane < filled) Kokkos::atomic_or(&holes[hole / 32], std::uint32_t{1} << hole % 32);
      if (lane == 0) {
        to.filled = filled;
        to.stop = stop;
      }
    }
    threads.barrier();
  }

  /// The rows' entries in the pivots' columns.
  template <int Rows>
  KOKKOS_FUNCTION void find_factors(StridedMatrix<T const> const& from, int begin,
                                    int count) const {
    for (int e = threads.thread; e < R * Rows; e += threads.size()) {
      int const r = e % Rows, k = e / Rows;
      scratch.factors[k][r] =
          r < count ? from(begin + r, scratch.record.pivots[k]) * memory.row_factor[begin + r]
                    : T(0);
    }
  }

  /// The column that will stand at j.
  KOKKOS_FUNCTION int source_of(int j) const {
    if ((holes[j / 32] >> j % 32 & 1U) == 0) return j;
    int h = 0;
    while (scratch.record.holes[h] != j) ++h;
    return scratch.record.fillers[h];
  }

  template <int U>
  KOKKOS_FORCEINLINE_FUNCTION void read_weights(T const* (&w)[U],
                                                T (&weights)[strip_terms][U]) const {
    CARROLL_UNROLL
    for (int k = 0; k < strip_terms; ++k) {
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
    T const* const strip = column_of_W(s, 0);
    int largest = 0;  // of row begin + lane
    for (int j0 = 0; j0 < rest; j0 += U * threads.size()) {
      T held[Rows][U];
      T const* w[U];
      CARROLL_UNROLL
      for (int c = 0; c < U; ++c) {
        int const j = j0 + c * threads.size() + threads.thread;
        int const column = j < rest ? source_of(j) : 0;
        w[c] = strip - column;
        T const* at = &from(begin, column);
        CARROLL_UNROLL
        for (int r = 0; r < Rows; ++r) {
          held[r][c] = j < rest && r < count ? *at : T(0);
          at += from.row_stride;
        }
      }
      CARROLL_UNROLL
      for (int r = 0; r < Rows; ++r) {
        T const factor = r < count ? memory.row_factor[begin + r] : T(0);
        CARROLL_UNROLL
        for (int c = 0; c < U; ++c) held[r][c] *= factor;
      }
      T next[strip_terms][U];
      read_weights(w, next);
      CARROLL_NO_UNROLL
      for (int k0 = 0; k0 < R; k0 += strip_terms) {
        T sum[Rows][U] = {};
        T weights[strip_terms][U];
        CARROLL_UNROLL
        for (int k = 0; k < strip_terms; ++k) CARROLL_UNROLL
        for (int c = 0; c < U; ++c) weights[k][c] = next[k][c];
        if (k0 + strip_terms < R) read_weights(w, next);
        CARROLL_UNROLL
        for (int k = 0; k < strip_terms; ++k) {
          CARROLL_UNROLL
          for (int r = 0; r < Rows; r += 4) {
            auto const four = *reinterpret_cast<StripQuad<T> const*>(&scratch.factors[k0 + k][r]);
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

  /// Rows that have left the range in which they are safe are scaled when they are read next.
  KOKKOS_FUNCTION void settle(int begin, int count) const {
    int const r = threads.thread;
    if (r >= count) return;
    int largest = 0;
    for (int w = 0; w < W; ++w) largest = Kokkos::max(largest, scratch.largest[w][r]);
    int const e = unsettled_exponent<T>(largest);
    memory.row_factor[begin + r] = power_of_two<T>(-e);
    if (e == 0) return;
    memory.row_exponent[begin + r] += e;
    memory.row_top[begin + r] = scale(memory.row_top[begin + r], -e);
  }
};

}  // namespace carroll::detail
