// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <cstdint>

namespace carroll::detail {

/// The bits that any lane has.
KOKKOS_INLINE_FUNCTION std::uint32_t any_bits(DeviceWarp const& warp, std::uint32_t x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(0xffffffffU, x);
#else
  for (int step = 1; step < 32; step *= 2) x |= warp.from(x, warp.lane ^ step);
  return x;
#endif
}

}  // namespace carroll::detail
