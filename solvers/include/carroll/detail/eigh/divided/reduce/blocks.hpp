// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

namespace carroll::detail {

/// Blocks of side×side tiles along a side of a triangle that is `across` tiles high, and the teams
/// that share all of them: see ReduceShare.
KOKKOS_INLINE_FUNCTION constexpr int reduce_blocks(int side, int across) {
  return (across + side - 1) / side;
}
KOKKOS_INLINE_FUNCTION constexpr int reduce_teams(int side, int across) {
  int const high = reduce_blocks(side, across);
  return high * (high - 1) / 2 + (high + 1) / 2;
}

}  // namespace carroll::detail
