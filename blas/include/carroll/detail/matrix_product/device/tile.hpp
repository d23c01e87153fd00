// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::detail {

/// How a team of a device computes a tile of C: its extents, terms in scratch at a time and how
/// many such stages there are; lanes of a warp along rows (the others are along columns), a
/// thread's block of sums; warps along rows; tiles of a team, each of another member; and how many
/// teams registers must allow side by side.
template <int Rows, int Cols, int Depth, int Stages, int LaneRows, int ThreadRows, int ThreadCols,
          int TeamsAtOnce, int Tiles = 1>
struct RegisterTile {
  static constexpr int rows = Rows, cols = Cols, depth = Depth, stages = Stages;
  static constexpr int thread_rows = ThreadRows, thread_cols = ThreadCols;
  static constexpr int threads = (Rows / ThreadRows) * (Cols / ThreadCols);  ///< of one tile
  static constexpr int lanes = threads < 32 ? threads : 32;
  static constexpr int lane_rows = LaneRows, lane_cols = lanes / LaneRows;
  static constexpr int warp_rows = LaneRows * ThreadRows, warp_cols = lane_cols * ThreadCols;
  static constexpr int tiles = Tiles, teams_at_once = TeamsAtOnce;
  static_assert(Rows % warp_rows == 0 && Cols % warp_cols == 0 && lane_cols % 2 == 0);
};

/// The same for tensor cores: a warp's block of sums.
template <int Rows, int Cols, int Depth, int Stages, int WarpRows, int WarpCols, int TeamsAtOnce>
struct TensorTile {
  static constexpr int rows = Rows, cols = Cols, depth = Depth, stages = Stages;
  static constexpr int warp_rows = WarpRows, warp_cols = WarpCols;
  static constexpr int threads = 32 * (Rows / WarpRows) * (Cols / WarpCols);
  static constexpr int tiles = 1, teams_at_once = TeamsAtOnce;
};

/// What teams do, item by item: a tile of a member, or of some, and a part of the sum. Tiles follow
/// one another in bands of 16 rows of tiles, so that those that run side by side share what they
/// read.
struct TileGrid {
  int tile_rows, tile_cols, parts, members;

  struct Place {
    int row, col, part, member;
  };
  KOKKOS_FUNCTION Place place(int item) const {
    int const tiles = tile_rows * tile_cols;
    int const tile = item % tiles, rest = item / tiles;
    int const band = tile / (band_rows * tile_cols) * band_rows;
    int const rows = Kokkos::min(int{band_rows}, tile_rows - band);
    int const in_band = tile - band * tile_cols;
    return {band + in_band % rows, in_band / rows, rest % parts, rest / parts};
  }
  [[nodiscard]] KOKKOS_FUNCTION int items() const {
    return tile_rows * tile_cols * parts * members;
  }

 private:
  static constexpr int band_rows = 16;
};

}  // namespace carroll::detail
