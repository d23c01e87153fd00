// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/reduce/blocks.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>

namespace carroll::detail {

/// A team's tiles of what is left of a triangle, in blocks of Side×Side that are counted from its
/// end: one below the diagonal, or two neighbours on it. Either way they are in the rows and
/// columns of 2·Side groups of 32, its slots.
template <int Side>
struct ReduceShare {
  static constexpr int slots = 2 * Side, on_one = Side * (Side + 1) / 2;
  static constexpr int tiles_each = 2 * on_one;  ///< at most

  bool on_diagonal;

  /// Of a triangle that is so many tiles high.
  KOKKOS_FUNCTION static constexpr int teams(int across) { return reduce_teams(Side, across); }

  /// Team `number` of the tiles in rows and columns `begin` to `past` - 1.
  KOKKOS_FUNCTION ReduceShare(int number, int begin, int past) {
    int const high = reduce_blocks(Side, past - begin), below = high * (high - 1) / 2;
    on_diagonal = number >= below;
    int row = 2 * (number - below), column = row + 1;  // from the end
    if (!on_diagonal) {
      TileIndex const at(number);
      row = at.column;
      column = at.row + 1;
    }
    rows_ = past - (row + 1) * Side;
    columns_ = column < high || !on_diagonal ? past - (column + 1) * Side : -Side;
    past_ = (on_diagonal ? rows_ : columns_) + Side;
  }

  /// Has it tiles in columns of them from `begin` on?
  KOKKOS_FUNCTION bool has_columns(int begin) const { return past_ > begin; }

  /// Negative: none.
  KOKKOS_FUNCTION int group(int slot) const {
    return slot < Side ? rows_ + slot : columns_ + slot - Side;
  }

  /// Tiles that it has, or had.
  KOKKOS_FUNCTION int tiles() const { return on_diagonal ? tiles_each : Side * Side; }
  KOKKOS_FUNCTION int slot_of_row(int tile) const {
    return on_diagonal ? tile / on_one * Side + TileIndex(tile % on_one).row : tile / Side;
  }
  KOKKOS_FUNCTION int slot_of_column(int tile) const {
    return on_diagonal ? tile / on_one * Side + TileIndex(tile % on_one).column
                       : Side + tile % Side;
  }

 private:
  int rows_, columns_, past_;
};

}  // namespace carroll::detail
