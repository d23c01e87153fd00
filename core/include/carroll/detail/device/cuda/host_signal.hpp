// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <cstdint>

#ifdef CARROLL_CUDA_PASS
/// See device/host_signal.hpp.
namespace carroll::detail {

KOKKOS_FORCEINLINE_FUNCTION void tell_host(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

}  // namespace carroll::detail
#endif
