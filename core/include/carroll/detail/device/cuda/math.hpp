// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>

#ifdef CARROLL_CUDA_PASS
/// See device/math.hpp.
namespace carroll::detail {

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T opaque_register(T x) {
  if constexpr (sizeof(T) == 8)
    asm volatile("" : "+l"(x));
  else
    asm volatile("" : "+r"(x));
  return x;
}

KOKKOS_FORCEINLINE_FUNCTION double rough_reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
KOKKOS_FORCEINLINE_FUNCTION float rough_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
KOKKOS_FORCEINLINE_FUNCTION double rough_rsqrt(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
KOKKOS_FORCEINLINE_FUNCTION float rough_rsqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace carroll::detail
#endif
