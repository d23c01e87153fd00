// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>

/// Columns of a matrix in the registers of a team, for devices with warps.
///
/// A tile is C columns. Thread t of the T threads that share it holds rows t, t + T, t + 2T, …, so
/// that a column is read and written without gaps. Every sum over rows is formed within threads
/// first, then within warps by halving, then over the warps in their order. T depends on the number
/// of rows alone; so do the bits.
namespace carroll::detail {

template <class Real, int C, int R>
struct Tile {
  Real x[C][R];
};

/// The threads that share a tile.
struct TileThreads {
  int thread;  ///< those past 32·warps hold no rows
  int warps;
  KOKKOS_FUNCTION int lane() const { return thread % 32; }
  KOKKOS_FUNCTION int warp() const { return thread / 32; }
  KOKKOS_FUNCTION bool holds_rows() const { return thread < 32 * warps; }
  /// The row in register r.
  KOKKOS_FUNCTION int row(int r) const { return thread + 32 * warps * r; }
  /// The thread that holds a row, and in which register.
  KOKKOS_FUNCTION int owner(int row) const { return row % (32 * warps); }
  KOKKOS_FUNCTION int place(int row) const { return row / (32 * warps); }
};

/// Rows per thread of all tiles but the sweeps' on short columns.
inline constexpr int tile_rows_per_thread = 4;

/// Warps that share a tile of this many rows.
KOKKOS_INLINE_FUNCTION constexpr int tile_warps(int rows) {
  constexpr int rows_per_warp = 32 * tile_rows_per_thread;
  return rows <= rows_per_warp ? 1 : (rows + rows_per_warp - 1) / rows_per_warp;
}

/// N sums over the 32 lanes of a warp: the lane gets the one with index lane / (32 / N). A value
/// crosses between lanes N - 1 + log₂(32 / N) times instead of 5·N times.
template <int N, int distance = 16, class Real>
KOKKOS_INLINE_FUNCTION Real scattered_sums(Real const (&v)[N], int lane) {
  DeviceWarp const warp{lane};
  if constexpr (N == 1) {
    Real sum = v[0];
    CARROLL_UNROLL
    for (int d = distance; d > 0; d /= 2) sum += warp.from(sum, lane ^ d);
    return sum;
  } else {
    bool const upper = lane & distance;
    Real kept[N / 2];
    CARROLL_UNROLL
    for (int k = 0; k < N / 2; ++k) {
      Real const mine = upper ? v[k + N / 2] : v[k];
      kept[k] = mine + warp.from(upper ? v[k] : v[k + N / 2], lane ^ distance);
    }
    return scattered_sums<N / 2, distance / 2>(kept, lane);
  }
}

/// Scattered sums over all warps that share a tile. The team calls it together; `parts` are
/// 2·N·warps entries of scratch, used in turn so that one barrier a sum is enough.
template <class Member, class Real>
class TileSums {
 public:
  KOKKOS_FUNCTION TileSums(Member const& team, TileThreads const& threads, Real* parts)
      : team_(team), threads_(threads), parts_(parts) {}

  KOKKOS_FUNCTION static constexpr int parts(int most_sums, int warps) {
    return warps > 1 ? 2 * most_sums * warps : 0;
  }

  template <int N>
  KOKKOS_FUNCTION Real operator()(Real const (&v)[N]) {
    constexpr int group = 32 / N;
    int const lane = threads_.lane();
    Real sum = scattered_sums<N>(v, lane);
    if (threads_.warps == 1) return sum;
    Real* const mine = parts_ + turn_ * N * threads_.warps;
    turn_ ^= 1;
    if (threads_.holds_rows() && lane % group == 0) mine[threads_.warp() * N + lane / group] = sum;
    team_.team_barrier();
    sum = 0;
    for (int w = 0; w < threads_.warps; ++w) sum += mine[w * N + lane / group];
    return sum;
  }

 private:
  Member const& team_;
  TileThreads threads_;
  Real* parts_;
  int turn_ = 0;
};

/// x.from a function of (row, column of the tile); 0 outside the matrix.
template <class Real, int C, int R, class Entry>
KOKKOS_INLINE_FUNCTION void load_tile(TileThreads const& threads, Tile<Real, C, R>& tile, int rows,
                                      int cols, Entry const& entry) {
  CARROLL_UNROLL
  for (int c = 0; c < C; ++c) CARROLL_UNROLL
  for (int r = 0; r < R; ++r) {
    int const i = threads.row(r);
    tile.x[c][r] = threads.holds_rows() && i < rows && c < cols ? entry(i, c) : Real(0);
  }
}

template <class Real, int C, int R, class Write>
KOKKOS_INLINE_FUNCTION void store_tile(TileThreads const& threads, Tile<Real, C, R> const& tile,
                                       int rows, int cols, Write const& write) {
  CARROLL_UNROLL
  for (int c = 0; c < C; ++c) CARROLL_UNROLL
  for (int r = 0; r < R; ++r) {
    int const i = threads.row(r);
    if (threads.holds_rows() && i < rows && c < cols) write(i, c, tile.x[c][r]);
  }
}

}  // namespace carroll::detail
