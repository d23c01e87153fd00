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
