// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/warp.hpp>

namespace carroll::detail {

KOKKOS_INLINE_FUNCTION int count_bits(std::uint32_t x) {
  KOKKOS_IF_ON_DEVICE((return __popc(x);))
  KOKKOS_IF_ON_HOST((return x != 0 ? 1 : 0;))
}

/// What becomes of m columns when `count` <= 32 of them held pivots: the first m - count remain,
/// the rest is forgotten. A pivot's column among the first is a hole, which a column from behind
/// fills; holes and fillers go together in ascending order, so that nothing else moves. One lane's
/// share of it, with one warp.
struct ColumnMoves {
  int hole = -1;    ///< the column that this lane's pivot leaves behind, or -1
  int filler = -1;  ///< what fills it
  bool odd;         ///< is (pivots in their order, remaining columns) an odd permutation?

  /// `pivots`: the columns of the pivots; `tail`: room for count columns, of this warp.
  KOKKOS_FUNCTION ColumnMoves(DeviceWarp const& warp, int const* pivots, int count, int m,
                              int* tail) {
    int const rest = m - count;
    bool const used = warp.lane < count;
    int const p = used ? pivots[warp.lane] : 0;
    int less = 0, greater_before = 0;
    bool taken = false;  // is column rest + lane a pivot's?
    for (int l = 0; l < count; ++l) {
      int const other = pivots[l];
      less += other < p ? 1 : 0;
      greater_before += l < warp.lane && other > p ? 1 : 0;
      taken = taken || other == rest + warp.lane;
    }
    std::uint32_t const holes = warp.ballot(used && p < rest);
    std::uint32_t const free = warp.ballot(used && !taken);
    std::uint32_t const before = (std::uint32_t{1} << warp.lane) - 1;
    if (used && !taken) tail[count_bits(free & before)] = rest + warp.lane;
    warp.sync();
    // Inversions: a pivot passes all smaller columns that stay and all greater pivots before it; a
    // filler passes the columns between its hole and the last that stays.
    int inversions = used ? p - less + greater_before : 0;
    if (used && p < rest) {
      hole = p;
      filler = tail[less];
      inversions += rest - 1 - p - (count_bits(holes) - 1 - less);
    }
    odd = count_bits(warp.ballot(inversions % 2 != 0)) % 2 != 0;
  }
};

}  // namespace carroll::detail
