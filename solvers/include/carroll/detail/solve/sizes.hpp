// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/complex_svd/polar.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/unroll.hpp>

/// Sizes of entries, real or complex, that need not be numbers, for powers of two; and what the
/// elimination needs of either under one name.
namespace carroll::detail {

/// An exponent below all others.
inline constexpr int least_exponent = -(1 << 20);

/// |x|, of complex numbers max(|re|, |im|), infinite where x is NaN.
template <FieldScalar Value>
KOKKOS_INLINE_FUNCTION RealOf<Value> size_or_infinity(Value const& x) {
  RealOf<Value> const infinity = Kokkos::Experimental::infinity_v<RealOf<Value>>,
                      size = largest_part(x);
  return size < infinity ? size : infinity;
}

/// |x|
template <FieldScalar Value>
KOKKOS_INLINE_FUNCTION RealOf<Value> modulus(Value const& x) {
  if constexpr (is_complex<Value>)
    return polar_form(x).size;
  else
    return Kokkos::abs(x);
}

/// The same where |x|² is within the range, or x so small beside others that nothing is lost.
template <FieldScalar Value>
KOKKOS_INLINE_FUNCTION RealOf<Value> modulus_near_one(Value const& x) {
  if constexpr (is_complex<Value>)
    return Kokkos::sqrt(fused_square_sum(x, RealOf<Value>(0)));
  else
    return Kokkos::abs(x);
}

/// |x|, and x over it, conjugated: whose product with x is |x|. Of 0 that is -1, or 1 if complex.
template <FieldScalar Value>
struct SizeAndSign {
  RealOf<Value> size;
  Value against;
};
template <FieldScalar Value>
KOKKOS_INLINE_FUNCTION SizeAndSign<Value> size_and_sign(Value const& x) {
  if constexpr (is_complex<Value>) {
    auto const polar = polar_form(x);
    return {polar.size, conjugate(polar.phase)};
  } else {
    return {Kokkos::abs(x), x > Value(0) ? Value(1) : Value(-1)};
  }
}
template <FieldScalar Value>
KOKKOS_INLINE_FUNCTION Value sign_against(Value const& x) {
  return size_and_sign(x).against;
}

/// 1/x, of complex numbers also where |x|² would leave the range.
template <FieldScalar Value>
KOKKOS_INLINE_FUNCTION Value inverse_of_pivot(Value const& x) {
  if constexpr (is_complex<Value>) {
    using Real = RealOf<Value>;
    int const e = exponent_of(largest_part(x));
    Value const near_one = scale_parts_within_one(x, -e);  // all that counts, for any e
    Real const by = Real(1) / squared_modulus(near_one);
    return scale_parts_within_one(Value(near_one.real() * by, -near_one.imag() * by), -e);
  } else {
    return Value(1) / x;
  }
}

/// x -= a·b. Each step is one that a compiler may round with the product or without it, the same
/// way wherever it stands.
template <FieldScalar Value>
KOKKOS_INLINE_FUNCTION void subtract_product(Value& x, Value const& a, Value const& b) {
  if constexpr (is_complex<Value>) {
    RealOf<Value> re = x.real(), im = x.imag();
    re -= a.real() * b.real();
    re += a.imag() * b.imag();
    im -= a.real() * b.imag();
    im -= a.imag() * b.real();
    x = Value(re, im);
  } else {
    x -= a * b;
  }
}

/// Of numbers that are not finite, or 0, it is that of 1.
template <class Real>
KOKKOS_INLINE_FUNCTION int exponent_or_one(Real size) {
  return size > Real(0) && size < Kokkos::Experimental::infinity_v<Real> ? exponent_of(size) : 1;
}

/// Σ|y_k|, infinite where that is out of the range: all near 1 first, those that are complex.
template <int N, FieldScalar Value>
KOKKOS_INLINE_FUNCTION RealOf<Value> sum_of_moduli(Value const (&y)[N]) {
  using Real = RealOf<Value>;
  int e = 0;
  if constexpr (is_complex<Value>) {
    Real largest = 0;
    CARROLL_UNROLL
    for (int k = 0; k < N; ++k) largest = Kokkos::max(largest, size_or_infinity(y[k]));
    e = exponent_or_one(largest);
  }
  Real sum = 0;
  CARROLL_UNROLL
  for (int k = 0; k < N; ++k) sum += modulus_near_one(scale_parts_within_one(y[k], -e));
  return is_complex<Value> ? scale(sum, e) : sum;
}

}  // namespace carroll::detail
