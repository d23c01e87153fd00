// SPDX-License-Identifier: BSD-3-Clause
// The parts of integer_determinant, and what its caller sees: layouts, empty problems, options, the
// result.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/integer_determinant.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/determinant/integer_matrices.hpp"

namespace {

using namespace carroll::test;
using carroll::IntegerDeterminant;
using carroll::Status;
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

TEST(IntegerDeterminant, OfNothingIsOne) {
  auto const result = run_integer_determinant(IntegerMatrix(0, 0));
  EXPECT_EQ(result.status, Status::success);
  EXPECT_EQ(result.to_string(), "1");
  EXPECT_EQ(static_cast<double>(result), 1.0);
  EXPECT_EQ(result.primes, 0);
  EXPECT_TRUE(result.proven);
}

TEST(IntegerDeterminant, OfOneEntry) {
  for (std::int64_t x : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, least, greatest}) {
    auto const result = run_integer_determinant(make_integers(1, [&](int, int) { return x; }));
    EXPECT_EQ(result.to_string(), std::to_string(x));
    EXPECT_EQ(static_cast<double>(result), static_cast<double>(x));
    EXPECT_TRUE(result.proven);
  }
}

TEST(IntegerDeterminant, OfAZeroLineTakesNoPrimes) {
  auto A = random_integers(20, 64, 1);
  for (int i = 0; i < 20; ++i) A(i, 7) = 0;
  auto const result = run_integer_determinant(A);
  EXPECT_EQ(result.to_string(), "0");
  EXPECT_EQ(result.sign, 0);
  EXPECT_TRUE(result.limbs.empty());
  EXPECT_EQ(result.primes, 0);
  EXPECT_TRUE(result.proven);
}

TEST(IntegerDeterminant, IsTheSameForEveryLayoutAndType) {
  for (int n : {2, 7, 8, 9, 17, 40}) {
    auto const A = random_integers(n, 32, static_cast<std::uint64_t>(n));
    auto const expected = run_integer_determinant(A).to_string();
    using Left = Kokkos::LayoutLeft;
    using Right = Kokkos::LayoutRight;
    using Stride = Kokkos::LayoutStride;
    EXPECT_EQ((run_integer_determinant<std::int64_t, Left>(A).to_string()), expected);
    EXPECT_EQ((run_integer_determinant<std::int64_t, Stride>(A).to_string()), expected);
    EXPECT_EQ((run_integer_determinant<std::int32_t, Left>(A).to_string()), expected);
    EXPECT_EQ((run_integer_determinant<std::int32_t, Right>(A).to_string()), expected);
    EXPECT_EQ((run_integer_determinant<std::int32_t, Stride>(A).to_string()), expected);
  }
}

TEST(IntegerDeterminant, KeepsTheMatrix) {
  HostMatrix<std::int32_t> entries(9, 9);
  for (std::size_t k = 0; k < entries.data.size(); ++k)
    entries.data[k] = static_cast<std::int32_t>(k * k % 23);
  auto A = guarded_from<std::int32_t, Kokkos::LayoutStride>(entries);
  (void)carroll::integer_determinant(Exec{}, A.view());
  A.to_host();
  EXPECT_TRUE(A.guards_intact());
  EXPECT_EQ(to_host_matrix(A, 9, 9).data, entries.data);
}

TEST(IntegerDeterminant, OfASubviewOfALargerMatrix) {
  auto const whole = random_integers(12, 32, 5);
  Kokkos::View<std::int64_t**, Kokkos::LayoutRight, Memory> const view("carroll_test::whole", 12,
                                                                       12);
  auto const mirror = Kokkos::create_mirror_view(view);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) mirror(i, j) = whole(i, j);
  Kokkos::deep_copy(view, mirror);
  auto const part = Kokkos::subview(view, std::pair{3, 10}, std::pair{5, 12});
  auto const expected =
      run_integer_determinant(make_integers(7, [&](int i, int j) { return whole(3 + i, 5 + j); }));
  EXPECT_EQ(carroll::integer_determinant(Exec{}, part).to_string(), expected.to_string());
}

TEST(IntegerDeterminant, DoesNotDependOnTheWorkspace) {
  auto const A = random_integers(50, 64, 8);
  auto const expected = run_integer_determinant(A);
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{30'000}}) {
    auto const result = run_integer_determinant(A, {.workspace_bytes = bytes});
    EXPECT_EQ(result.limbs, expected.limbs);
    EXPECT_EQ(result.sign, expected.sign);
    EXPECT_EQ(result.primes, expected.primes);
  }
}

TEST(IntegerDeterminant, StopsEarlyWhenAsked) {
  // det = 1 with large entries: a unit lower times a unit upper triangle.
  auto const triangle = random_integers(60, 8, 9);
  auto const A = make_integers(60, [&](int i, int j) {
    std::int64_t sum = 0;
    for (int k = 0; k <= std::min(i, j); ++k)
      sum += (k == i ? 1 : triangle(i, k)) * (k == j ? 1 : triangle(k, j));
    return sum;
  });
  auto const proven = run_integer_determinant(A);
  EXPECT_EQ(proven.to_string(), "1");
  EXPECT_TRUE(proven.proven);
  EXPECT_GT(proven.primes, 20);
  for (int confirmations : {1, 3, 10}) {
    auto const early = run_integer_determinant(A, {.early_termination = confirmations, .seed = 5});
    EXPECT_EQ(early.to_string(), "1");
    EXPECT_FALSE(early.proven);
    EXPECT_EQ(early.primes, 1 + confirmations);
  }
  auto const never = run_integer_determinant(A, {.early_termination = 1000});
  EXPECT_EQ(never.to_string(), "1");
  EXPECT_TRUE(never.proven);
}

TEST(IntegerDeterminant, EarlyTerminationFindsWhatIsProven) {
  for (int n : {3, 20, 45}) {
    auto const A = random_integers(n, 32, 10);
    auto const expected = run_integer_determinant(A).to_string();
    for (std::uint64_t seed : {0U, 1U, 2U})
      EXPECT_EQ(run_integer_determinant(A, {.early_termination = 2, .seed = seed}).to_string(),
                expected);
  }
}

// The determinant is the first prime that this seed gives by itself.
TEST(IntegerDeterminant, IsSingularOnlyWithAProof) {
  auto const prime = make_integers(1, [](int, int) { return 380790511; });
  for (int confirmations : {1, 2, 3}) {
    auto const det = run_integer_determinant(prime, {.early_termination = confirmations});
    EXPECT_EQ(det.status, carroll::Status::success);
    EXPECT_EQ(det.to_string(), "380790511");
  }
  auto singular = random_integers(30, 20, 12);
  for (int j = 0; j < 30; ++j) singular(7, j) = singular(3, j) + singular(4, j);
  auto const proven = run_integer_determinant(singular);
  for (int confirmations : {1, 3}) {
    auto const det = run_integer_determinant(singular, {.early_termination = confirmations});
    EXPECT_EQ(det.status, carroll::Status::singular);
    EXPECT_TRUE(det.proven);
    EXPECT_GE(det.primes, proven.primes);
  }
}

// Next to a multiple of the primes that a seed gives: a value that they would all confirm.
TEST(IntegerDeterminant, PrimesFollowFromTheMatrix) {
  for (std::uint64_t seed : {0U, 1U, 2U}) {
    carroll::detail::PrimeSource source;
    std::vector<std::uint32_t> primes;
    for (int k = 0; k < 2; ++k) primes.push_back(source.next_random(seed, primes));
    std::int64_t const det = std::int64_t{2} * primes[0] * primes[1] + 7;
    auto const A = make_integers(1, [&](int, int) { return det; });
    auto const early = run_integer_determinant(A, {.early_termination = 1, .seed = seed});
    EXPECT_EQ(early.to_string(), std::to_string(det));
  }
}

}  // namespace
