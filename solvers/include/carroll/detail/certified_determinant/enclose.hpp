// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/types.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <cstdint>

/// From a number and a bound of its error to an interval of ScaledNumbers, rounded outwards.
namespace carroll::detail {

/// The next number above x, which must be finite.
template <class Real>
KOKKOS_INLINE_FUNCTION Real next_up(Real x) {
  auto const bits = Kokkos::bit_cast<BitsOf<Real>>(x);
  if (x == 0) return Kokkos::bit_cast<Real>(BitsOf<Real>{1});
  return Kokkos::bit_cast<Real>(x > 0 ? bits + 1 : bits - 1);
}
template <class Real>
KOKKOS_INLINE_FUNCTION Real next_down(Real x) {
  return -next_up(-x);
}

/// A Real that is at least x.
template <class Real>
KOKKOS_INLINE_FUNCTION Real round_up(double x) {
  auto const rounded = static_cast<Real>(x);
  return static_cast<double>(rounded) < x ? next_up(rounded) : rounded;
}

/// A double that is at least high + low + radius, for radius >= 0.
KOKKOS_INLINE_FUNCTION double sum_above(DoubleWord<double> const& x, double radius) {
  double const rest = x.low + radius;
  // 2^-52 of it is more than the rounding error of that sum and of this one.
  auto const sum = DoubleWord<double>::sum(x.high, rest + Kokkos::abs(rest) * 0x1p-51);
  return sum.low > 0 ? next_up(sum.high) : sum.high;
}

/// The interval of all numbers within `radius` of x, times 2^exponent. With `integer` the truth is
/// known to be one, and where only one lies there it is the result. x must be finite.
template <class Real>
KOKKOS_INLINE_FUNCTION CertifiedDeterminantInfo<Real> enclose(DoubleWord<double> x, double radius,
                                                              std::int64_t exponent, bool integer) {
  using Number = ScaledNumber<Real>;
  double const size = Kokkos::max(Kokkos::abs(x.high), radius);
  if (size > 0) {
    int const e = exponent_of(size);
    x = scale(x, -e);
    radius = scale(radius, -e);
    // What this may have rounded to a subnormal number, or to nothing.
    if (radius > 0 || x.low != 0) radius += underflow_allowance;
    exponent += e;
  }
  double upper = sum_above(x, radius);
  double lower = -sum_above(-x, radius);
  double value = x.high;
  if (integer && exponent <= 50) {
    int const e = static_cast<int>(exponent < -2000 ? -2000 : exponent);
    // Towards 0 these may round to 0, which is still outwards.
    lower = Kokkos::ceil(scale(lower, e));
    upper = Kokkos::floor(scale(upper, e));
    value = Kokkos::clamp(Kokkos::round(scale(value, e)), lower, upper);
    exponent = 0;
  }
  CertifiedDeterminantInfo<Real> info;
  info.upper = Number(round_up<Real>(upper), exponent);
  info.lower = Number(-round_up<Real>(-lower), exponent);
  info.value = Number(static_cast<Real>(value), exponent);
  bool const zero = lower == 0 && upper == 0;
  info.status = zero                     ? Status::singular
                : lower > 0 || upper < 0 ? Status::success
                                         : Status::not_certified;
  return info;
}

/// A product of double words and powers of two whose exponent has 64 bits. Each factor adds a
/// relative error of less than 2^-98 (at most 15·2^-106, Joldes, Muller and Popescu, 2017).
struct LongProduct {
  DoubleWord<double> mantissa{1.0};
  std::int64_t exponent = 0;

  KOKKOS_FUNCTION void multiply(DoubleWord<double> const& x) {
    mantissa = mantissa * normalised(x, 1);
    mantissa = normalised(mantissa, 1);
  }
  KOKKOS_FUNCTION void divide(DoubleWord<double> const& x) {
    mantissa = mantissa / normalised(x, -1);
    mantissa = normalised(mantissa, 1);
  }

 private:
  /// x with its leading word in [1/2, 1); `sign` times the exponent goes into the product's. Not a
  /// number if x is 0 or not finite.
  KOKKOS_FUNCTION DoubleWord<double> normalised(DoubleWord<double> const& x, int sign) {
    if (!(Kokkos::abs(x.high) > 0 &&
          Kokkos::abs(x.high) <= Kokkos::Experimental::finite_max_v<double>))
      return {Kokkos::Experimental::quiet_NaN_v<double>};
    int const e = exponent_of(x.high);
    exponent += sign * e;
    return scale(x, -e);
  }
};

}  // namespace carroll::detail
