// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/device/warp.hpp>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/threads.hpp>
#else
#include <carroll/detail/device/emulated/threads_of_team.hpp>
#endif

/// The threads of a team: which warp and lane the calling one is, and barriers.
///
///   vector_lane(team)            the calling thread's, where a team thread is a warp of 32 lanes
///   fast_team_barrier(team)      without what Kokkos asks first, which is felt between steps
///                                of some 300 cycles
///   all_of_team(team, yes)       the same, and whether all threads say yes
///   named_barrier<N, T>()        waits for T threads, some warps of a team, by a number N from 0,
///                                the team's own, to 15; what they wrote may be read behind it
///   named_arrival<N, T>()        is counted there, and waits for nobody
namespace carroll::detail {

/// In a team of 32·W threads with registers of their own: TeamLaunch with 1 lane.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION DeviceWarp warp_of_threads(Member const& team) {
  return {team.team_rank() % 32};
}
/// In a team of W threads of 32 lanes, by the loop over lanes that Kokkos has: kernels have been
/// tuned with what a compiler makes of it. vector_lane() is the same number without a loop.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION DeviceWarp warp_of_lanes(Member const& team) {
  DeviceWarp warp{0};
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 32), [&](int lane) { warp.lane = lane; });
  return warp;
}

}  // namespace carroll::detail
