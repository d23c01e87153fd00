// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The little that is needed of natural numbers of any size, on the host: words of 32 bits, the
/// lowest first, the highest not 0, and 0 without words. Schoolbook methods.
namespace carroll::detail {

using Words = std::vector<std::uint32_t>;

/// x := x·factor + addend, which must not be negative. |addend| and factor below 2^31.
inline void multiply_add(Words& x, std::uint32_t factor, std::int32_t addend) {
  std::int64_t carry = addend;
  for (std::uint32_t& word : x) {
    std::int64_t const sum = std::int64_t{word} * factor + carry;
    word = static_cast<std::uint32_t>(sum);
    carry = sum >> 32;
  }
  if (carry != 0) x.push_back(static_cast<std::uint32_t>(carry));
}

/// x := x / divisor; returns the remainder.
inline std::uint32_t divide(Words& x, std::uint32_t divisor) {
  std::uint64_t remainder = 0;
  for (std::size_t k = x.size(); k-- > 0;) {
    std::uint64_t const dividend = remainder << 32U | x[k];
    x[k] = static_cast<std::uint32_t>(dividend / divisor);
    remainder = dividend % divisor;
  }
  while (!x.empty() && x.back() == 0) x.pop_back();
  return static_cast<std::uint32_t>(remainder);
}

/// Pairs of words as limbs of 64 bits, and back.
inline std::vector<std::uint64_t> to_limbs(Words const& words) {
  std::vector<std::uint64_t> limbs((words.size() + 1) / 2, 0);
  for (std::size_t k = 0; k < words.size(); ++k)
    limbs[k / 2] |= std::uint64_t{words[k]} << (32 * (k % 2));
  return limbs;
}
inline Words to_words(std::vector<std::uint64_t> const& limbs) {
  Words words;
  words.reserve(2 * limbs.size());
  for (std::uint64_t limb : limbs) {
    words.push_back(static_cast<std::uint32_t>(limb));
    words.push_back(static_cast<std::uint32_t>(limb >> 32U));
  }
  while (!words.empty() && words.back() == 0) words.pop_back();
  return words;
}

/// Nine digits at a time, from the lowest.
inline std::string to_decimal(Words words) {
  if (words.empty()) return "0";
  std::string digits;
  while (!words.empty()) {
    std::uint32_t block = divide(words, 1'000'000'000U);
    for (int k = 0; k < 9 && (block != 0 || !words.empty()); ++k, block /= 10)
      digits += static_cast<char>('0' + block % 10);
  }
  std::reverse(digits.begin(), digits.end());
  return digits;
}

/// The nearest double, ties to even; infinity beyond the range.
inline double to_nearest_double(std::vector<std::uint64_t> const& limbs) {
  if (limbs.empty()) return 0;
  std::size_t const top = limbs.size() - 1;
  int const shift = std::countl_zero(limbs[top]);
  std::uint64_t leading = limbs[top] << shift;
  std::uint64_t rest = 0;  // not 0 if anything stands below the 64 leading bits
  if (top > 0) {
    if (shift > 0) leading |= limbs[top - 1] >> (64 - shift);
    rest = limbs[top - 1] << shift;
  }
  for (std::size_t k = 0; k + 1 < top; ++k) rest |= limbs[k];
  // The conversion rounds away 11 bits; the last of them may stand for all that follow.
  double const rounded = static_cast<double>(leading | (rest != 0 ? 1U : 0U));
  auto const exponent = static_cast<double>(top) * 64 - shift;
  return std::ldexp(rounded, static_cast<int>(std::min(exponent, 2000.0)));
}

}  // namespace carroll::detail
