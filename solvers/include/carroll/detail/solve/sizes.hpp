// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>

/// Sizes of entries that need not be numbers, for powers of two.
namespace carroll::detail {

/// An exponent below all others.
inline constexpr int least_exponent = -(1 << 20);

/// |x|, infinite where x is NaN.
template <class Real>
KOKKOS_INLINE_FUNCTION Real size_or_infinity(Real x) {
  Real const infinity = Kokkos::Experimental::infinity_v<Real>, size = Kokkos::abs(x);
  return size < infinity ? size : infinity;
}

/// Of numbers that are not finite, or 0, it is that of 1.
template <class Real>
KOKKOS_INLINE_FUNCTION int exponent_or_one(Real size) {
  return size > Real(0) && size < Kokkos::Experimental::infinity_v<Real> ? exponent_of(size) : 1;
}

}  // namespace carroll::detail
