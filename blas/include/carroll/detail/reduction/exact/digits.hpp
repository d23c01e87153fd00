// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/reduction/types.hpp>
#include <cstdint>
#include <limits>

/// Sums in fixed point, wide enough for every number, or product of two, of a type (Kulisch):
/// digits of 32 bits in words of 64, so that 2^31 numbers can be added before a carry has to be
/// handed on. Whole numbers are added in any order.
namespace carroll::detail {

/// The digits of a sum of numbers, or of products, of a type, and a word for what is not finite.
template <class Real, bool Products>
struct ExactDigits {
  static constexpr bool is_single = sizeof(Real) == 4;
  /// Digit i counts multiples of 2^(lowest + 32·i).
  static constexpr int lowest = (Products ? 2 : 1) * (std::numeric_limits<Real>::min_exponent -
                                                      std::numeric_limits<Real>::digits);
  static constexpr int highest = (Products ? 2 : 1) * std::numeric_limits<Real>::max_exponent;
  static constexpr int room = 64;  ///< for carries, and the sign
  static constexpr int count = (highest - lowest + room + 31) / 32;
  static constexpr int words = count + 1;
};

/// Words that the sums of one vector take: of the real and the imaginary part.
template <class T>
inline constexpr int exact_words = (is_complex<T> ? 2 : 1) * ExactDigits<RealOf<T>, true>::words;

/// What has been seen, beside numbers.
inline constexpr std::int64_t seen_nan = 1, seen_infinity = 2, seen_minus_infinity = 4;

/// Where digits are added: by one thread, or by many.
struct OwnDigits {
  std::int64_t* digits;
  KOKKOS_FUNCTION void add(int i, std::int64_t x) const { digits[i] += x; }
  KOKKOS_FUNCTION void see(int i, std::int64_t what) const { digits[i] |= what; }
};
struct SharedDigits {
  std::int64_t* digits;
  KOKKOS_FUNCTION void add(int i, std::int64_t x) const { Kokkos::atomic_add(digits + i, x); }
  KOKKOS_FUNCTION void see(int i, std::int64_t what) const { Kokkos::atomic_or(digits + i, what); }
};

/// A finite number m·2^e, with a whole m.
struct WholeNumber {
  std::uint64_t m;
  int e;
  bool negative;
  KOKKOS_FUNCTION explicit WholeNumber(double x) {
    auto const bits = Kokkos::bit_cast<std::uint64_t>(x);
    auto const field = static_cast<int>(bits >> 52 & 0x7ff);
    m = bits & ((std::uint64_t{1} << 52) - 1);
    if (field != 0) m |= std::uint64_t{1} << 52;
    e = (field != 0 ? field : 1) - 1075;
    negative = bits >> 63 != 0;
  }
};

/// Adds ±(high·2^64 + low)·2^p, counted from digit 0 on, to the digits. high < 2^63.
template <class Digits>
KOKKOS_INLINE_FUNCTION void add_bits(Digits const& to, std::uint64_t high, std::uint64_t low, int p,
                                     bool negative) {
  int const first = p >> 5, shift = p & 31;
  std::uint64_t const words[4] = {low & 0xffffffffU, low >> 32, high & 0xffffffffU, high >> 32};
  std::uint64_t carried = 0;
  for (int k = 0; k < 5; ++k) {
    std::uint64_t const shifted = (k < 4 ? words[k] << shift : 0) + carried;
    auto const digit = static_cast<std::int64_t>(shifted & 0xffffffffU);
    carried = shifted >> 32;
    if (digit != 0) to.add(first + k, negative ? -digit : digit);
  }
}

/// Adds a finite number, a multiple of 2^lowest.
template <class Range, class Digits>
KOKKOS_INLINE_FUNCTION void add_number(Digits const& to, double x) {
  if (x == 0) return;
  WholeNumber number(x);
  int p = number.e - Range::lowest;
  if (p < 0) {  // then the last bits are 0
    number.m >>= -p;
    p = 0;
  }
  add_bits(to, 0, number.m, p, number.negative);
}

/// Adds x·y, whatever it is.
template <class Range, class Digits>
KOKKOS_INLINE_FUNCTION void add_product(Digits const& to, double x, double y, bool negative) {
  if (x - x != 0 || y - y != 0) {
    double const product = negative ? -(x * y) : x * y;
    to.see(Range::count, product != product ? seen_nan
                         : product > 0      ? seen_infinity
                                            : seen_minus_infinity);
    return;
  }
  if (x == 0 || y == 0) return;
  if constexpr (Range::is_single) {  // exact as double
    add_number<Range>(to, negative ? -(x * y) : x * y);
    return;
  }
  WholeNumber const a(x), b(y);
  std::uint64_t const a0 = a.m & 0xffffffffU, a1 = a.m >> 32, b0 = b.m & 0xffffffffU,
                      b1 = b.m >> 32;
  std::uint64_t const middle = a1 * b0 + (a0 * b0 >> 32);  // below 2^54
  std::uint64_t const crossed = a0 * b1 + (middle & 0xffffffffU);
  std::uint64_t const low = crossed << 32 | (a0 * b0 & 0xffffffffU);
  std::uint64_t const high = a1 * b1 + (middle >> 32) + (crossed >> 32);
  int const p = a.e + b.e - Range::lowest;
  add_bits(to, high, low, p, (a.negative != b.negative) != negative);
}

/// Adds x, whatever it is.
template <class Range, class Digits>
KOKKOS_INLINE_FUNCTION void add_any(Digits const& to, double x) {
  if (x - x == 0)
    add_number<Range>(to, x);
  else
    to.see(Range::count, x != x ? seen_nan : x > 0 ? seen_infinity : seen_minus_infinity);
}

}  // namespace carroll::detail
