// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// What EntryRange (common/balance.hpp) tells of entries, by a warp, from their magnitudes:
/// exponents are what is wanted.
struct MagnitudeRange {
  static constexpr int none = 0x7fffffff;
  int largest = 0;
  int least = none;  ///< of entries that are not 0

  enum Flags { non_finite = 1, zero = 2, wide = 4 };

  /// Of C entries per lane.
  template <class Real, int C>
  KOKKOS_FORCEINLINE_FUNCTION static MagnitudeRange of(DeviceWarp const& warp, Real const (&x)[C]) {
    int largest = 0, small = 0;  // none - the least
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      // The upper half of a double that is not 0 may be 0.
      int const size = x[c] == Real(0) ? 0 : Kokkos::max(magnitude(x[c]), 1);
      largest = Kokkos::max(largest, size);
      small = Kokkos::max(small, size == 0 ? 0 : none - size);
    }
    return {warp.max(largest), none - warp.max(small)};
  }
  KOKKOS_FUNCTION void add(MagnitudeRange const& other) {
    largest = Kokkos::max(largest, other.largest);
    least = Kokkos::min(least, other.least);
  }
  template <class Real>
  [[nodiscard]] KOKKOS_FUNCTION int flags() const {
    if (largest >= magnitude(Kokkos::Experimental::infinity_v<Real>)) return non_finite;
    if (largest == 0) return zero;
    int const e = exponent<Real>();
    bool const extreme = Kokkos::abs(e) >= exponent_bias<Real> - 1;  // 2^±e may not be normal
    return extreme || e - exponent_of(of_magnitude<Real>(least)) > widest_row<Real> ? int{wide} : 0;
  }
  /// The power of two that brings the largest entry into [1/2, 1).
  template <class Real>
  [[nodiscard]] KOKKOS_FUNCTION int exponent() const {
    return exponent_of(of_magnitude<Real>(largest));
  }
  /// The largest entry, thus scaled, to 20 bits.
  template <class Real>
  [[nodiscard]] KOKKOS_FUNCTION Real top() const {
    return largest == 0 ? Real(1) : scale(of_magnitude<Real>(largest), -exponent<Real>());
  }
};

/// A row's largest entry as Balance tells it, which knows all its digits, to those that
/// MagnitudeRange::top knows: growth does not depend on which of them has seen the row.
template <class Real>
KOKKOS_INLINE_FUNCTION Real as_magnitude_range(Real top) {
  return of_magnitude<Real>(magnitude(top));
}

/// Largest entries that rows may have, as powers of two: a row panel makes them at most 2^32 times
/// larger, and what is 2^62 times smaller shall not be lost.
template <class Real>
inline constexpr int settled_exponent = sizeof(Real) == 4 ? 30 : 200;

/// The power of two by which a row is divided when it is read next: 0 while it is in range.
template <class Real>
KOKKOS_INLINE_FUNCTION int pending_exponent(int largest) {
  if (largest == 0) return 0;  // singular, or next to it: found when it is this row's turn
  // 2^-e must be normal: rows of subnormal numbers, of which little is left, are not lifted
  // further.
  constexpr int least = 1 - exponent_bias<Real>;
  int const e = Kokkos::max(exponent_of(of_magnitude<Real>(largest)), int{least});
  return Kokkos::abs(e) > settled_exponent<Real> ? e : 0;
}

}  // namespace carroll::detail
