// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/emulated/threads.hpp>
#include <cstdint>

/// See device/warp.hpp. On a host, and on devices without a backend of their own, a warp is one
/// lane, or, on hosts, 32 that take turns.
namespace carroll::detail {

template <class T>
KOKKOS_INLINE_FUNCTION T warp_shuffle(T x, [[maybe_unused]] int source) {
  KOKKOS_IF_ON_HOST(
      (if (auto* const threads = EmulatedThreads::running()) x = threads->from(x, source);))
  return x;
}
template <class T>
KOKKOS_INLINE_FUNCTION T warp_shuffle_xor(T x, int lane, int step) {
  return warp_shuffle(x, lane ^ step);
}
KOKKOS_INLINE_FUNCTION std::uint32_t warp_ballot(bool yes) {
  KOKKOS_IF_ON_HOST(
      (if (auto* const threads = EmulatedThreads::running()) return threads->ballot(yes);))
  return yes ? 1 : 0;
}
KOKKOS_INLINE_FUNCTION int warp_max(int x, int /*lane*/) {
  KOKKOS_IF_ON_HOST((if (auto* const threads = EmulatedThreads::running()) x = threads->max(x);))
  return x;
}
KOKKOS_INLINE_FUNCTION std::uint32_t warp_or(std::uint32_t x, int /*lane*/) {
  KOKKOS_IF_ON_HOST(
      (if (auto* const threads = EmulatedThreads::running()) x = threads->any_bits(x);))
  return x;
}
KOKKOS_INLINE_FUNCTION void warp_barrier() {
  KOKKOS_IF_ON_HOST(
      (if (auto* const threads = EmulatedThreads::running()) threads->wait_for_warp();))
}

}  // namespace carroll::detail
