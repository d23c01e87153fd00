// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// Copies from memory to scratch that a CUDA device makes on its own, past the registers.
namespace carroll::detail {

/// A value of 4, 8 or 16 bytes, of which the first `bytes` exist; the others become zeros. It is
/// there after wait_for_copies().
template <class T>
KOKKOS_INLINE_FUNCTION void copy_async(T* scratch, T const* memory, int bytes = sizeof(T)) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  auto const to = static_cast<unsigned>(__cvta_generic_to_shared(scratch));
  if constexpr (sizeof(T) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(memory), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(memory), "r"(bytes),
                 "n"(sizeof(T))
                 : "memory");
#else
  if (bytes == static_cast<int>(sizeof(T))) {
    *scratch = *memory;
    return;
  }
  auto const* const from = reinterpret_cast<unsigned char const*>(memory);
  auto* const to = reinterpret_cast<unsigned char*>(scratch);
  for (int i = 0; i < static_cast<int>(sizeof(T)); ++i)
    to[i] = i < bytes ? from[i] : static_cast<unsigned char>(0);
#endif
}

/// All copies of the calling lane; other lanes may read them after a barrier.
KOKKOS_INLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace carroll::detail
