// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/integer_determinant/montgomery.hpp>
#include <carroll/detail/random.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace carroll::detail {

/// For odd n in [2^28, 2^29). Miller and Rabin's test with the bases 2, 7 and 61, which err for no
/// n below 4 759 123 141 (Jaeschke, "On strong pseudoprimes to several bases", Math. Comp. 61,
/// 1993).
inline bool is_prime(std::uint32_t n) {
  for (std::uint32_t divisor : {3U, 5U, 7U, 11U, 13U, 17U, 19U, 23U, 29U, 31U, 37U})
    if (n % divisor == 0) return false;
  Montgomery const modulo(n);
  std::uint32_t const one = modulo.r;
  std::uint32_t const minus_one = n - one;
  std::uint32_t odd = n - 1;
  int halvings = 0;
  for (; odd % 2 == 0; odd /= 2) ++halvings;
  for (std::uint32_t base : {2U, 7U, 61U}) {
    std::uint32_t x = modulo.power(modulo.to_form(base), odd);
    bool passes = x == one || x == minus_one;
    for (int k = 1; k < halvings && !passes; ++k) {
      x = modulo.multiply(x, x);
      passes = x == minus_one;
    }
    if (!passes) return false;
  }
  return true;
}

/// Primes in [2^28, 2^29), of which there are 13 561 907, none twice.
class PrimeSource {
 public:
  /// The largest first.
  std::uint32_t next_lower() {
    do candidate_ -= 2;
    while (!is_prime(candidate_));
    return candidate_;
  }
  /// Each of those that are not in `used` as likely as the next, and a function of the seed.
  std::uint32_t next_random(std::uint64_t seed, std::vector<std::uint32_t> const& used) {
    std::uint32_t candidate = 0;
    do {
      std::uint32_t const bits = philox(seed, {draws_++, 0, 0, 0})[0];
      candidate = least | (bits >> (33 - Montgomery::prime_bits)) | 1U;
    } while (!is_prime(candidate) || std::find(used.begin(), used.end(), candidate) != used.end());
    return candidate;
  }

 private:
  static constexpr std::uint32_t least = 1U << (Montgomery::prime_bits - 1);
  std::uint32_t candidate_ = 2 * least + 1;
  std::uint32_t draws_ = 0;
};

/// As many primes as it takes for their product to exceed 2^(bits + 1), so that it tells all
/// integers of absolute value up to 2^bits apart.
template <class NextPrime>
std::vector<std::uint32_t> primes_beyond(double bits, NextPrime const& next_prime) {
  std::vector<std::uint32_t> primes;
  double product_bits = 0;
  auto const certain_bits = [&] {  // less what the logarithms and their sum may err
    double const terms = static_cast<double>(primes.size()) + 8;
    return product_bits * (1 - terms * std::numeric_limits<double>::epsilon());
  };
  while (certain_bits() <= bits + 1) {
    primes.push_back(next_prime(primes));
    product_bits += std::log2(static_cast<double>(primes.back()));
  }
  return primes;
}

}  // namespace carroll::detail
