// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/polar.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>

namespace carroll::detail {

/// What makes the tail of a Householder vector v = (1, …) from that of a column x, and its diagonal
/// entry of R: H = I - tau·v·vᴴ, Hᴴ·x = beta·e₁.
template <class Value>
struct QrReflector {
  RealOf<Value> beta;
  Value tau, inverse;  ///< v's tail is that of x times `inverse`
};

/// From the first entry and the square of the norm of the others, as LAPACK's xLARFG has it: beta
/// is real. Where that square is negligible it counts as zero: the reflector is the identity then,
/// or, of complex numbers, takes the phase from alpha, whose square may be too small to be known.
template <class Value>
KOKKOS_INLINE_FUNCTION QrReflector<Value> qr_reflector(Value const& alpha, RealOf<Value> square) {
  using Real = RealOf<Value>;
  bool const reflects = square > power_of_two<Real>(2 * negligible_part<Real>);
  Real const norm = Kokkos::sqrt(square + squared_modulus(alpha));
  if constexpr (is_complex<Value>) {
    if (!reflects) {
      auto const [size, phase] = polar_form(alpha);
      return {size, {Real(1) - phase.real(), -phase.imag()}, {Real(0), Real(0)}};
    }
    Real const beta = alpha.real() < Real(0) ? norm : -norm;
    Real const re = alpha.real() - beta, im = alpha.imag();
    Real const size = re * re + im * im;  // no less than the square of the norm
    return {beta, {-re / beta, -im / beta}, {re / size, -im / size}};
  } else {
    Real const beta = !reflects ? alpha : alpha < Real(0) ? norm : -norm;
    return {beta, reflects ? (beta - alpha) / beta : Real(0),
            reflects ? Real(1) / (alpha - beta) : Real(0)};
  }
}

}  // namespace carroll::detail
