// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/team.hpp>
#include <cstdint>

/// Sums by a whole team whose order does not depend on the team: a range is cut in a fixed number
/// of slots, each of which the lanes of one thread sum.
namespace carroll::detail {

/// Where slot s of `slots` begins in a range of `count`.
KOKKOS_INLINE_FUNCTION int slot_begin(int count, int slots, int s) {
  return static_cast<int>(static_cast<std::int64_t>(count) * s / slots);
}

/// The sum of what the slots have left; every lane of the calling thread gets it.
template <int Slots, class Member, class F>
KOKKOS_INLINE_FUNCTION double sum_of_slots([[maybe_unused]] Member const& team, F const& f) {
  double sum = 0;
  KOKKOS_IF_ON_HOST((for (int s = 0; s < Slots; ++s) sum += f(s);))
  KOKKOS_IF_ON_DEVICE((sum = lane_sum<double>(team, Slots, f);))
  return sum;
}

}  // namespace carroll::detail
