// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

/// See device/host_signal.hpp.
namespace carroll::detail {

KOKKOS_INLINE_FUNCTION void tell_host(std::uint64_t* word, std::uint64_t value) {
  Kokkos::memory_fence();
  Kokkos::atomic_store(word, value);
}

}  // namespace carroll::detail
