// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/double_word.hpp>
#include <cmath>
#include <cstdint>
#include <string>

/// Decimal digits of m·2^e for exponents far beyond those of double. Host only.
namespace carroll::detail {

/// A number value·10^exponent with 1 <= |value| < 10, or nearly so.
struct DecimalScaled {
  DoubleWord<double> value;
  std::int64_t exponent = 0;

  void normalise() {
    while (std::abs(value.high) >= 10) {
      value = value / DoubleWord<double>(10);
      ++exponent;
    }
    while (value.high != 0 && std::abs(value.high) < 1) {
      value = value * DoubleWord<double>(10);
      --exponent;
    }
  }
  friend DecimalScaled operator*(DecimalScaled const& x, DecimalScaled const& y) {
    DecimalScaled product{x.value * y.value, x.exponent + y.exponent};
    product.normalise();
    return product;
  }
};

/// 2^e by repeated squaring: a relative error of about |e|·2^-102.
inline DecimalScaled decimal_power_of_two(std::int64_t e) {
  DecimalScaled result{{1.0}, 0};
  DecimalScaled base{{e < 0 ? 0.5 : 2.0}, 0};
  base.normalise();
  for (auto rest = static_cast<std::uint64_t>(e < 0 ? -e : e); rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = result * base;
    if (rest > 1) base = base * base;
  }
  return result;
}

/// m·2^e with `digits` significant digits, trailing zeros left out.
inline std::string decimal(double m, std::int64_t e, int digits) {
  if (std::isnan(m)) return "nan";
  if (std::isinf(m)) return m > 0 ? "inf" : "-inf";
  if (m == 0) return "0";
  DecimalScaled x{{std::abs(m)}, 0};
  x.normalise();
  x = x * decimal_power_of_two(e);

  digits = std::clamp(digits, 1, 17);
  std::int64_t unit = 1;
  for (int d = 1; d < digits; ++d) unit *= 10;
  // The leading word may have a fraction, or be so large that only the trailing one has.
  DoubleWord<double> const scaled = x.value * DoubleWord<double>(static_cast<double>(unit));
  double const whole = std::floor(scaled.high);
  auto number = static_cast<std::int64_t>(whole) +
                static_cast<std::int64_t>(std::floor((scaled.high - whole) + scaled.low + 0.5));
  if (number >= 10 * unit) {
    number = (number + 5) / 10;
    ++x.exponent;
  }

  std::string text = std::to_string(number);
  text.insert(1, ".");
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return (m < 0 ? "-" : "") + text + "e" + (x.exponent < 0 ? "-" : "+") +
         std::to_string(std::abs(x.exponent));
}

}  // namespace carroll::detail
