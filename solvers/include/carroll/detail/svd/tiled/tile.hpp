// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/unroll.hpp>

/// Columns of a matrix in the registers of a warp.
///
/// A tile is C columns; lane l holds rows l, l + 32, l + 64, …, so that a column is read and
/// written without gaps. Every sum over rows is formed within lanes first, then over them by
/// halving.
namespace carroll::detail {

template <class Real, int C, int R>
struct Tile {
  Real x[C][R];
};

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

/// From a function of (row, column of the tile); 0 outside the matrix.
template <class Real, int C, int R, class Entry>
KOKKOS_INLINE_FUNCTION void load_tile(int lane, Tile<Real, C, R>& tile, int rows, int cols,
                                      Entry const& entry) {
  CARROLL_UNROLL
  for (int c = 0; c < C; ++c) CARROLL_UNROLL
  for (int r = 0; r < R; ++r) {
    int const i = lane + 32 * r;
    tile.x[c][r] = i < rows && c < cols ? entry(i, c) : Real(0);
  }
}

template <class Real, int C, int R, class Write>
KOKKOS_INLINE_FUNCTION void store_tile(int lane, Tile<Real, C, R> const& tile, int rows, int cols,
                                       Write const& write) {
  CARROLL_UNROLL
  for (int c = 0; c < C; ++c) CARROLL_UNROLL
  for (int r = 0; r < R; ++r) {
    int const i = lane + 32 * r;
    if (i < rows && c < cols) write(i, c, tile.x[c][r]);
  }
}

}  // namespace carroll::detail
