// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// The threads of a team, by their lanes and warps.
template <class Member>
struct RowPanelThreads {
  Member const& team;
  int thread;
  DeviceWarp warp;
  int warp_index;
  int warps;

  KOKKOS_FUNCTION explicit RowPanelThreads(Member const& member)
      : team(member),
        thread(opaque_register(member.team_rank())),
        warp{thread % 32},
        warp_index(thread / 32),
        warps(member.team_size() / 32) {}
  KOKKOS_FUNCTION int size() const { return 32 * warps; }
  /// Where this thread's c-th column stands.
  KOKKOS_FORCEINLINE_FUNCTION int column(int c) const { return c * size() + thread; }
  /// team_barrier without its branches, which are felt between steps of some 300 cycles.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { fast_team_barrier(team); }
  /// A barrier, and whether all threads say yes.
  KOKKOS_FORCEINLINE_FUNCTION bool all(bool yes) const { return all_of_team(team, yes); }
};

}  // namespace carroll::detail
