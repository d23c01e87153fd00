// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
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
