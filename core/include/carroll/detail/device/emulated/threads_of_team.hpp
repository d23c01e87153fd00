// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/emulated/threads.hpp>

/// See device/threads.hpp.
namespace carroll::detail {

template <class Member>
KOKKOS_INLINE_FUNCTION int vector_lane(Member const& team) {
  int own = 0;
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 32), [&](int lane) { own = lane; });
  return own;
}
template <class Member>
KOKKOS_INLINE_FUNCTION void fast_team_barrier(Member const& team) {
  team.team_barrier();
}
template <class Member>
KOKKOS_INLINE_FUNCTION bool all_of_team(Member const& team, bool yes) {
  KOKKOS_IF_ON_HOST(
      (if (auto* const threads = EmulatedThreads::running()) return threads->all_of_team(yes);))
  team.team_barrier();
  return yes;
}
template <int Number, int Threads>
KOKKOS_INLINE_FUNCTION void named_barrier() {
  KOKKOS_IF_ON_HOST((if (auto* const threads = EmulatedThreads::running())
                         threads->named_barrier(Number, Threads, false);))
}
template <int Number, int Threads>
KOKKOS_INLINE_FUNCTION void named_arrival() {
  KOKKOS_IF_ON_HOST((if (auto* const threads = EmulatedThreads::running())
                         threads->named_barrier(Number, Threads, true);))
}

}  // namespace carroll::detail
