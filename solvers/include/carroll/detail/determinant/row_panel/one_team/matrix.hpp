// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/device/math.hpp>

namespace carroll::detail {

/// A matrix that one team has, for row_panel/one_team/kernel.hpp: what is done to it besides the
/// condensation of row panels.
template <class T, int R, int W, class Member>
struct RowPanelMatrix {
  static constexpr int C = 2;  ///< columns of a thread
  static constexpr int most_columns = 32 * W * C;
  static constexpr int block = 32;  ///< rows that are worked on together, one per lane
  static constexpr int together = W == 2 && sizeof(T) == 4 ? 4 : 8;  ///< rows of them at a time
  struct Scratch {
    RowPanelScratch<T, R, W> row_panel;
    alignas(16) T factors[2][R][block];
    T tail[32][R + 1];  ///< W of columns that fill holes
    T pivots[most_columns];
    T row_top[most_columns];
    T row_factor[most_columns];  ///< power of two by which a row is multiplied when it is read
    int largest[most_columns / 32][block];
    int least[most_columns / 32][block];
    int source[most_columns];  ///< the column that is found in a place from now on
    int tails[32];
    int flags;
    int scaling;  ///< log₂ of what scaling has taken out of the determinant
  };

  RowPanelThreads<Member> const& threads;
  Scratch& scratch;
  StridedMatrix<T const> from;
  StridedMatrix<T> to;
  int n;

  KOKKOS_FUNCTION int column(int c) const { return threads.column(c); }

  /// Powers of two for all rows, and what speaks against going on.
  KOKKOS_FUNCTION Status measure() {
    for (int c = 0; c < C; ++c) scratch.source[column(c)] = column(c);
    if (threads.thread == 0) scratch.flags = scratch.scaling = 0;
    for (int begin = 0; begin < n; begin += block) {
      MagnitudeRange range;  // of row begin + lane
      CARROLL_NO_UNROLL
      for (int part = 0; part < 4; ++part) {
        constexpr int rows = block / 4;
        T held[rows][C];
        CARROLL_UNROLL
        for (int r = 0; r < rows; ++r) {
          int const i = begin + part * rows + r;
          CARROLL_UNROLL
          for (int c = 0; c < C; ++c)
            held[r][c] = i < n && column(c) < n ? from(i, column(c)) : T(0);
        }
        CARROLL_UNROLL
        for (int r = 0; r < rows; ++r) {
          auto const row = MagnitudeRange::of(threads.warp, held[r]);
          if (threads.warp.lane == part * rows + r) range = row;
        }
      }
      scratch.largest[threads.warp_index][threads.warp.lane] = range.largest;
      scratch.least[threads.warp_index][threads.warp.lane] = range.least;
      threads.barrier();
      int const i = begin + threads.thread;
      if (threads.thread < block && i < n) {
        for (int w = 0; w < threads.warps; ++w) {
          range.largest = Kokkos::max(range.largest, scratch.largest[w][threads.thread]);
          range.least = Kokkos::min(range.least, scratch.least[w][threads.thread]);
        }
        int const flags = range.template flags<T>();
        if (flags != 0) Kokkos::atomic_or(&scratch.flags, flags);
        scratch.row_top[i] = range.template top<T>();
        divide(i, flags == 0 ? range.template exponent<T>() : 0);
      }
      threads.barrier();
    }
    int const flags = scratch.flags;
    if (flags & MagnitudeRange::non_finite) return Status::non_finite;
    if (flags & MagnitudeRange::zero) return Status::singular;
    return flags != 0 ? balance() : Status::success;
  }

  /// Row i will be divided by 2^e.
  KOKKOS_FUNCTION void divide(int i, int e) const {
    scratch.row_factor[i] = power_of_two<T>(-e);
    if (e != 0) Kokkos::atomic_add(&scratch.scaling, e);
  }

  /// Out of the ordinary: columns are scaled, too, and at once, in memory.
  KOKKOS_FUNCTION Status balance() {
    Balance<T, Member> balance(threads.team, from, n,
                               {&scratch.largest[0][0], &scratch.least[0][0], scratch.row_top});
    threads.barrier();
    Status const status = balance.measure();
    if (status != Status::success) return status;
    balance.copy_to(to);
    from = {to.data, to.row_stride, to.col_stride};
    if (threads.thread == 0) scratch.scaling = static_cast<int>(balance.exponent());
    for (int c = 0; c < C; ++c) scratch.row_factor[column(c)] = T(1);
    for (int i = threads.thread; i < n; i += threads.size())
      scratch.row_top[i] = as_magnitude_range(scratch.row_top[i]);
    threads.barrier();
    return Status::success;
  }

  KOKKOS_FUNCTION void load(RowPanel<T, R, C, W>& row_panel, int first, int rows) const {
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) CARROLL_UNROLL
    for (int c = 0; c < C; ++c)
      row_panel.a[r][c] = column(c) < n - first && r < rows ? from(first + r, column(c)) : T(0);
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      T const factor = r < rows ? scratch.row_factor[first + r] : T(0);
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) row_panel.a[r][c] *= factor;
    }
  }

  /// Multiplies the pivots, and closes the gaps that they leave: afterwards the row panel holds W
  /// for the columns that remain, in their new places.
  KOKKOS_FUNCTION void forget_columns(RowPanel<T, R, C, W>& row_panel, int first, int rows,
                                      bool& odd) const {
    int const m = n - first, rest = m - rows;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const j = column(c);
      if (j < rest || j >= m) continue;
      CARROLL_UNROLL
      for (int i = 0; i < R; ++i) scratch.tail[j - rest][i] = row_panel.a[i][c];
    }
    if (threads.warp_index == 0) {
      int const lane = threads.warp.lane;
      int const pivot = lane < rows ? scratch.row_panel.columns[lane] : 0;
      ColumnMoves const moves(threads.warp, pivot, rows, m, scratch.tails);
      if (moves.hole >= 0) scratch.source[moves.hole] = moves.filler;
      if (lane < rows) scratch.pivots[first + lane] = scratch.row_panel.pivots[lane];
      odd = odd != are_odd<R>(threads.warp, pivot, rows, m);
    }
    threads.barrier();
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const source = scratch.source[column(c)];
      if (column(c) >= rest || source == column(c)) continue;
      CARROLL_UNROLL
      for (int i = 0; i < R; ++i) row_panel.a[i][c] = scratch.tail[source - rest][i];
    }
  }

  /// All rows below the row panel.
  KOKKOS_FUNCTION void update(RowPanel<T, R, C, W> const& row_panel, int first) {
    int source[C];
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) source[c] = scratch.source[column(c)];
    bool const active = 32 * threads.warp_index < n - first;
    scratch.largest[threads.warp_index][threads.warp.lane] = 0;
    int half = 0;
    T next[together][C];  // rows that are on their way
    read(first, n - first, n - first, source, next);
    for (int begin = first; begin < n; begin += block, half ^= 1) {
      int const count = Kokkos::min(int{block}, n - begin);
      find_factors(begin, count, scratch.factors[half]);
      threads.barrier();
      if (active) subtract(row_panel, begin, count, n - first, source, scratch.factors[half], next);
      threads.barrier();  // rows' magnitudes are complete
      rescale_rows(begin, count);
    }
    from = {to.data, to.row_stride, to.col_stride};
    for (int c = 0; c < C; ++c) scratch.source[column(c)] = column(c);
    threads.barrier();
  }

  /// The rows' entries in the pivots' columns: a row per lane, pivots dealt out to the warps.
  KOKKOS_FUNCTION void find_factors(int begin, int count, T (*factors)[block]) const {
    constexpr int at_once = 8;
    int const i = begin + threads.warp.lane;
    bool const there = threads.warp.lane < count;
    T const scale = there ? scratch.row_factor[i] : T(0);
    for (int k0 = threads.warp_index * at_once; k0 < R; k0 += threads.warps * at_once) {
      T held[at_once];
      CARROLL_UNROLL
      for (int k = 0; k < at_once; ++k)
        held[k] = there ? from(i, scratch.row_panel.columns[k0 + k]) : T(0);
      CARROLL_UNROLL
      for (int k = 0; k < at_once; ++k) factors[k0 + k][threads.warp.lane] = held[k] * scale;
    }
  }

  KOKKOS_FUNCTION void read(int begin, int count, int rest, int const (&source)[C],
                            T (&held)[together][C]) const {
    CARROLL_UNROLL
    for (int r = 0; r < together; ++r) CARROLL_UNROLL
    for (int c = 0; c < C; ++c)
      held[r][c] = r < count && column(c) < rest ? from(begin + r, source[c]) : T(0);
  }

  KOKKOS_FUNCTION void subtract(RowPanel<T, R, C, W> const& row_panel, int begin, int count,
                                int rest, int const (&source)[C], T const (*factors)[block],
                                T (&next)[together][C]) const {
    int largest = 0;  // of row begin + lane
    CARROLL_NO_UNROLL
    for (int r0 = 0; r0 < count; r0 += together) {
      T held[together][C];
      CARROLL_UNROLL
      for (int r = 0; r < together; ++r) {
        T const factor = r0 + r < count ? scratch.row_factor[begin + r0 + r] : T(0);
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c) held[r][c] = next[r][c] * factor;
      }
      // On their way while these are worked on, and while the next block's factors are found.
      int const ahead = begin + r0 + together;
      if (ahead < n) read(ahead, n - ahead, rest, source, next);
      subtract_row_panel(&factors[0][r0], int{block}, row_panel, held);
      CARROLL_UNROLL
      for (int r = 0; r < together; ++r) {
        int size = 0;
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c) {
          if (r0 + r >= count || column(c) >= rest) continue;
          to(begin + r0 + r, column(c)) = held[r][c];
          size = Kokkos::max(size, magnitude(held[r][c]));
        }
        int const row = threads.warp.max(size);
        if (threads.warp.lane == r0 + r) largest = row;
      }
    }
    scratch.largest[threads.warp_index][threads.warp.lane] = largest;
  }

  /// Rows that have left the range in which they are safe are scaled when they are read next.
  KOKKOS_FUNCTION void rescale_rows(int begin, int count) const {
    for (int r = threads.thread; r < count; r += threads.size()) {
      int largest = 0;
      for (int w = 0; w < threads.warps; ++w) largest = Kokkos::max(largest, scratch.largest[w][r]);
      int const i = begin + r;
      int const e = pending_exponent<T>(largest);
      divide(i, e);
      if (e != 0) scratch.row_top[i] = scale(scratch.row_top[i], -e);
    }
  }
};

}  // namespace carroll::detail
