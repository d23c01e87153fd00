// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// What becomes of m columns when `count` <= 32 of them held pivots: the first m - count remain,
/// the rest is forgotten. A pivot's column among the first is a hole, which a column from behind
/// fills, in ascending order of these, and in that in which the pivots were found, so that nothing
/// else moves. One lane's share of it, with one warp.
struct ColumnMoves {
  int hole = -1;    ///< the column that this lane's pivot leaves behind, or -1
  int filler = -1;  ///< what fills it

  /// `pivot`: the column of the lane's pivot; `tail`: room for count columns, of this warp.
  KOKKOS_FUNCTION ColumnMoves(DeviceWarp const& warp, int pivot, int count, int m, int* tail) {
    int const rest = m - count;
    bool const used = warp.lane < count;
    bool const is_hole = used && pivot < rest;
    std::uint32_t const one = 1;
    std::uint32_t const before = (one << warp.lane) - 1;
    std::uint32_t const taken =
        warp.any_bits(used && pivot >= rest ? one << (pivot - rest) : std::uint32_t{0});
    std::uint32_t const holes = warp.ballot(is_hole);
    std::uint32_t const free = warp.ballot(used && (taken >> warp.lane & 1) == 0);
    if (free >> warp.lane & 1) tail[Kokkos::popcount(free & before)] = rest + warp.lane;
    warp.sync();
    if (!is_hole) return;
    hole = pivot;
    filler = tail[Kokkos::popcount(holes & before)];
  }
};

/// Is (pivots in their order, remaining columns where ColumnMoves puts them) an odd permutation? To
/// all lanes of one warp; arguments as there, count <= R.
template <int R>
KOKKOS_INLINE_FUNCTION bool are_odd(DeviceWarp const& warp, int pivot, int count, int m) {
  int const rest = m - count;
  bool const used = warp.lane < count;
  bool const is_hole = used && pivot < rest;
  int less = 0, greater_before = 0, holes = 0, greater_holes_before = 0;
  CARROLL_UNROLL
  for (int l = 0; l < R; ++l) {
    int const other = warp.from(pivot, l);
    bool const greater_one_before = l < warp.lane && other > pivot;
    if (l >= count) continue;
    less += other < pivot ? 1 : 0;
    holes += other < rest ? 1 : 0;
    greater_before += greater_one_before ? 1 : 0;
    greater_holes_before += greater_one_before && other < rest ? 1 : 0;
  }
  // Inversions: a pivot passes all smaller columns that stay and all greater pivots before it; a
  // filler passes the columns between its hole and the last that stays, and fillers pass others
  // that belong behind them.
  int inversions = used ? pivot - less + greater_before : 0;
  if (is_hole) inversions += rest - 1 - pivot - (holes - 1 - less) + greater_holes_before;
  return Kokkos::popcount(warp.ballot(inversions % 2 != 0)) % 2 != 0;
}

}  // namespace carroll::detail
