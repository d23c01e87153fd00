// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <cstdint>

namespace carroll::detail {

/// x·y, rounded by itself.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real product_by_itself(Real x, Real y) {
  KOKKOS_IF_ON_DEVICE((return rounded_product(x, y);))
  // Compilers of hosts fuse at most what stands in one expression.
  KOKKOS_IF_ON_HOST((Real const product = x * y; return product;))
}

/// Σ x(l)·y(l) for 0 <= l < count: 16 sums of every sixteenth product, then halves on halves. The
/// same bits on hosts and devices.
template <class Real>
KOKKOS_INLINE_FUNCTION Real factor_dot(Real const* x, Real const* y, std::int64_t count) {
  constexpr int width = 16;
  Real sums[width] = {};
  std::int64_t l = 0;
  for (; l + width <= count; l += width)
    for (int w = 0; w < width; ++w) {
      Real const product = product_by_itself(x[l + w], y[l + w]);
      sums[w] += product;
    }
  for (int w = 0; l + w < count; ++w) {
    Real const product = product_by_itself(x[l + w], y[l + w]);
    sums[w] += product;
  }
  for (int half = width / 2; half > 0; half /= 2)
    for (int w = 0; w < half; ++w) sums[w] += sums[w + half];
  return sums[0];
}

}  // namespace carroll::detail
