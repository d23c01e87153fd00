// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <cstdint>

#ifdef CARROLL_CUDA_PASS
/// See device/warp.hpp.
namespace carroll::detail {

inline constexpr unsigned all_lanes = 0xffffffffU;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T warp_shuffle(T x, int source) {
  return __shfl_sync(all_lanes, x, source);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T warp_shuffle_xor(T x, int /*lane*/, int step) {
  return __shfl_xor_sync(all_lanes, x, step);
}
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t warp_ballot(bool yes) {
  return __ballot_sync(all_lanes, yes);
}
KOKKOS_FORCEINLINE_FUNCTION int warp_max(int x, [[maybe_unused]] int lane) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(all_lanes, x);
#else
  for (int step = 1; step < 32; step *= 2) x = Kokkos::max(x, warp_shuffle(x, lane ^ step));
  return x;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t warp_or(std::uint32_t x, [[maybe_unused]] int lane) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(all_lanes, x);
#else
  for (int step = 1; step < 32; step *= 2) x |= warp_shuffle(x, lane ^ step);
  return x;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void warp_barrier() {
  __syncwarp();
}

}  // namespace carroll::detail
#endif
