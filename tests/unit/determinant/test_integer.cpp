// SPDX-License-Identifier: BSD-3-Clause
// What the caller of integer_determinant sees: layouts, empty problems, options, the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/integer_determinant.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/copy.hpp"
#include "support/determinant/integer_matrices.hpp"

namespace {

using namespace carroll::test;
using carroll::IntegerDeterminant;
using carroll::Status;

TEST(IntegerDeterminant, OfNothingIsOne) {
  auto const result = run_integer_determinant(IntegerMatrix(0, 0));
  EXPECT_EQ(result.status, Status::success);
  EXPECT_EQ(result.to_string(), "1");
  EXPECT_EQ(static_cast<double>(result), 1.0);
  EXPECT_EQ(result.primes, 0);
  EXPECT_TRUE(result.proven);
}

TEST(IntegerDeterminant, OfOneEntry) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (std::int64_t x :
       {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, Limits::min(), Limits::max()}) {
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
  carroll::test::deep_copy(view, mirror);
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
