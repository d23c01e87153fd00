// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <cstdint>

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
#if __CUDA_ARCH__ >= 800
/// d := A·B + c, of whose entries the 11 upper bits count; see warp_products().
KOKKOS_FORCEINLINE_FUNCTION void multiply_16x8x8(float const (&a)[4], float const (&b)[2],
                                                 float const (&c)[4], float (&d)[4]) {
  // Volatile: all lanes run it together, wherever its result is used.
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])),
        "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
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
