// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/device/cuda/scratch.hpp>

#ifdef CARROLL_CUDA_PASS
/// See device/copies/async_copy.hpp. Of devices of compute capability 8.0 and later.
namespace carroll::detail {

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_async(T* scratch, T const* memory, int bytes) {
  auto const to = scratch_address(scratch);
  if constexpr (sizeof(T) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(memory), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(memory), "r"(bytes),
                 "n"(sizeof(T))
                 : "memory");
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_async_if(bool yes, T* scratch, T const* memory) {
  auto const to = scratch_address(scratch);
  if constexpr (sizeof(T) == 16)
    asm volatile(
        "{\n .reg .pred yes;\n setp.ne.s32 yes, %2, 0;\n"
        " @yes cp.async.cg.shared.global [%0], [%1], 16;\n}" ::"r"(to),
        "l"(memory), "r"(static_cast<int>(yes))
        : "memory");
  else
    asm volatile(
        "{\n .reg .pred yes;\n setp.ne.s32 yes, %2, 0;\n"
        " @yes cp.async.ca.shared.global [%0], [%1], %3;\n}" ::"r"(to),
        "l"(memory), "r"(static_cast<int>(yes)), "n"(sizeof(T))
        : "memory");
}
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
KOKKOS_FORCEINLINE_FUNCTION void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int but>
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copy_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(but) : "memory");
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_row_async(T* scratch, void const* memory, int bytes) {
  static_assert(sizeof(T) == 16);
  if (bytes == static_cast<int>(sizeof(T)))
    asm volatile(
        "cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(scratch_address(scratch)),
        "l"(memory)
        : "memory");
  else
    asm volatile(
        "cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(scratch_address(scratch)),
        "l"(memory), "r"(bytes)
        : "memory");
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_passing_row_async(T* scratch, void const* memory) {
  static_assert(sizeof(T) == 16);
  asm volatile(
      "{\n .reg .b64 policy;\n createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
      " cp.async.cg.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, policy;\n}" ::"r"(
          scratch_address(scratch)),
      "l"(memory)
      : "memory");
}

}  // namespace carroll::detail
#endif
