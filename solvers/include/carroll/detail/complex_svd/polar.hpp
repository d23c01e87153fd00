// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>

namespace carroll::detail {

/// A complex number as size·phase, |phase| = 1; 0 has phase 1.
template <class Real>
struct Polar {
  Real size;
  Kokkos::complex<Real> phase;
};

/// Of a finite number, also one whose square would under- or overflow.
template <class Real>
KOKKOS_INLINE_FUNCTION Polar<Real> polar_form(Kokkos::complex<Real> const& z) {
  Real const largest = largest_part(z);
  if (largest == Real(0)) return {Real(0), {Real(1), Real(0)}};
  int const e = exponent_of(largest);
  Real const x = scale(z.real(), -e), y = scale(z.imag(), -e);
  Real const size = Kokkos::sqrt(x * x + y * y);
  return {scale(size, e), {x / size, y / size}};
}

}  // namespace carroll::detail
