// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// Barriers of a part of a team, on CUDA: some warps of it, `Threads` in all, by a number from 0,
/// which is the team's own, to 15.
namespace carroll::detail {

/// Waits for all of them; what they wrote to scratch or memory before may be read behind it.
template <int Number, int Threads>
KOKKOS_FORCEINLINE_FUNCTION void named_barrier() {
  KOKKOS_IF_ON_DEVICE((asm volatile("bar.sync %0, %1;" ::"n"(Number), "n"(Threads) : "memory");))
}
/// Is counted, and waits for nobody.
template <int Number, int Threads>
KOKKOS_FORCEINLINE_FUNCTION void named_arrival() {
  KOKKOS_IF_ON_DEVICE((asm volatile("bar.arrive %0, %1;" ::"n"(Number), "n"(Threads) : "memory");))
}

}  // namespace carroll::detail
