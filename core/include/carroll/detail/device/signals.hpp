// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <cstddef>
#include <cstdint>

/// For kernels whose teams run beside one another: how many can, and what they tell each other
/// through memory, beyond what warp.hpp has.
namespace carroll::detail {

/// Multiprocessors of a device with warps, and bytes of scratch that one of them has.
template <class ExecSpace>
int processors([[maybe_unused]] ExecSpace const& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (has_warps<ExecSpace>) return exec.cuda_device_prop().multiProcessorCount;
#endif
  return 1;
}
template <class ExecSpace>
std::size_t scratch_of_processor([[maybe_unused]] ExecSpace const& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (has_warps<ExecSpace>) return exec.cuda_device_prop().sharedMemPerMultiprocessor;
#endif
  return 0;
}

/// Adds to a count that others wait for; returns what it was. Who counts on from there may read
/// what those wrote who had counted before.
KOKKOS_INLINE_FUNCTION int fetch_add_acq_rel(int* count, int more) {
  KOKKOS_IF_ON_DEVICE((int x; asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], %2;"
                                           : "=r"(x)
                                           : "l"(count), "r"(more)
                                           : "memory");
                       return x;))
  KOKKOS_IF_ON_HOST((int const x = *count; *count += more; return x;))
}

/// A word that others wait for, 0 until then: what the team wrote before a barrier and the release,
/// they may read after an acquire that sees it and a barrier.
KOKKOS_INLINE_FUNCTION void release([[maybe_unused]] std::uint64_t* to,
                                    [[maybe_unused]] std::uint64_t word) {
  KOKKOS_IF_ON_DEVICE((asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word)
                                    : "memory");))
  KOKKOS_IF_ON_HOST((*to = word;))
}
KOKKOS_INLINE_FUNCTION std::uint64_t acquire([[maybe_unused]] std::uint64_t const* word) {
  KOKKOS_IF_ON_DEVICE((std::uint64_t x; asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
                                                     : "=l"(x)
                                                     : "l"(word)
                                                     : "memory");
                       return x;))
  KOKKOS_IF_ON_HOST((return *word;))
}

}  // namespace carroll::detail
