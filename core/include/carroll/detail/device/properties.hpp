// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

/// What a device has of what kernels share: asked of the backend where there is one.
namespace carroll::detail {

#ifdef KOKKOS_ENABLE_CUDA
inline cudaDeviceProp const& properties_of(Kokkos::Cuda const& exec) {
  return exec.cuda_device_prop();
}
#endif

/// Multiprocessors; on devices without a backend about as many, on hosts 1.
template <class ExecSpace>
int processors([[maybe_unused]] ExecSpace const& exec) {
  constexpr int threads_of_processor = 2048;
  if constexpr (has_warps<ExecSpace>)
    return properties_of(exec).multiProcessorCount;
  else
    return lanes<ExecSpace> == 1 ? 1 : std::max(exec.concurrency() / threads_of_processor, 1);
}
/// Bytes of scratch of one of them.
template <class ExecSpace>
std::size_t scratch_of_processor([[maybe_unused]] ExecSpace const& exec) {
  if constexpr (has_warps<ExecSpace>) return properties_of(exec).sharedMemPerMultiprocessor;
  return 0;
}
/// Bytes of the cache that all of them share.
template <class ExecSpace>
std::size_t shared_cache([[maybe_unused]] ExecSpace const& exec) {
  if constexpr (has_warps<ExecSpace>) return properties_of(exec).l2CacheSize;
  return 0;
}
/// Are there tensor cores for double precision that are faster than the other units? Of CUDA
/// devices those for data centres have them, of compute capability 8.0, 9.0 and 10.0.
template <class ExecSpace>
bool has_double_tensors([[maybe_unused]] ExecSpace const& exec) {
  if constexpr (has_warps<ExecSpace>) {
    auto const& device = properties_of(exec);
    return device.major >= 8 && device.major <= 10 && device.minor == 0;
  }
  return false;
}

}  // namespace carroll::detail
