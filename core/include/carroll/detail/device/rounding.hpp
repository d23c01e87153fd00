// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/power_of_two.hpp>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/rounding.hpp>
#else
#include <carroll/detail/device/emulated/rounding.hpp>
#endif

/// Arithmetic whose every rounding is written down, the same on all devices. simd/rounding.hpp has
/// it for the vector registers of a host.
///
///   rounded_product(x, y)       x·y, which no compiler fuses with a sum that it goes into
///                               (of complex numbers it goes into the other product of its part)
///   rounded_real_product(x, y)  the real part of conj(x)·y, in the same way
///   fused_product_sum(x, y, z)  x·y + z, rounded once
///   absolute(x)                 |x|
///   larger_size(x, y)           the larger of |x| and |y|: NaN, if one is, then infinity
namespace carroll::detail {

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<Real> rounded_product(Kokkos::complex<Real> const& x,
                                                                  Kokkos::complex<Real> const& y) {
  return {Kokkos::fma(-x.imag(), y.imag(), rounded_product(x.real(), y.real())),
          Kokkos::fma(x.imag(), y.real(), rounded_product(x.real(), y.imag()))};
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<Real> rounded_product(Real x,
                                                                  Kokkos::complex<Real> const& y) {
  return {rounded_product(x, y.real()), rounded_product(x, y.imag())};
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real rounded_real_product(Real x, Real y) {
  return rounded_product(x, y);
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real rounded_real_product(Kokkos::complex<Real> const& x,
                                                      Kokkos::complex<Real> const& y) {
  return Kokkos::fma(x.imag(), y.imag(), rounded_product(x.real(), y.real()));
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real fused_product_sum(Real x, Real y, Real z) {
  return Kokkos::fma(x, y, z);
}
KOKKOS_FORCEINLINE_FUNCTION float absolute(float x) {
  return Kokkos::fabs(x);
}
KOKKOS_FORCEINLINE_FUNCTION double absolute(double x) {
  return Kokkos::fabs(x);
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real larger_size(Real x, Real y) {
  // Absolute values are ordered as their bits are.
  auto const a = Kokkos::bit_cast<BitsOf<Real>>(absolute(x));
  auto const b = Kokkos::bit_cast<BitsOf<Real>>(absolute(y));
  return Kokkos::bit_cast<Real>(a > b ? a : b);
}

}  // namespace carroll::detail
