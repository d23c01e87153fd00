// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Exact scaling by powers of two. Kokkos has no frexp and ldexp; these work on the bits, the same
/// way on every backend, and cost a few integer operations.
namespace carroll::detail {

template <class Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

template <class Real>
inline constexpr int mantissa_bits = std::numeric_limits<Real>::digits - 1;
template <class Real>
inline constexpr int exponent_bias = std::numeric_limits<Real>::max_exponent - 1;

/// 2^e for a normal result, that is -bias < e <= bias.
template <class Real>
KOKKOS_INLINE_FUNCTION Real power_of_two(int e) {
  return Kokkos::bit_cast<Real>(static_cast<BitsOf<Real>>(e + exponent_bias<Real>)
                                << mantissa_bits<Real>);
}

/// e with 2^(e-1) <= |x| < 2^e, subnormal numbers included. x must be finite and not zero.
template <class Real>
KOKKOS_INLINE_FUNCTION int exponent_of(Real x) {
  constexpr int lift = std::numeric_limits<Real>::digits;
  constexpr auto field = (BitsOf<Real>{1} << (8 * sizeof(Real) - 1 - mantissa_bits<Real>)) - 1;
  auto biased = (Kokkos::bit_cast<BitsOf<Real>>(x) >> mantissa_bits<Real>)&field;
  if (biased != 0) return static_cast<int>(biased) - exponent_bias<Real> + 1;
  x *= power_of_two<Real>(lift);
  biased = (Kokkos::bit_cast<BitsOf<Real>>(x) >> mantissa_bits<Real>)&field;
  return static_cast<int>(biased) - exponent_bias<Real> + 1 - lift;
}

/// x·2^e for any e: exact unless it under- or overflows, then 0, subnormal or infinite.
template <class Real>
KOKKOS_INLINE_FUNCTION Real scale(Real x, int e) {
  constexpr int most = exponent_bias<Real> - 1;
  // Three factors carry the smallest subnormal number past the largest finite one and back.
  if (e > most) {
    x *= power_of_two<Real>(most);
    e -= most;
    if (e > most) {
      x *= power_of_two<Real>(most);
      e -= most;
    }
    e = e > most ? most : e;
  } else if (e < -most) {
    // The first factor leaves room for the mantissa, so that only the last one rounds.
    constexpr int step = most - std::numeric_limits<Real>::digits;
    x *= power_of_two<Real>(-step);
    e += step;
    if (e < -most) {
      x *= power_of_two<Real>(-step);
      e += step;
    }
    e = e < -most ? -most : e;
  }
  return x * power_of_two<Real>(e);
}

/// The same without branches, for |x| and |x·2^e| of at most about 1: exact, or rounded once to a
/// subnormal number or 0.
template <class Real>
KOKKOS_INLINE_FUNCTION Real scale_within_one(Real x, int e) {
  constexpr int most = exponent_bias<Real> - 1;
  int const all = Kokkos::clamp(e, -2 * most, 2 * most);
  int const half = all > most || all < -most ? all / 2 : all;
  return x * power_of_two<Real>(half) * power_of_two<Real>(all - half);
}

}  // namespace carroll::detail
