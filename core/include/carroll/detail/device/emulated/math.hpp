// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

/// See device/math.hpp.
namespace carroll::detail {

template <class T>
KOKKOS_INLINE_FUNCTION T opaque_register(T x) {
  return x;
}

/// The upper half of a double, as rough as what CUDA devices give.
KOKKOS_INLINE_FUNCTION double upper_half(double x) {
  constexpr std::uint64_t upper = 0xffffffff00000000U;
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) & upper);
}
KOKKOS_INLINE_FUNCTION double rough_reciprocal(double x) {
  return upper_half(1 / x);
}
KOKKOS_INLINE_FUNCTION float rough_reciprocal(float x) {
  return 1 / x;
}
KOKKOS_INLINE_FUNCTION double rough_rsqrt(double x) {
  return upper_half(1 / Kokkos::sqrt(x));
}
KOKKOS_INLINE_FUNCTION float rough_rsqrt(float x) {
  return 1 / Kokkos::sqrt(x);
}

}  // namespace carroll::detail
