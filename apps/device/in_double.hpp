// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// Numbers of residuals: in double precision, real or complex.
namespace carroll::tool {

template <class Real>
KOKKOS_INLINE_FUNCTION double in_double(Real x) {
  return static_cast<double>(x);
}
template <class Real>
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> in_double(Kokkos::complex<Real> const& z) {
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}

KOKKOS_INLINE_FUNCTION double conjugate_of(double x) {
  return x;
}
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> conjugate_of(Kokkos::complex<double> const& z) {
  return {z.real(), -z.imag()};
}

/// |x|²
KOKKOS_INLINE_FUNCTION double square_of(double x) {
  return x * x;
}
KOKKOS_INLINE_FUNCTION double square_of(Kokkos::complex<double> const& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}

}  // namespace carroll::tool
