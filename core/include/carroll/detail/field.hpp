// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/power_of_two.hpp>

/// What kernels for real and complex entries need of a scalar, under one name for both.
namespace carroll::detail {

/// The type of a scalar's modulus.
template <class T>
struct RealPart {
  using type = T;
};
template <class Real>
struct RealPart<Kokkos::complex<Real>> {
  using type = Real;
};
template <class T>
using RealOf = typename RealPart<T>::type;

template <class T>
inline constexpr bool is_complex = !RealScalar<T>;

/// max(|re|, |im|): what decides about over- and underflow. NaN in either part gives NaN.
template <class T>
KOKKOS_INLINE_FUNCTION RealOf<T> largest_part(T const& x) {
  if constexpr (is_complex<T>) {
    RealOf<T> const re = Kokkos::abs(x.real()), im = Kokkos::abs(x.imag());
    return re != re || re > im ? re : im;
  } else {
    return Kokkos::abs(x);
  }
}

/// |x|, or |re| + |im|, with which LAPACK compares complex pivots: no square root.
template <class T>
KOKKOS_INLINE_FUNCTION RealOf<T> pivot_size(T const& x) {
  if constexpr (is_complex<T>)
    return Kokkos::abs(x.real()) + Kokkos::abs(x.imag());
  else
    return Kokkos::abs(x);
}

/// x·2^e: exact unless it under- or overflows.
template <class T>
KOKKOS_INLINE_FUNCTION T scale_parts(T const& x, int e) {
  if constexpr (is_complex<T>)
    return {scale(x.real(), e), scale(x.imag(), e)};
  else
    return scale(x, e);
}

/// The same without branches, for parts of at most about 1, before and after.
template <class T>
KOKKOS_INLINE_FUNCTION T scale_parts_within_one(T const& x, int e) {
  if constexpr (is_complex<T>)
    return {scale_within_one(x.real(), e), scale_within_one(x.imag(), e)};
  else
    return scale_within_one(x, e);
}

template <FieldScalar T>
KOKKOS_INLINE_FUNCTION RealOf<T> real_part(T const& x) {
  if constexpr (is_complex<T>)
    return x.real();
  else
    return x;
}

template <FieldScalar T>
KOKKOS_INLINE_FUNCTION T conjugate(T const& x) {
  if constexpr (is_complex<T>)
    return {x.real(), -x.imag()};
  else
    return x;
}

/// |x|²
template <class T>
KOKKOS_INLINE_FUNCTION RealOf<T> squared_modulus(T const& x) {
  if constexpr (is_complex<T>)
    return x.real() * x.real() + x.imag() * x.imag();
  else
    return x * x;
}

/// re(conj(x)·y)
template <class T>
KOKKOS_INLINE_FUNCTION RealOf<T> real_product(T const& x, T const& y) {
  if constexpr (is_complex<T>)
    return x.real() * y.real() + x.imag() * y.imag();
  else
    return x * y;
}

/// a·b + c and conj(a)·b + c, each product rounded with the sum that it goes into.
template <FieldScalar T>
KOKKOS_INLINE_FUNCTION T fused_sum(T const& a, T const& b, T const& c) {
  if constexpr (is_complex<T>)
    return {Kokkos::fma(-a.imag(), b.imag(), Kokkos::fma(a.real(), b.real(), c.real())),
            Kokkos::fma(a.imag(), b.real(), Kokkos::fma(a.real(), b.imag(), c.imag()))};
  else
    return Kokkos::fma(a, b, c);
}
template <FieldScalar T>
KOKKOS_INLINE_FUNCTION T fused_conjugate_sum(T const& a, T const& b, T const& c) {
  return fused_sum(conjugate(a), b, c);
}

/// The same for a real a.
template <FieldScalar T>
KOKKOS_INLINE_FUNCTION T fused_multiple_sum(RealOf<T> a, T const& b, T const& c) {
  if constexpr (is_complex<T>)
    return {Kokkos::fma(a, b.real(), c.real()), Kokkos::fma(a, b.imag(), c.imag())};
  else
    return Kokkos::fma(a, b, c);
}

/// a·b, in the same way.
template <FieldScalar T>
KOKKOS_INLINE_FUNCTION T fused_product(T const& a, T const& b) {
  if constexpr (is_complex<T>)
    return {Kokkos::fma(-a.imag(), b.imag(), a.real() * b.real()),
            Kokkos::fma(a.imag(), b.real(), a.real() * b.imag())};
  else
    return a * b;
}

/// |x|² + sum, in the same way.
template <FieldScalar T>
KOKKOS_INLINE_FUNCTION RealOf<T> fused_square_sum(T const& x, RealOf<T> sum) {
  if constexpr (is_complex<T>)
    return Kokkos::fma(x.imag(), x.imag(), Kokkos::fma(x.real(), x.real(), sum));
  else
    return Kokkos::fma(x, x, sum);
}

/// +0 for -0 in every part.
template <FieldScalar T>
KOKKOS_INLINE_FUNCTION T without_negative_zeros(T const& x) {
  if constexpr (is_complex<T>)
    return {x.real() + RealOf<T>(0), x.imag() + RealOf<T>(0)};
  else
    return x + T(0);
}

template <class T>
KOKKOS_INLINE_FUNCTION bool has_nan(T const& x) {
  return !(x == x);
}

/// A NaN in every part.
template <class T>
KOKKOS_INLINE_FUNCTION T quiet_nan() {
  constexpr auto nan = Kokkos::Experimental::quiet_NaN_v<RealOf<T>>;
  if constexpr (is_complex<T>)
    return {nan, nan};
  else
    return nan;
}

}  // namespace carroll::detail
