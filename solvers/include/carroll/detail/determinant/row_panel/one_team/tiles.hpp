// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/one_team/tiles_range.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/determinant/warp/load.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/memory.hpp>
#include <carroll/detail/device/tensor_product.hpp>

namespace carroll::detail {

/// A matrix in double precision by a team, with the bits of row_panel/one_team/kernel.hpp, row
/// panel by row panel. While a row panel is condensed each warp's first rows below it come to
/// scratch; then every warp takes the row panel off rows of its own, 8 at a time, as products of
/// tiles (device/tensor_product.hpp), which want a fraction of the instructions of sums by single
/// threads, and nobody waits for the other warps.
///
/// n² entries read twice; rows are read and written once per row panel above them, from the
/// second-level cache for the most part. 2n³/3 + 2Rn² flops.
template <int Columns, int W, class Member>
struct RowPanelTiles : RowPanelTilesRange<Columns, W, Member> {
  using Base = RowPanelTilesRange<Columns, W, Member>;
  using Base::barrier, Base::measure, Base::verdict, Base::rescale_rows;
  using Base::R, Base::C, Base::pitch, Base::rows_at_once, Base::tiles, Base::together,
      Base::rows_pitch;
  using Base::scratch, Base::from, Base::to, Base::n, Base::warp, Base::warp_index, Base::fetches;
  using typename Base::T, typename Base::Threads;

  KOKKOS_FUNCTION void run(DeterminantInfo<T>& info) {
    int hole = -1;  // of the row panel before, one per lane of the first warp
    prepare();
    measure(0, Kokkos::min(int{R}, n));
    barrier();
    // While the first row panel is condensed, what is behind it comes into the second-level cache.
    // Its steps have barriers: nobody goes on to measure before all have read the flags.
    bool const begun = scratch.flags == 0;
    if (begun) condense(0, Kokkos::min(int{R}, n), hole);
    measure(R, n);
    barrier();
    Status status = Status::success;
    int found = 0;  // pivots
    bool condensed = begun && scratch.flags == 0;
    if (scratch.flags != 0) status = verdict();
    for (int first = 0; first < n && status == Status::success; first += R) {
      int const rows = Kokkos::min(int{R}, n - first), m = n - first;
      fetch(first + rows + rows_at_once * warp_index, m);
      if (!condensed) condense(first, rows, hole);
      condensed = false;
      if (first == ahead_at) fetch_next();
      barrier();
      if (scratch.regular == 0) {
        status = Status::singular;
        break;
      }
      found += rows;
      if (rows == m) break;
      update(first + rows);
      from = {to.data, to.row_stride, to.col_stride};
      barrier();
    }
    wait_for_copies();
    finish(status, found, info);
  }

  // Before the first row panel.

  KOKKOS_FUNCTION void prepare() const {
    for (int j = 32 * warp_index + warp.lane; j < Columns; j += 32 * W) scratch.source[j] = j;
    if (warp_index == 0 && warp.lane == 0) {
      scratch.flags = scratch.scaling = scratch.odd = 0;
      if (fetches.size != 0) prefetch(fetches.first, fetches.size);
    }
    barrier();
  }

  /// When the matrices at hand no longer fill the second-level cache.
  static constexpr int ahead_at = 4 * R;
  KOKKOS_FUNCTION void fetch_next() const {
    if (warp_index == 0 && warp.lane == 0 && fetches.next != nullptr)
      prefetch(fetches.next, fetches.size);
  }

  // A row panel, by all warps.

  KOKKOS_FUNCTION void condense(int first, int rows, int& hole) {
    int const m = n - first;
    Threads const threads(32 * warp_index + warp.lane);
    RowPanel<T, R, C, W> row_panel;
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) CARROLL_UNROLL
    for (int c = 0; c < C; ++c)
      row_panel.a[r][c] =
          threads.column(c) < m && r < rows ? from(first + r, threads.column(c)) : T(0);
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      T const factor = r < rows ? scratch.row_factor[first + r] : T(0);
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) row_panel.a[r][c] *= factor;
    }
    bool const regular = row_panel.condense(threads, scratch.row_panel, rows, 0, NoExchange{});
    threads.barrier();  // the last pivot is in scratch
    CARROLL_UNROLL
    for (int k = 0; k < R; ++k) CARROLL_UNROLL
    for (int c = 0; c < C; ++c) scratch.W_rows[k][threads.column(c)] = row_panel.a[k][c];
    if (warp_index == 0) forget_columns(first, rows, regular, hole);
  }

  /// Notes the pivots, and what closes the gaps that they leave.
  KOKKOS_FUNCTION void forget_columns(int first, int rows, bool regular, int& hole) const {
    int const lane = warp.lane;
    if (lane == 0) scratch.regular = regular;
    if (!regular) return;
    if (hole >= 0) scratch.source[hole] = hole;
    warp.sync();
    int const pivot = lane < rows ? scratch.row_panel.columns[lane] : 0;
    ColumnMoves const moves(warp, pivot, rows, n - first, scratch.tails);
    hole = moves.hole;
    if (hole >= 0) scratch.source[hole] = moves.filler;
    if (lane >= rows) return;
    scratch.pivots[first + lane] = scratch.row_panel.pivots[lane];
    scratch.columns[first + lane] = pivot;
  }

  // The update: A3·W off the rows below the row panel, where they are, 8 rows per warp.

  /// Asks for the rows from `begin` on, which come while others are worked on.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int begin, int m) const {
    if (begin >= n) return;
    CARROLL_UNROLL
    for (int c = 0; c < Columns / 32; ++c) {
      int const j = 32 * c + warp.lane;
      if (j >= m) break;
      T const* at = &from(begin, j);
      CARROLL_UNROLL
      for (int r = 0; r < rows_at_once; ++r) {
        copy_async(&scratch.rows[warp_index][r][j], at);
        at += begin + r + 1 < n ? from.row_stride : 0;
      }
    }
  }

  KOKKOS_FUNCTION void update(int first) const {
    constexpr int apart = rows_at_once * W;
    for (int begin = first + rows_at_once * warp_index; begin < n; begin += apart)
      update_rows(begin, n - first, begin + apart);
  }

  /// Rows that have been asked for, and asks for those from `ahead` on.
  KOKKOS_FORCEINLINE_FUNCTION void update_rows(int begin, int rest, int ahead) const {
    int const quarter = warp.lane % 4;
    T const(&rows)[rows_at_once][rows_pitch] = scratch.rows[warp_index];
    wait_for_copies();
    warp.sync();
    T factors[R / 4];  // the rows' entries in the pivots' columns
    T held[tiles][2];
    {
      int const r = warp.lane / 4;
      T const scale = scratch.row_factor[Kokkos::min(begin + r, n - 1)];
      CARROLL_UNROLL
      for (int k = 0; k < R / 4; ++k)
        factors[k] = rows[r][scratch.row_panel.columns[4 * k + quarter]] * scale;
      T row_factor[2];
      CARROLL_UNROLL
      for (int h = 0; h < 2; ++h)
        row_factor[h] = scratch.row_factor[Kokkos::min(begin + 2 * quarter + h, n - 1)];
      CARROLL_UNROLL
      for (int t0 = 0; t0 < tiles; t0 += together) {
        if (8 * t0 >= rest) break;
        CARROLL_UNROLL
        for (int t = t0; t < t0 + together; ++t) {
          int const source = source_of(t, rest);
          CARROLL_UNROLL
          for (int h = 0; h < 2; ++h) held[t][h] = rows[2 * quarter + h][source] * row_factor[h];
        }
      }
    }
    warp.sync();  // all has been read that the next rows will overwrite
    fetch(ahead, rest + R);
    int largest[2] = {};
    T* at[2];
    CARROLL_UNROLL
    for (int h = 0; h < 2; ++h)
      at[h] = &to(Kokkos::min(begin + 2 * quarter + h, n - 1), warp.lane / 4);
    bool const is_row[2] = {begin + 2 * quarter < n, begin + 2 * quarter + 1 < n};
    CARROLL_UNROLL
    for (int t0 = 0; t0 < tiles; t0 += together) {
      if (8 * t0 >= rest) break;
      subtract(factors, t0, rest, held);
      CARROLL_UNROLL
      for (int t = t0; t < t0 + together; ++t) {
        bool const there = 8 * t + warp.lane / 4 < rest;
        CARROLL_UNROLL
        for (int h = 0; h < 2; ++h) {
          if (there && is_row[h]) *at[h] = held[t][h];
          at[h] += 8 * to.col_stride;
          largest[h] = Kokkos::max(largest[h], there ? magnitude(held[t][h]) : 0);
        }
      }
    }
    rescale_rows(begin, largest);
  }

  /// Where the lane's column of a tile has been so far. Columns that there are not are read, too,
  /// and count for nothing.
  KOKKOS_FORCEINLINE_FUNCTION int source_of(int t, int rest) const {
    return scratch.source[Kokkos::min(8 * t + warp.lane / 4, rest - 1)];
  }

  KOKKOS_FORCEINLINE_FUNCTION void subtract(T const (&factors)[R / 4], int t0, int rest,
                                            T (&held)[tiles][2]) const {
    T const* w[together];
    CARROLL_UNROLL
    for (int t = 0; t < together; ++t)
      w[t] = &scratch.W_rows[warp.lane % 4][source_of(t0 + t, rest)];
    CARROLL_UNROLL
    for (int k0 = 0; k0 < R; k0 += row_panel_terms) {
      T sum[together][2] = {};
      CARROLL_UNROLL
      for (int k = k0; k < k0 + row_panel_terms; k += 4) CARROLL_UNROLL
      for (int t = 0; t < together; ++t)
        add_warp_product(warp, w[t][k * pitch], factors[k / 4], sum[t]);
      CARROLL_UNROLL
      for (int t = 0; t < together; ++t) CARROLL_UNROLL
      for (int h = 0; h < 2; ++h) held[t0 + t][h] -= sum[t][h];
    }
  }

  // In the end.

  KOKKOS_FUNCTION void finish(Status status, int found, DeterminantInfo<T>& info) const {
    for (int t = warp_index; t * R < found; t += W) {
      int const rows = Kokkos::min(int{R}, found - t * R);
      int const pivot = warp.lane < rows ? scratch.columns[t * R + warp.lane] : 0;
      if (are_odd<R>(warp, pivot, rows, n - t * R) && warp.lane == 0)
        Kokkos::atomic_add(&scratch.odd, 1);
    }
    barrier();
    if (warp_index != 0) return;
    RowPanelState<T> state;
    state.take_pivots(warp, scratch.pivots, scratch.row_top, found, scratch.odd % 2 != 0);
    if (warp.lane == 0) info = state.info(status, scratch.scaling);
  }
};

}  // namespace carroll::detail
