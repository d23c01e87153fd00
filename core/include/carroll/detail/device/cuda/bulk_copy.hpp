// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/device/cuda/scratch.hpp>

#if defined(CARROLL_CUDA_PASS) && __CUDA_ARCH__ >= 900
/// What device/bulk_copies.hpp is made of: copies by the tensor memory accelerator and the barrier
/// in scratch that counts what has arrived.
namespace carroll::detail {

KOKKOS_FORCEINLINE_FUNCTION void init_arrivals(unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(arrivals));
}
KOKKOS_FORCEINLINE_FUNCTION void order_before_bulk_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
KOKKOS_FORCEINLINE_FUNCTION void expect_bytes(unsigned arrivals, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrivals), "r"(bytes)
               : "memory");
}
KOKKOS_FORCEINLINE_FUNCTION void copy_bulk(void* scratch, void const* memory, int bytes,
                                           unsigned arrivals) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(scratch_address(scratch)),
      "l"(memory), "r"(bytes), "r"(arrivals)
      : "memory");
}
KOKKOS_FORCEINLINE_FUNCTION void wait_for_phase(unsigned arrivals, unsigned phase) {
  asm volatile(
      "{\n .reg .pred p;\nwaiting:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      " @!p bra waiting;\n}" ::"r"(arrivals),
      "r"(phase)
      : "memory");
}

}  // namespace carroll::detail
#endif
