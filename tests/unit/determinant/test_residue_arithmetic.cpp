// SPDX-License-Identifier: BSD-3-Clause
// What integer_determinant computes with: residues, primes, mixed radix, natural numbers, and the
// double that is nearest to its result.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/integer_determinant.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace {

using carroll::IntegerDeterminant;
using carroll::detail::Montgomery;
using carroll::detail::PrimeSource;
using carroll::detail::Words;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t primes_of_29_bits[] = {268435459, 400000009, 536870909};

TEST(Montgomery, ResiduesOfExtremes) {
  for (std::uint32_t p : primes_of_29_bits) {
    Montgomery const modulo(p);
    auto const expected = [&](std::int64_t x) {
      std::int64_t const rest = x % static_cast<std::int64_t>(p);
      return static_cast<std::uint32_t>(rest < 0 ? rest + p : rest);
    };
    for (std::int64_t x : {least, least + 1, -std::int64_t{p} - 1, -std::int64_t{p},
                           -std::int64_t{1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{p} - 1,
                           std::int64_t{p}, greatest - 1, greatest, std::int64_t{1} << 32})
      EXPECT_EQ(modulo.residue(x), expected(x)) << x << " mod " << p;
    for (std::int32_t x :
         {std::numeric_limits<std::int32_t>::min(), -1, 0, 1, static_cast<std::int32_t>(p),
          -static_cast<std::int32_t>(p), std::numeric_limits<std::int32_t>::max()})
      EXPECT_EQ(modulo.residue(x), expected(x)) << x << " mod " << p;
  }
}

TEST(Montgomery, ProductsAndInverses) {
  for (std::uint32_t p : primes_of_29_bits) {
    Montgomery const modulo(p);
    for (std::uint32_t x : {1U, 2U, 12345678U, p / 2, p - 2, p - 1}) {
      EXPECT_EQ(modulo.from_form(modulo.to_form(x)), x);
      EXPECT_EQ(modulo.multiply(modulo.to_form(x), p - 1), p - x);
      EXPECT_EQ(modulo.multiply(modulo.inverse(modulo.to_form(x)), x), 1U);
      // The largest sum of products that one reduction may serve.
      std::uint64_t const sum =
          std::uint64_t{Montgomery::products_per_reduction} * (p - 1) * (p - 1);
      std::uint32_t const reduced =  // 8·(p − 1)² = 8 mod p
          modulo.from_form(Montgomery::products_per_reduction);
      EXPECT_EQ(modulo.reduce(sum), reduced);
      EXPECT_EQ(modulo.subtract(x, sum), (x + p - reduced) % p);
    }
  }
}

bool is_prime_by_division(std::uint32_t n) {
  for (std::uint32_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

TEST(Primes, TestedAsByDivision) {
  for (std::uint32_t begin : {1U << 28U, 400'000'000U, (1U << 29U) - 3000U})
    for (std::uint32_t n = begin + 1; n < begin + 3000; n += 2)
      ASSERT_EQ(carroll::detail::is_prime(n), is_prime_by_division(n)) << n;
  // Composite, but strong pseudoprimes to two of the three bases.
  for (std::uint32_t n :
       {284'166'877U, 348'989'101U, 418'192'133U, 418'226'581U, 464'012'033U, 471'168'253U})
    EXPECT_FALSE(carroll::detail::is_prime(n)) << n;
}

TEST(Primes, DescendFromTheLargest) {
  PrimeSource source;
  EXPECT_EQ(source.next_lower(), 536'870'909U);
  EXPECT_EQ(source.next_lower(), 536'870'879U);
  EXPECT_EQ(source.next_lower(), 536'870'869U);
}

TEST(Primes, RandomOnesFollowTheSeed) {
  auto const draw = [](std::uint64_t seed) {
    PrimeSource source;
    return carroll::detail::primes_beyond(
        5000, [&](auto const& used) { return source.next_random(seed, used); });
  };
  auto const primes = draw(3);
  EXPECT_EQ(primes, draw(3));
  EXPECT_NE(primes, draw(4));
  EXPECT_EQ(std::set<std::uint32_t>(primes.begin(), primes.end()).size(), primes.size());
  double bits = 0;
  for (std::uint32_t p : primes) {
    EXPECT_GT(p, 1U << 28U);
    EXPECT_LT(p, 1U << 29U);
    bits += std::log2(p);
  }
  EXPECT_GT(bits, 5001);
  EXPECT_LT(bits, 5031);
}

TEST(Natural, DecimalDigits) {
  EXPECT_EQ(carroll::detail::to_decimal({}), "0");
  EXPECT_EQ(carroll::detail::to_decimal({1'000'000'000}), "1000000000");
  EXPECT_EQ(carroll::detail::to_decimal({0, 1}), "4294967296");
  Words ten_to_90 = {1};
  for (int k = 0; k < 90; ++k) carroll::detail::multiply_add(ten_to_90, 10, 0);
  EXPECT_EQ(carroll::detail::to_decimal(ten_to_90), "1" + std::string(90, '0'));
  carroll::detail::multiply_add(ten_to_90, 1, -1);
  EXPECT_EQ(carroll::detail::to_decimal(ten_to_90), std::string(90, '9'));
  EXPECT_EQ(carroll::detail::to_words(carroll::detail::to_limbs(ten_to_90)), ten_to_90);
}

double as_double(int sign, std::vector<std::uint64_t> const& limbs) {
  return static_cast<double>(IntegerDeterminant{.sign = sign, .limbs = limbs});
}

TEST(IntegerDeterminantResult, NearestDouble) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63U;
  EXPECT_EQ(as_double(0, {}), 0.0);
  EXPECT_EQ(as_double(-1, {5}), -5.0);
  EXPECT_EQ(as_double(1, {0, 1}), 0x1p64);
  EXPECT_EQ(as_double(1, {~std::uint64_t{0}, ~std::uint64_t{0}}), 0x1p128);
  // Ties go to even, and anything below a tie decides it.
  EXPECT_EQ(as_double(1, {half, std::uint64_t{1} << 52U}), 0x1p116);
  EXPECT_EQ(as_double(1, {half + 1, std::uint64_t{1} << 52U}), 0x1.0000000000001p116);
  EXPECT_EQ(as_double(1, {1, half, std::uint64_t{1} << 52U}), 0x1.0000000000001p180);
  EXPECT_EQ(as_double(1, {half, (std::uint64_t{1} << 52U) + 1}), 0x1.0000000000002p116);
  std::vector<std::uint64_t> large(16, 0);
  large.back() = ~std::uint64_t{0} << 11U;
  EXPECT_EQ(as_double(1, large), std::numeric_limits<double>::max());
  large.back() = ~std::uint64_t{0};
  EXPECT_EQ(as_double(-1, large), -std::numeric_limits<double>::infinity());
  large.resize(1000, 1);
  EXPECT_EQ(as_double(1, large), std::numeric_limits<double>::infinity());
}

TEST(MixedRadix, IsTheIntegerOfEitherSign) {
  for (std::int64_t x :
       {greatest, least, std::int64_t{-1}, std::int64_t{0}, std::int64_t{268435454},
        std::int64_t{268435455}, std::int64_t{-268435454}}) {
    carroll::detail::MixedRadix value;
    PrimeSource source;
    for (int k = 0; k < 6; ++k) {
      std::uint32_t const p = source.next_lower();
      value.append(p, Montgomery(p).residue(x));
    }
    auto const magnitude =
        x < 0 ? 0U - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
    EXPECT_EQ(value.sign(), x < 0 ? -1 : int(x > 0));
    EXPECT_EQ(carroll::detail::to_decimal(value.magnitude()), std::to_string(magnitude));
    EXPECT_GE(value.unchanged(), 3);
  }
}

}  // namespace
