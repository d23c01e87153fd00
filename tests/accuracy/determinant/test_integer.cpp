// SPDX-License-Identifier: BSD-3-Clause
// integer_determinant against FLINT and against determinants that are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/determinant/flint_oracle.hpp"
#include "support/determinant/integer_matrices.hpp"

namespace {

using namespace carroll::test;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

std::string determinant(IntegerMatrix const& A) {
  auto const result = run_integer_determinant(A);
  EXPECT_TRUE(result.proven);
  EXPECT_EQ(result.status, result.sign == 0 ? carroll::Status::singular : carroll::Status::success);
  return result.to_string();
}

template <class F>
std::string determinant(int n, F const& f) {
  return determinant(make_integers(n, f));
}

#define CARROLL_NEEDS_FLINT() \
  if (!have_flint()) GTEST_SKIP() << "built without FLINT (Debian: libflint-dev)"

TEST(IntegerDeterminantAgainstFlint, FiveHundredMatricesOf32Bits) {
  CARROLL_NEEDS_FLINT();
  std::mt19937_64 engine(1);
  for (int k = 0; k < 500; ++k) {
    // All sizes to 60 more often than those to 200.
    int const n =
        k % 10 == 0 ? 61 + static_cast<int>(engine() % 140) : 1 + static_cast<int>(engine() % 60);
    auto const A = random_integers(k == 0 ? 200 : n, 32, static_cast<std::uint64_t>(k));
    ASSERT_EQ((run_integer_determinant<std::int32_t>(A).to_string()), flint_determinant(A))
        << "matrix " << k << ", n = " << A.rows;
  }
}

TEST(IntegerDeterminantAgainstFlint, OtherSizesOfEntries) {
  CARROLL_NEEDS_FLINT();
  for (int bits : {1, 2, 8, 31, 33, 53, 64})
    for (int n : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33, 64, 90}) {
      auto const A = random_integers(n, bits, static_cast<std::uint64_t>(100 * bits + n));
      ASSERT_EQ(determinant(A), flint_determinant(A)) << bits << " bits, n = " << n;
    }
}

TEST(IntegerDeterminantAgainstFlint, ExtremeEntries) {
  CARROLL_NEEDS_FLINT();
  std::mt19937_64 engine(2);
  for (int n = 1; n <= 40; ++n) {
    auto const A = make_integers(n, [&](int, int) {
      std::int64_t const choices[] = {least, greatest, least + 1, -1, 0, 1};
      return choices[engine() % 6];
    });
    ASSERT_EQ(determinant(A), flint_determinant(A)) << "n = " << n;
  }
}

TEST(IntegerDeterminantAgainstFlint, SparseMatricesNeedPivots) {
  CARROLL_NEEDS_FLINT();
  std::mt19937_64 engine(3);
  for (int n = 2; n <= 60; ++n) {
    auto const A = make_integers(n, [&](int, int) {
      return engine() % static_cast<unsigned>(n) < 3 ? static_cast<std::int64_t>(engine() % 19) - 9
                                                     : 0;
    });
    ASSERT_EQ(determinant(A), flint_determinant(A)) << "n = " << n;
  }
}

TEST(IntegerDeterminantAgainstFlint, EntriesNearThePrimes) {
  CARROLL_NEEDS_FLINT();
  std::mt19937_64 engine(4);
  for (int n = 2; n <= 30; ++n) {
    auto const A = make_integers(n, [&](int, int) {
      std::int64_t const p = engine() % 2 == 0 ? 536'870'909 : 536'870'879;
      return p * (static_cast<std::int64_t>(engine() % 5) - 2) +
             (engine() % 4 == 0 ? static_cast<std::int64_t>(engine() % 3) - 1 : 0);
    });
    ASSERT_EQ(determinant(A), flint_determinant(A)) << "n = " << n;
  }
}

TEST(IntegerDeterminantAgainstFlint, FourHundredRows) {
  CARROLL_NEEDS_FLINT();
  auto const A = random_integers(400, 16, 5);
  EXPECT_EQ(determinant(A), flint_determinant(A));
}

TEST(KnownIntegerDeterminant, TwoByTwo) {
  EXPECT_EQ(determinant(2, [](int i, int j) { return i == 1 && j == 0 ? greatest : least; }),
            "170141183460469231722463931679029329920");
  IntegerMatrix fibonacci(2, 2);
  fibonacci.data = {63'245'986, 102'334'155, 102'334'155, 165'580'141};
  EXPECT_EQ(determinant(fibonacci), "1");
  EXPECT_EQ(determinant(3, [](int i, int j) { return i == j ? 2 : 0; }), "8");
}

TEST(KnownIntegerDeterminant, PowersOfTheExtremes) {
  for (int n : {1, 2, 3, 8, 50, 101}) {
    auto const result =
        run_integer_determinant(make_integers(n, [](int i, int j) { return i == j ? least : 0; }));
    EXPECT_EQ(result.sign, n % 2 == 0 ? 1 : -1);
    ASSERT_EQ(result.limbs.size(), static_cast<std::size_t>(63 * n / 64 + 1));
    EXPECT_EQ(result.limbs.back(), std::uint64_t{1} << (63 * n % 64));
    EXPECT_TRUE(std::all_of(result.limbs.begin(), result.limbs.end() - 1,
                            [](std::uint64_t limb) { return limb == 0; }));
  }
}

/// Sylvester's matrices attain Hadamard's bound: ±n^(n/2).
TEST(KnownIntegerDeterminant, Hadamard) {
  auto const entry = [](int i, int j) {
    return std::popcount(static_cast<unsigned>(i & j)) % 2 == 0 ? 1 : -1;
  };
  EXPECT_EQ(determinant(2, entry), "-2");
  for (int log = 2; log <= 8; ++log) {
    int const n = 1 << log;
    int const bits = log * n / 2;
    auto const result = run_integer_determinant(make_integers(n, entry));
    EXPECT_EQ(result.sign, 1) << n;
    ASSERT_EQ(result.limbs.size(), static_cast<std::size_t>(bits / 64 + 1)) << n;
    EXPECT_EQ(result.limbs.back(), std::uint64_t{1} << (bits % 64)) << n;
    EXPECT_TRUE(std::all_of(result.limbs.begin(), result.limbs.end() - 1,
                            [](std::uint64_t limb) { return limb == 0; }));
    EXPECT_TRUE(result.proven);
  }
}

TEST(KnownIntegerDeterminant, Permutations) {
  std::mt19937_64 engine(6);
  for (int n : {2, 5, 8, 9, 31, 100}) {
    std::vector<int> image(static_cast<std::size_t>(n));
    std::iota(image.begin(), image.end(), 0);
    int sign = 1;
    for (int i = n - 1; i > 0; --i) {
      auto const j = static_cast<int>(engine() % static_cast<unsigned>(i + 1));
      if (i == j) continue;
      std::swap(image[static_cast<std::size_t>(i)], image[static_cast<std::size_t>(j)]);
      sign = -sign;
    }
    EXPECT_EQ(determinant(n, [&](int i, int j) { return image[static_cast<std::size_t>(i)] == j; }),
              std::to_string(sign));
    // Backwards: n(n − 1)/2 inversions.
    EXPECT_EQ(determinant(n, [&](int i, int j) { return i + j == n - 1; }),
              n * (n - 1) / 2 % 2 == 0 ? "1" : "-1");
  }
}

TEST(KnownIntegerDeterminant, Singular) {
  EXPECT_EQ(determinant(3, [](int i, int j) { return 3 * i + j + 1; }), "0");
  for (int n : {2, 8, 20, 90}) {
    auto A = random_integers(n, 60, 7);
    for (int j = 0; j < n; ++j) A(n - 1, j) = -A(0, j);
    EXPECT_EQ(determinant(A), "0");
    EXPECT_EQ(determinant(n, [](int i, int j) { return (i + 1) * (j - 5); }), "0");
    EXPECT_EQ(determinant(n, [](int, int) { return least; }), "0");
  }
}

TEST(KnownIntegerDeterminant, One) {
  for (int n : {1, 10, 100, 300})
    EXPECT_EQ(determinant(n, [](int i, int j) { return std::min(i, j) + 1; }), "1") << n;
  // Frank's matrix.
  for (int n : {5, 50})
    EXPECT_EQ(determinant(n, [&](int i, int j) { return j < i - 1 ? 0 : n - std::max(i, j); }), "1")
        << n;
  // Pascal's, up to the largest binomial coefficient of 63 bits.
  IntegerMatrix pascal = make_integers(34, [](int, int) { return 1; });
  for (int i = 1; i < 34; ++i)
    for (int j = 1; j < 34; ++j) pascal(i, j) = pascal(i - 1, j) + pascal(i, j - 1);
  EXPECT_EQ(determinant(pascal), "1");
}

TEST(KnownIntegerDeterminant, ClosedForms) {
  // tri(−1, 2, −1): n + 1.
  for (int n : {1, 9, 200})
    EXPECT_EQ(determinant(
                  n, [](int i, int j) { return i == j ? 2 : (i - j == 1 || j - i == 1 ? -1 : 0); }),
              std::to_string(n + 1));
  // a on the diagonal, b elsewhere: (a − b)ⁿ⁻¹·(a + (n − 1)b).
  EXPECT_EQ(determinant(91, [](int i, int j) { return i == j ? 11 : 1; }),
            "101" + std::string(90, '0'));
  EXPECT_EQ(determinant(92, [](int i, int j) { return i == j ? -9 : 1; }),
            "-82" + std::string(91, '0'));
  // Kac and Clement: (−1)^(n/2)·((n − 1)!!)², 0 for odd n.
  auto const clement = [](int n) {
    return make_integers(n,
                         [n](int i, int j) { return j == i + 1 ? j : (i == j + 1 ? n - i : 0); });
  };
  EXPECT_EQ(determinant(clement(14)), "-18261468225");
  EXPECT_EQ(determinant(clement(20)), "428670161650355625");
  EXPECT_EQ(determinant(clement(21)), "0");
  // gcd(i, j): the product of Euler's φ.
  EXPECT_EQ(determinant(20, [](int i, int j) { return std::gcd(i + 1, j + 1); }), "46965467381760");
}

/// 1 in the first column and where i divides j: Σ μ(k), the function of Mertens.
TEST(KnownIntegerDeterminant, Redheffer) {
  auto const redheffer = [](int i, int j) { return j == 0 || (j + 1) % (i + 1) == 0; };
  EXPECT_EQ(determinant(10, redheffer), "-1");
  EXPECT_EQ(determinant(100, redheffer), "1");
  EXPECT_EQ(determinant(200, redheffer), "-8");
  EXPECT_EQ(determinant(400, redheffer), "1");
}

TEST(KnownIntegerDeterminant, RulesOfDeterminants) {
  int const n = 37;
  auto A = random_integers(n, 50, 8);
  auto const expected = determinant(A);
  EXPECT_EQ(determinant(transposed(A)), expected);
  auto const negated = expected.front() == '-' ? expected.substr(1) : "-" + expected;
  for (int j = 0; j < n; ++j) std::swap(A(3, j), A(30, j));
  EXPECT_EQ(determinant(A), negated);
  for (int j = 0; j < n; ++j) A(5, j) = -A(5, j);
  EXPECT_EQ(determinant(A), expected);
  for (int j = 0; j < n; ++j) A(5, j) += 13 * A(6, j);
  EXPECT_EQ(determinant(A), expected);
  for (int j = 0; j < n; ++j) A(9, j) *= 1000;
  EXPECT_EQ(determinant(A), expected + "000");
}

}  // namespace
