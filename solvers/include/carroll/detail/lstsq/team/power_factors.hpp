// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>

/// Bringing numbers to a common scale by powers of two, without a branch in the loops.
namespace carroll::detail {

/// The largest part of an entry, in modulus, by the lanes of a thread, 0 of none; infinity where
/// one is not finite.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION RealOf<T> largest_entry(Member const& team, int n,
                                               StridedVector<T const> const& x) {
  using Real = RealOf<T>;
  Real const infinity = Kokkos::Experimental::infinity_v<Real>;
  return lane_max<Real>(team, n, [&](int i) {
    Real const size = largest_part(x(i));
    return size < infinity ? size : infinity;
  });
}

/// What takes numbers of at most `largest` to below 2^exponent, and no further down; 0 where there
/// is nothing to take.
template <class Real>
KOKKOS_INLINE_FUNCTION int shift_to(Real largest, int exponent) {
  bool const any = largest > Real(0) && largest < Kokkos::Experimental::infinity_v<Real>;
  return any ? exponent - exponent_of(largest) : 0;
}

/// f of each part of a number, real or complex.
template <class T, class F>
KOKKOS_INLINE_FUNCTION T by_parts(T const& x, F const& f) {
  if constexpr (is_complex<T>)
    return {f(x.real()), f(x.imag())};
  else
    return f(x);
}

/// x·2^shift as a product of factors, for x and results that are normal numbers or 0, or, going up,
/// subnormal x: exactly. What comes down to a subnormal number is rounded once, if shift is above
/// the least exponent.
template <class Real>
class PowerFactors {
 public:
  KOKKOS_FUNCTION explicit PowerFactors(int shift) {
    constexpr int most = exponent_bias<Real> - 1;
    for (Real& factor : factors_) {
      int const step = Kokkos::clamp(shift, -most, most);
      factor = power_of_two<Real>(step);
      shift -= step;
    }
  }
  template <class T>
  KOKKOS_FUNCTION T operator()(T const& x) const {
    return by_parts(x, [&](Real part) { return part * factors_[0] * factors_[1] * factors_[2]; });
  }

 private:
  Real factors_[3];
};

}  // namespace carroll::detail
