// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>

#ifdef CARROLL_CUDA_PASS
/// See device/rounding.hpp.
namespace carroll::detail {

KOKKOS_FORCEINLINE_FUNCTION float rounded_product(float x, float y) {
  return __fmul_rn(x, y);
}
KOKKOS_FORCEINLINE_FUNCTION double rounded_product(double x, double y) {
  return __dmul_rn(x, y);
}

}  // namespace carroll::detail
#endif
