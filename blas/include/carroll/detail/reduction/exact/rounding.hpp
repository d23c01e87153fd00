// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/reduction/exact/digits.hpp>
#include <cstdint>
#include <limits>

/// From digits to the nearest floating-point number.
namespace carroll::detail {

KOKKOS_INLINE_FUNCTION int leading_zeros(std::uint64_t x) {
  return Kokkos::Experimental::countl_zero_builtin(x);
}

/// The number of Real nearest to m·2^e, of two the even one; `more`: m has been cut, and what was
/// cut off is not 0. Infinite beyond the range.
template <class Real>
KOKKOS_INLINE_FUNCTION Real nearest(std::uint64_t m, int e, bool more) {
  constexpr int digits = std::numeric_limits<Real>::digits;
  constexpr int least = std::numeric_limits<Real>::min_exponent - digits;
  if (m == 0) return Real(0);
  int const top = e + 63 - leading_zeros(m);
  int const unit = Kokkos::max(top - (digits - 1), least);
  int const cut = unit - e;
  std::uint64_t kept = 0;
  if (cut <= 0) {
    kept = m << -cut;  // fits: the highest bit is at most digits - 1
  } else if (cut <= 64) {
    std::uint64_t const half = std::uint64_t{1} << (cut - 1);
    kept = cut < 64 ? m >> cut : 0;
    bool const above_half = (m & half) && ((m & (half - 1)) || more);
    bool const at_half = (m & half) && !above_half;
    if (above_half || (at_half && (kept & 1))) ++kept;
  }
  // Numbers of a type are counted by their bits, across powers of two, too.
  std::uint64_t const bits = (static_cast<std::uint64_t>(unit - least) << mantissa_bits<Real>)+kept;
  constexpr std::uint64_t infinite = static_cast<std::uint64_t>(2 * exponent_bias<Real> + 1)
                                     << mantissa_bits<Real>;
  return Kokkos::bit_cast<Real>(static_cast<BitsOf<Real>>(bits < infinite ? bits : infinite));
}

/// A sum of digits, made ready to be read.
template <class Range>
class ExactValue {
 public:
  /// Hands carries on. Overwrites the digits with those of the absolute value.
  KOKKOS_FUNCTION explicit ExactValue(std::int64_t* digits) : digits_(digits) {
    int first = 0, last = Range::count - 1;
    while (first < Range::count && digits[first] == 0) ++first;
    while (last > first && digits[last] == 0) --last;
    last = Kokkos::min(last + 3, Range::count - 1);  // where carries may come to
    negative_ = hand_on(first, last) < 0;
    if (negative_) complement(first, last);
    while (first <= last && digits[first] == 0) ++first;
    if (first > last) first = Range::count;
    while (last > first && digits[last] == 0) --last;
    first_ = first;
    last_ = last;
  }
  KOKKOS_FUNCTION bool is_negative() const { return negative_; }

  template <class Real>
  KOKKOS_FUNCTION Real rounded() const {
    if (first_ == Range::count) return Real(0);
    std::uint64_t m = 0;
    int const begin = 32 * last_ + 32 - leading_zeros(word(last_) << 32) - 64;
    m = bits_from(begin);
    Real const value = nearest<Real>(m, begin + Range::lowest, any_below(begin));
    return negative_ && value != Real(0) ? -value : value;  // 0 is +0
  }

  /// The nearest number to the square root.
  template <class Real>
  KOKKOS_FUNCTION Real rounded_root() const {
    if (first_ == Range::count) return Real(0);
    // 128 bits, of which the last counts an even power of two: the root has 63 or 64.
    int begin = 32 * last_ + 32 - leading_zeros(word(last_) << 32) - 128;
    begin += begin & 1;
    std::uint64_t high = bits_from(begin + 64), low = bits_from(begin);
    std::uint64_t root = 0;
    bool const exact = square_root(high, low, root);
    return nearest<Real>(root, (begin + Range::lowest) / 2, !exact || any_below(begin));
  }

 private:
  /// Returns -1 if the sum is negative: the digits are then those of what it lacks to a power of
  /// two.
  KOKKOS_FUNCTION std::int64_t hand_on(int first, int last) {
    std::int64_t carry = 0;
    for (int i = first; i <= last; ++i) {
      std::int64_t const sum = digits_[i] + carry;
      digits_[i] = sum & 0xffffffff;
      carry = sum >> 32;
    }
    return carry;
  }
  KOKKOS_FUNCTION void complement(int first, int last) {
    std::int64_t carry = 1;
    for (int i = first; i <= last; ++i) {
      std::int64_t const sum = 0xffffffff - digits_[i] + carry;
      digits_[i] = sum & 0xffffffff;
      carry = sum >> 32;
    }
  }
  KOKKOS_FUNCTION std::uint64_t word(int i) const {
    return i >= first_ && i <= last_ ? static_cast<std::uint64_t>(digits_[i]) : 0;
  }
  /// 64 bits from one on; bits that are not there are 0.
  KOKKOS_FUNCTION std::uint64_t bits_from(int begin) const {
    int const i = begin >> 5, shift = begin & 31;
    std::uint64_t const low = word(i) | word(i + 1) << 32;
    return shift == 0 ? low : low >> shift | word(i + 2) << (64 - shift);
  }
  KOKKOS_FUNCTION bool any_below(int end) const {
    for (int i = first_; i <= last_; ++i) {
      int const bits = end - 32 * i;
      if (bits <= 0) return false;
      if (word(i) & (bits < 32 ? (std::uint64_t{1} << bits) - 1 : 0xffffffffU)) return true;
    }
    return false;
  }
  /// root := ⌊√(high·2^64 + low)⌋; is it the root itself? A bit at a time.
  KOKKOS_FUNCTION static bool square_root(std::uint64_t high, std::uint64_t low,
                                          std::uint64_t& root) {
    root = 0;
    // The rest is below 2·root + 1, which has up to 65 bits.
    std::uint64_t rest_high = 0, rest_low = 0;
    for (int step = 0; step < 64; ++step) {
      rest_high = rest_high << 2 | rest_low >> 62;
      rest_low = rest_low << 2 | high >> 62;
      high = high << 2 | low >> 62;
      low <<= 2;
      std::uint64_t const trial_high = root >> 62, trial_low = root << 2 | 1;
      root <<= 1;
      if (rest_high > trial_high || (rest_high == trial_high && rest_low >= trial_low)) {
        rest_high -= trial_high + (rest_low < trial_low ? 1 : 0);
        rest_low -= trial_low;
        root |= 1;
      }
    }
    return rest_high == 0 && rest_low == 0;
  }

  std::int64_t* digits_;
  int first_ = 0, last_ = 0;
  bool negative_ = false;
};

}  // namespace carroll::detail
