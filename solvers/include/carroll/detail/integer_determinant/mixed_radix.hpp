// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/integer_determinant/montgomery.hpp>
#include <carroll/detail/integer_determinant/natural.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::detail {

/// An integer from its residues, by Garner's algorithm (Knuth, The Art of Computer Programming 2,
/// 4.3.2) with balanced digits:
///
///   x = d₀ + d₁·p₀ + d₂·p₀p₁ + …,   |dᵢ| <= (pᵢ − 1)/2,
///
/// of which those of the first i primes are x itself as soon as |x| < p₀⋯pᵢ₋₁/2, negative or not:
/// from there on all digits are 0. On the host; prime i costs 3i products.
class MixedRadix {
 public:
  void append(std::uint32_t prime, std::uint32_t residue) {
    Montgomery const modulo(prime);
    std::uint32_t value = 0;           // of the digits so far, mod prime
    std::uint32_t product = modulo.r;  // of the primes so far, in Montgomery form
    for (std::size_t i = primes_.size(); i-- > 0;) {
      std::uint32_t const p = modulo.to_form(primes_[i]);
      auto const digit = static_cast<std::uint32_t>(digits_[i]);
      value = modulo.raise(modulo.raise(modulo.multiply(value, p) + digit) - prime);
      product = modulo.multiply(product, p);
    }
    std::uint32_t const difference = modulo.raise(residue - value);
    auto digit = static_cast<std::int32_t>(modulo.multiply(difference, modulo.inverse(product)));
    auto const p = static_cast<std::int32_t>(prime);
    if (digit > p / 2) digit -= p;
    primes_.push_back(prime);
    digits_.push_back(digit);
    unchanged_ = digit == 0 ? unchanged_ + 1 : 0;
  }

  [[nodiscard]] int size() const { return static_cast<int>(primes_.size()); }
  /// How many primes in a row have left the value as it was.
  [[nodiscard]] int unchanged() const { return unchanged_; }
  /// That of the leading digit: all that follows is smaller.
  [[nodiscard]] int sign() const {
    int const leading = size() - unchanged_ - 1;
    if (leading < 0) return 0;
    return digits_[static_cast<std::size_t>(leading)] > 0 ? 1 : -1;
  }
  /// Horner's scheme, from the leading digit on.
  [[nodiscard]] Words magnitude() const {
    Words words;
    for (auto i = static_cast<std::size_t>(size() - unchanged_); i-- > 0;)
      multiply_add(words, primes_[i], sign() * digits_[i]);
    return words;
  }

 private:
  std::vector<std::uint32_t> primes_;
  std::vector<std::int32_t> digits_;
  int unchanged_ = 0;
};

}  // namespace carroll::detail
