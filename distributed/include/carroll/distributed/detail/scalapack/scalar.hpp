// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <complex>

namespace carroll::distributed::detail::scalapack {

/// Numbers as the prototypes name them: complex ones are laid out alike.
inline float* scalars(float* x) {
  return x;
}
inline double* scalars(double* x) {
  return x;
}
inline float const* scalars(float const* x) {
  return x;
}
inline double const* scalars(double const* x) {
  return x;
}
template <class Real>
std::complex<Real>* scalars(Kokkos::complex<Real>* x) {
  return reinterpret_cast<std::complex<Real>*>(x);
}
template <class Real>
std::complex<Real> const* scalars(Kokkos::complex<Real> const* x) {
  return reinterpret_cast<std::complex<Real> const*>(x);
}

}  // namespace carroll::distributed::detail::scalapack
