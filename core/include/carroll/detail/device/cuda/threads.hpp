// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>

#ifdef CARROLL_CUDA_PASS
/// See device/threads.hpp. Kokkos' lanes are CUDA's threads x, its team threads are threads y.
namespace carroll::detail {

template <class Member>
KOKKOS_FORCEINLINE_FUNCTION int vector_lane(Member const&) {
  return static_cast<int>(threadIdx.x);
}
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION void fast_team_barrier(Member const&) {
  __syncthreads();
}
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION bool all_of_team(Member const&, bool yes) {
  return __syncthreads_and(yes);
}
template <int Number, int Threads>
KOKKOS_FORCEINLINE_FUNCTION void named_barrier() {
  asm volatile("bar.sync %0, %1;" ::"n"(Number), "n"(Threads) : "memory");
}
template <int Number, int Threads>
KOKKOS_FORCEINLINE_FUNCTION void named_arrival() {
  asm volatile("bar.arrive %0, %1;" ::"n"(Number), "n"(Threads) : "memory");
}

}  // namespace carroll::detail
#endif
