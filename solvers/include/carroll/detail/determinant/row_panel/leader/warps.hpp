// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/threads.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// Barriers of a leader team. The first one is of the warps that condense; all others are told by
/// one side and waited for by the other, so that nobody waits for the same one at two places of the
/// code, which compute-sanitizer's synccheck takes for an error. None is 0, the whole team's own.
struct LeaderBarrier {
  static constexpr int own = 1;
  static constexpr int brought = 2;  ///< the next row panel's rows are in scratch
  static constexpr int condensed =
      3;                           ///< a row panel, and whoever condenses has seen what was brought
  static constexpr int moved = 4;  ///< what columns the next row panel has
  static constexpr int left = 5;   ///< W is in memory
  static constexpr int read = 6;   ///< the next row panel's rows: they may be overwritten
};

/// The warps of a leader team that condense: all but the last one, with a barrier of their own.
template <int W>
struct LeaderWarps {};
template <int W>
struct RowPanelThreads<LeaderWarps<W>> {
  static constexpr int warps = W;
  int thread;
  DeviceWarp warp;
  int warp_index;

  KOKKOS_FUNCTION explicit RowPanelThreads(int t) : thread(t), warp{t % 32}, warp_index(t / 32) {}
  KOKKOS_FUNCTION static constexpr int size() { return 32 * W; }
  KOKKOS_FORCEINLINE_FUNCTION int column(int c) const { return c * size() + thread; }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { named_barrier<LeaderBarrier::own, 32 * W>(); }
};

}  // namespace carroll::detail
