// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <cstdint>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/math.hpp>
#else
#include <carroll/detail/device/emulated/math.hpp>
#endif

/// First guesses at reciprocals and square roots, what is made of them, and floating-point numbers
/// as bits.
///
///   rough_reciprocal(x)   about 1/x, with 19 good bits at least, for normal x
///   rough_rsqrt(x)        about 1/√x, with 19 good bits at least, for normal x > 0; infinite for 0
///   opaque_register(x)    the same value, of whose origin the compiler knows nothing: what is
///                         computed from it has to be computed anew, instead of being held in
///                         registers that are wanted for data
namespace carroll::detail {

/// 1/√x from such a guess: the third-order step y·(1 + e/2 + 3e²/8), e = 1 - x·y², leaves rounding
/// errors only.
template <class Real>
KOKKOS_INLINE_FUNCTION Real refined_rsqrt(Real x, Real y) {
  Real const e = Kokkos::fma(-x * y, y, Real(1));
  return Kokkos::fma(y * e, Kokkos::fma(e, Real(0.375), Real(0.5)), y);
}

/// √x for normal x > 0, right but for the last bit now and then, sooner than the library's
/// function, which must handle every x.
KOKKOS_INLINE_FUNCTION double fast_sqrt(double x) {
  double const y = refined_rsqrt(x, rough_rsqrt(x));
  double const root = x * y;
  return Kokkos::fma(Kokkos::fma(-root, root, x), 0.5 * y, root);
}

/// 1/x from such a guess, by the third-order step y·(1 + e + e²), e = 1 - x·y.
template <class Real>
KOKKOS_INLINE_FUNCTION Real refined_reciprocal(Real x, Real y) {
  Real const e = Kokkos::fma(-x, y, Real(1));
  return Kokkos::fma(y * e, Real(1) + e, y);
}

/// y where x >= 0, -y where x < 0 (or is -0).
template <class Real>
KOKKOS_INLINE_FUNCTION Real with_sign_of(Real x, Real y) {
  constexpr BitsOf<Real> sign = BitsOf<Real>{1} << (8 * sizeof(Real) - 1);
  return Kokkos::bit_cast<Real>(Kokkos::bit_cast<BitsOf<Real>>(y) ^
                                (Kokkos::bit_cast<BitsOf<Real>>(x) & sign));
}

/// The upper 32 bits of |x|: exponent and the first bits of the mantissa. Ordered as |x| is, NaN
/// above infinity above all numbers; compared and handed round at a fraction of the cost.
KOKKOS_INLINE_FUNCTION int magnitude(double x) {
  return static_cast<int>((Kokkos::bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffU);
}
KOKKOS_INLINE_FUNCTION int magnitude(float x) {
  return static_cast<int>(Kokkos::bit_cast<std::uint32_t>(x) & 0x7fffffffU);
}

/// The smallest number of the given magnitude.
template <class Real>
KOKKOS_INLINE_FUNCTION Real of_magnitude(int magnitude) {
  if constexpr (sizeof(Real) == sizeof(double))
    return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(magnitude) << 32);
  else
    return Kokkos::bit_cast<float>(magnitude);
}

/// Biased exponent of a double of the given magnitude; 0 for zero and subnormal numbers.
KOKKOS_INLINE_FUNCTION constexpr int exponent_field(int magnitude) {
  return magnitude >> 20;
}

}  // namespace carroll::detail
