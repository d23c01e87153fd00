// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// d += A·B by one warp, A with 8 rows and 4 columns, B with 4 rows and 8 columns. Lane 4·i + k has
/// a = A(i, k), lane 4·j + k has b = B(k, j), and lane 4·i + q has D(i, 2q) and D(i, 2q + 1). Each
/// entry of D is a chain of four fused multiplications and additions, k ascending, whatever carries
/// them out.
KOKKOS_FORCEINLINE_FUNCTION void add_warp_product([[maybe_unused]] DeviceWarp const& warp, double a,
                                                  double b, double (&d)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
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

}  // namespace carroll::detail
