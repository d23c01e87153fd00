// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>

#ifdef CARROLL_CUDA_PASS
/// The instructions of device/tensor_product.hpp.
namespace carroll::detail {

#if __CUDA_ARCH__ >= 800
KOKKOS_FORCEINLINE_FUNCTION void multiply_8x8x4(double a, double b, double (&d)[2]) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
}
#endif
#if __CUDA_ARCH__ >= 900
KOKKOS_FORCEINLINE_FUNCTION void multiply_16x8x4(double a1, double a2, double b, double (&d1)[2],
                                                 double (&d2)[2]) {
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(d1[0]), "+d"(d1[1]), "+d"(d2[0]), "+d"(d2[1])
      : "d"(a1), "d"(a2), "d"(b));
}
#endif

}  // namespace carroll::detail
#endif
