// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// See device/rounding.hpp.
namespace carroll::detail {

/// An fma is not fused with anything, and -0 leaves the product as it is, its sign, too.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real rounded_product(Real x, Real y) {
  return Kokkos::fma(x, y, Real(-0.0));
}

}  // namespace carroll::detail
