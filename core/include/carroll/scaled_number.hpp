// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/decimal.hpp>
#include <carroll/detail/field.hpp>
#include <cstdint>
#include <string>

namespace carroll {

/// A number mantissa·2^exponent whose exponent has 64 bits: products of any length neither over-
/// nor underflow. T is float, double or Kokkos::complex of one of them.
///
/// The mantissa's modulus is in [1, 2), it carries the sign or the complex phase; a mantissa of a
/// complex number has its modulus there up to rounding. Zero is mantissa 0, exponent 0, without a
/// sign. Infinities and NaN are mantissas with exponent 0, and arithmetic with them follows T's.
/// Each operation rounds once, the mantissa to T. Everything but `to_string` works in kernels.
template <class T>
class ScaledNumber {
  static_assert(FieldScalar<T>,
                "carroll::ScaledNumber: T must be float, double or Kokkos::complex of one of them");

 public:
  using value_type = T;
  using real_type = detail::RealOf<T>;

  /// Zero.
  KOKKOS_DEFAULTED_FUNCTION constexpr ScaledNumber() = default;
  /// x, exactly.
  KOKKOS_FUNCTION ScaledNumber(T const& x) : ScaledNumber(x, 0) {}
  /// x·2^exponent, exactly.
  KOKKOS_FUNCTION ScaledNumber(T const& x, std::int64_t exponent)
      : mantissa_(x), exponent_(exponent) {
    normalise();
  }
  [[nodiscard]] KOKKOS_FUNCTION static ScaledNumber nan() {
    return ScaledNumber(detail::quiet_nan<T>());
  }

  [[nodiscard]] KOKKOS_FUNCTION T mantissa() const { return mantissa_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t exponent() const { return exponent_; }
  [[nodiscard]] KOKKOS_FUNCTION bool is_zero() const { return mantissa_ == T(0); }
  [[nodiscard]] KOKKOS_FUNCTION bool is_nan() const { return detail::has_nan(mantissa_); }
  [[nodiscard]] KOKKOS_FUNCTION bool is_finite() const {
    return Kokkos::isfinite(detail::largest_part(mantissa_));
  }

  KOKKOS_FUNCTION ScaledNumber& operator*=(ScaledNumber const& x) {
    mantissa_ = mantissa_ * x.mantissa_;
    exponent_ += x.exponent_;
    normalise();
    return *this;
  }
  KOKKOS_FUNCTION ScaledNumber& operator/=(ScaledNumber const& x) {
    mantissa_ = mantissa_ / x.mantissa_;
    exponent_ -= x.exponent_;
    normalise();
    return *this;
  }
  KOKKOS_FUNCTION friend ScaledNumber operator*(ScaledNumber x, ScaledNumber const& y) {
    return x *= y;
  }
  KOKKOS_FUNCTION friend ScaledNumber operator/(ScaledNumber x, ScaledNumber const& y) {
    return x /= y;
  }
  KOKKOS_FUNCTION ScaledNumber operator-() const {
    ScaledNumber negative = *this;
    if (!is_zero()) negative.mantissa_ = -mantissa_;
    return negative;
  }

  KOKKOS_FUNCTION friend bool operator==(ScaledNumber const& x, ScaledNumber const& y) {
    return x.mantissa_ == y.mantissa_ && x.exponent_ == y.exponent_;
  }
  KOKKOS_FUNCTION friend bool operator!=(ScaledNumber const& x, ScaledNumber const& y) {
    return !(x == y);
  }
  /// Real numbers only. NaN compares false, as ever.
  KOKKOS_FUNCTION friend bool operator<(ScaledNumber const& x,
                                        ScaledNumber const& y) requires RealScalar<T> {
    bool const finite = x.is_finite() && y.is_finite();
    if (!finite || x.sign() != y.sign() || x.exponent_ == y.exponent_)
      return x.mantissa_ < y.mantissa_;
    return (x.exponent_ < y.exponent_) == (x.mantissa_ > 0);
  }
  KOKKOS_FUNCTION friend bool operator>(ScaledNumber const& x,
                                        ScaledNumber const& y) requires RealScalar<T> {
    return y < x;
  }
  KOKKOS_FUNCTION friend bool operator<=(ScaledNumber const& x,
                                         ScaledNumber const& y) requires RealScalar<T> {
    return x < y || x == y;
  }
  KOKKOS_FUNCTION friend bool operator>=(ScaledNumber const& x,
                                         ScaledNumber const& y) requires RealScalar<T> {
    return y <= x;
  }

  /// -1, 0, 1 or NaN; of a complex number the phase x/|x|, 0 for 0.
  [[nodiscard]] KOKKOS_FUNCTION T sign() const {
    if (is_zero() || is_nan()) return mantissa_;
    if constexpr (detail::is_complex<T>)
      return is_finite() ? T(mantissa_ / modulus()) : detail::quiet_nan<T>();
    else
      return mantissa_ > 0 ? T(1) : T(-1);
  }
  [[nodiscard]] KOKKOS_FUNCTION ScaledNumber<real_type> abs() const {
    return ScaledNumber<real_type>(modulus(), exponent_);
  }
  /// ln|x| in double precision for all T; -Inf for 0.
  [[nodiscard]] KOKKOS_FUNCTION double log_abs() const {
    if (is_zero()) return -Kokkos::Experimental::infinity_v<double>;
    constexpr double ln2 = 0.693147180559945309417232121458;
    double m = static_cast<double>(modulus());
    std::int64_t e = exponent_;
    // Close to 1 from below the two terms would cancel.
    if (m > 1.4142135623730951 && is_finite()) {
      m /= 2;
      ++e;
    }
    return static_cast<double>(e) * ln2 + Kokkos::log(m);
  }
  /// x^k by repeated squaring; about 2·log₂|k| roundings, whose errors k multiplies.
  [[nodiscard]] KOKKOS_FUNCTION ScaledNumber pow(std::int64_t k) const {
    ScaledNumber result{T(1)};
    ScaledNumber base = k < 0 ? ScaledNumber(T(1)) / *this : *this;
    for (std::uint64_t rest = k < 0 ? 0 - static_cast<std::uint64_t>(k) : k; rest > 0; rest /= 2) {
      if (rest % 2 == 1) result *= base;
      if (rest > 1) base *= base;
    }
    return result;
  }

  /// The nearest number of type To, T itself unless told otherwise: rounded once, also into the
  /// subnormal ones; ±Inf and ±0 beyond its range.
  template <class To = T>
  [[nodiscard]] KOKKOS_FUNCTION To to() const {
    static_assert(FieldScalar<To> && detail::is_complex<To> == detail::is_complex<T>,
                  "carroll::ScaledNumber::to: To must be real for a real number and complex for a "
                  "complex one");
    // Beyond these every To is 0 or infinite.
    int const e = static_cast<int>(Kokkos::clamp<std::int64_t>(exponent_, -5000, 5000));
    if constexpr (detail::is_complex<T>)
      return {part_to<detail::RealOf<To>>(mantissa_.real(), e),
              part_to<detail::RealOf<To>>(mantissa_.imag(), e)};
    else
      return part_to<To>(mantissa_, e);
  }

 private:
  template <class Real>
  KOKKOS_FUNCTION static Real part_to(real_type m, int e) {
    // Every float is normal in double precision, so that only the cast rounds.
    if constexpr (sizeof(Real) < sizeof(real_type))
      return static_cast<Real>(detail::scale(m, e));
    else
      return detail::scale(static_cast<Real>(m), e);
  }

  /// |mantissa|.
  KOKKOS_FUNCTION real_type modulus() const {
    if constexpr (detail::is_complex<T>)
      return Kokkos::hypot(mantissa_.real(), mantissa_.imag());
    else
      return Kokkos::abs(mantissa_);
  }

  /// Brings the modulus into [1, 2).
  KOKKOS_FUNCTION void normalise() {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    real_type const largest = detail::largest_part(mantissa_);
    if (largest == real_type(0) || exponent_ < -most) {
      mantissa_ = detail::has_nan(mantissa_) ? mantissa_ : T(0);
      exponent_ = 0;
      return;
    }
    if (exponent_ > most)
      mantissa_ = mantissa_ * real_type{Kokkos::Experimental::infinity_v<real_type>};
    if (!is_finite()) {
      exponent_ = 0;
      return;
    }
    shift(detail::exponent_of(largest) - 1);
    if constexpr (detail::is_complex<T>)
      if (mantissa_.real() * mantissa_.real() + mantissa_.imag() * mantissa_.imag() >= 4) shift(1);
  }
  KOKKOS_FUNCTION void shift(int e) {
    mantissa_ = detail::scale_parts(mantissa_, -e);
    exponent_ += e;
  }

  T mantissa_{};
  std::int64_t exponent_ = 0;
};

/// As a decimal number, such as "-3.0517e+1234", correctly rounded to `digits` significant digits,
/// 1 to 17, unless it lies within 2^-100·|exponent| of halfway between two of them. By default
/// as many as tell every T from its neighbours. Complex numbers: "(1.5e+0, -2e-3)".
template <class T>
[[nodiscard]] std::string to_string(ScaledNumber<T> const& x,
                                    int digits = sizeof(detail::RealOf<T>) == 4 ? 9 : 17) {
  if constexpr (detail::is_complex<T>) {
    using Part = ScaledNumber<detail::RealOf<T>>;
    return "(" + to_string(Part(x.mantissa().real(), x.exponent()), digits) + ", " +
           to_string(Part(x.mantissa().imag(), x.exponent()), digits) + ")";
  } else {
    return detail::decimal(static_cast<double>(x.mantissa()), x.exponent(), digits);
  }
}

}  // namespace carroll
