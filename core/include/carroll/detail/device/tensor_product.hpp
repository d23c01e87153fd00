// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/tensor_product.hpp>
#endif

/// Small matrix products by one warp, in double precision. Each entry is a chain of fused
/// multiplications and additions, one after the other, whatever carries them out: the tensor cores
/// of CUDA devices round like that.
namespace carroll::detail {

/// d += A·B, A with 8 rows and 4 columns, B with 4 rows and 8 columns. Lane 4·i + k has a = A(i,
/// k), lane 4·j + k has b = B(k, j), and lane 4·i + q has D(i, 2q) and D(i, 2q + 1). k ascends.
KOKKOS_FORCEINLINE_FUNCTION void add_warp_product([[maybe_unused]] DeviceWarp const& warp, double a,
                                                  double b, double (&d)[2]) {
#if defined(CARROLL_CUDA_PASS) && __CUDA_ARCH__ >= 800
  multiply_8x8x4(a, b, d);
#else
  CARROLL_UNROLL
  for (int k = 0; k < 4; ++k) {
    double const x = warp.from(a, warp.lane / 4 * 4 + k);
    CARROLL_UNROLL
    for (int h = 0; h < 2; ++h)
      d[h] = Kokkos::fma(x, warp.from(b, 4 * (2 * (warp.lane % 4) + h) + k), d[h]);
  }
#endif
}

/// d1 += A1·B and d2 += A2·B with the same B, at the price of one: the instruction that has all of
/// the tensor cores' speed.
KOKKOS_FORCEINLINE_FUNCTION void add_warp_products([[maybe_unused]] DeviceWarp const& warp,
                                                   double a1, double a2, double b, double (&d1)[2],
                                                   double (&d2)[2]) {
#if defined(CARROLL_CUDA_PASS) && __CUDA_ARCH__ >= 900
  multiply_16x8x4(a1, a2, b, d1, d2);
#else
  add_warp_product(warp, a1, b, d1);
  add_warp_product(warp, a2, b, d2);
#endif
}

}  // namespace carroll::detail
