// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// x·y + z, on devices with one rounding: left to itself a device compiler contracts sums of
/// products as it likes, in one kernel differently from the other, and with that the bits differ.
template <class Real>
KOKKOS_INLINE_FUNCTION Real multiply_add(Real x, Real y, Real z) {
  Real sum = 0;
  KOKKOS_IF_ON_DEVICE((sum = Kokkos::fma(x, y, z);))
  KOKKOS_IF_ON_HOST((sum = x * y + z;))
  return sum;
}

/// 1/d, sooner than by a division where d is not next to the end of the numbers.
KOKKOS_INLINE_FUNCTION double quick_reciprocal(double d) {
  return 1e-290 < d && d < 1e290 ? refined_reciprocal(d, rough_reciprocal(d)) : 1 / d;
}

}  // namespace carroll::detail
