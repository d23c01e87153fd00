// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/scattered_sums.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// Sums by a whole team whose order does not depend on the team: a range is cut in a fixed number
/// of slots, each of which the lanes of one thread sum.
namespace carroll::detail {

/// Slots of a team that has at most a thread for each; the bounds of its kernel.
inline constexpr int team_slots = 32;
template <class ExecSpace>
struct SlotsKernel {
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<team_slots * lanes<ExecSpace>, 1>>;
};

/// Where slot s of `slots` begins in a range of `count`.
KOKKOS_INLINE_FUNCTION int slot_begin(int count, int slots, int s) {
  return static_cast<int>(static_cast<std::int64_t>(count) * s / slots);
}

/// The sums of all lanes' x, on every lane: on CUDA from register to register.
template <class ExecSpace, int K, class Member>
KOKKOS_INLINE_FUNCTION Sums<double, K> total_of_lanes(Member const& team,
                                                      Sums<double, K> const& x) {
  Sums<double, K> sum = x;
  if constexpr (has_warps<ExecSpace>) {
    DeviceWarp const warp = warp_of_lanes(team);
    butterfly_up<1, 32>([&](int step) {
      for (int k = 0; k < K; ++k) sum.value[k] += warp.from(sum.value[k], warp.lane ^ step);
    });
  } else {
    sum = lane_sums<double, K>(team, 32, [&](int) { return x; });
  }
  return sum;
}

/// Σ f(i) for 0 <= i < n, K sums in one pass; every lane of the calling thread gets them.
template <class ExecSpace, int K, class Member, class F>
KOKKOS_INLINE_FUNCTION Sums<double, K> slot_sums([[maybe_unused]] Member const& team, int n,
                                                 F const& f) {
  Sums<double, K> sums;
  KOKKOS_IF_ON_HOST((sums = unrolled_sums<double, K>(n, f);))
  KOKKOS_IF_ON_DEVICE((lane_for(team, n, [&](int i) { sums += f(i); });
                       sums = total_of_lanes<ExecSpace, K>(team, sums);))
  return sums;
}

/// Σ f(i) for 0 <= i < n, K sums in one pass, and put(k, sum) for each of them, by one lane of the
/// calling thread. On CUDA they are dealt out to the lanes, which takes fewer exchanges.
template <class ExecSpace, int K, class Member, class F, class Put>
KOKKOS_INLINE_FUNCTION void put_sums(Member const& team, int n, F const& f, Put const& put) {
  if constexpr (has_warps<ExecSpace>) {
    DeviceWarp const warp = warp_of_lanes(team);
    Sums<double, K> sums;
    for (int i = warp.lane; i < n; i += 32) sums += f(i);
    ScatteredSums<K>(warp, sums).for_each(put);
  } else {
    auto const sums = slot_sums<ExecSpace, K>(team, n, f);
    once_per_thread(team, [&] {
      for (int k = 0; k < K; ++k) put(k, sums.value[k]);
    });
  }
}

/// The K sums of what the slots have left, f(s) of slot s; every lane of the calling thread gets
/// them.
template <class ExecSpace, int Slots, int K, class Member, class F>
KOKKOS_INLINE_FUNCTION Sums<double, K> sums_of_slots([[maybe_unused]] Member const& team,
                                                     F const& f) {
  static_assert(Slots <= 32);
  Sums<double, K> sums;
  KOKKOS_IF_ON_HOST((for (int s = 0; s < Slots; ++s) sums += f(s);))
  KOKKOS_IF_ON_DEVICE((lane_for(team, Slots, [&](int s) { sums = f(s); });
                       sums = total_of_lanes<ExecSpace, K>(team, sums);))
  return sums;
}

}  // namespace carroll::detail
