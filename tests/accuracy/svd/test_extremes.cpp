// SPDX-License-Identifier: BSD-3-Clause
// The ends of the number range: denormals, overflow, NaN and Inf, and exact scaling by powers of
// two.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "accuracy/svd/checks.hpp"
#include "support/random.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class SvdExtremes : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdExtremes, Reals);

TYPED_TEST(SvdExtremes, AllTwoByTwo) {
  auto const matrices = two_by_two_extremes<TypeParam>();
  ASSERT_EQ(matrices.size(), 6561U);
  auto const results = run_svd_batch(matrices);
  int failures = 0;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    auto const& a = matrices[k].data;
    SvdRatios const ratios = svd_ratios(matrices[k], results[k].U, results[k].S, results[k].V);
    Summary::instance().add(std::string("2x2 extremes, ") + precision_name<TypeParam>,
                            std::to_string(k), ratios);
    if (ratios.worst() <= ratio_bar && results[k].info.status == Status::success) continue;
    if (++failures > 10) continue;  // ten show the pattern
    ADD_FAILURE() << "[" << a[0] << ' ' << a[2] << "; " << a[1] << ' ' << a[3]
                  << "]: " << to_string(ratios) << ", S " << results[k].S[0] << ' '
                  << results[k].S[1] << ", " << carroll::to_string(results[k].info.status);
  }
  EXPECT_EQ(failures, 0);
}

TYPED_TEST(SvdExtremes, HugeThreeByThree) {
  auto const A = three_by_three_huge<TypeParam>();
  expect_accurate("huge 3x3", A, run_svd(A));
  expect_accurate("huge 3x3", transposed(A), run_svd(transposed(A)));
}

TYPED_TEST(SvdExtremes, OverflowingValueIsInfiniteAndFlagged) {
  for (int n : {2, 3, 17, 33}) {
    HostMatrix<TypeParam> A(n, n);
    for (auto& entry : A.data) entry = std::numeric_limits<TypeParam>::max();
    auto const result = run_svd(A);
    EXPECT_EQ(result.info.status, Status::overflow) << n;
    EXPECT_EQ(result.info.rank, 1) << n;
    EXPECT_EQ(result.S[0], std::numeric_limits<TypeParam>::infinity()) << n;
    EXPECT_TRUE(is_descending(result.S));
    for (int k = 1; k < n; ++k)
      EXPECT_TRUE(std::isfinite(result.S[static_cast<std::size_t>(k)])) << n << ", " << k;
    // The vectors are those of the same matrix further down in the range.
    auto const smaller = scaled_by_power_of_two(A, -20);
    auto const expected = run_svd(smaller);
    EXPECT_EQ(expected.info.status, Status::success);
    SvdRatios const ratios = svd_ratios(smaller, result.U, expected.S, result.V);
    EXPECT_LE(ratios.worst(), ratio_bar) << n << ": " << to_string(ratios);
  }
}

TYPED_TEST(SvdExtremes, LargestFiniteEntryIsNoOverflow) {
  HostMatrix<TypeParam> A(3, 2);
  A(1, 1) = std::numeric_limits<TypeParam>::max();
  auto const result = run_svd(A);
  EXPECT_EQ(result.info.status, Status::success);
  EXPECT_EQ(result.S[0], std::numeric_limits<TypeParam>::max());
  EXPECT_EQ(result.S[1], TypeParam(0));
}

TYPED_TEST(SvdExtremes, NanAndInfAreFlaggedAndAnsweredByNan) {
  TypeParam const nan = std::numeric_limits<TypeParam>::quiet_NaN();
  TypeParam const infinity = std::numeric_limits<TypeParam>::infinity();
  for (auto method : {carroll::SvdMethod::preconditioned, carroll::SvdMethod::cyclic,
                      carroll::SvdMethod::round_robin})
    for (TypeParam bad : {nan, -nan, infinity, -infinity})
      for (auto [rows, cols] : {std::pair{1, 1}, {4, 3}, {3, 4}, {33, 33}, {100, 2}, {2, 100}}) {
        auto A = make_matrix<TypeParam>(MatrixType::random, rows, cols, 9);
        A(rows - 1, cols / 2) = bad;
        auto const result = run_svd(A, full_vectors, {.method = method});
        EXPECT_EQ(result.info.status, Status::non_finite) << rows << 'x' << cols << ' ' << bad;
        EXPECT_TRUE(all_nan(result.U.data) && all_nan(result.S) && all_nan(result.V.data))
            << rows << 'x' << cols << ' ' << bad;
        auto const values = run_svd(A, only_values, {.method = method});
        EXPECT_EQ(values.info.status, Status::non_finite);
        EXPECT_TRUE(all_nan(values.S));
      }
}

/// Kernels that share a matrix look at its columns, and at the rows of a square one, one by one.
TYPED_TEST(SvdExtremes, OneNanIsSeenInEveryColumnOfALargeMatrix) {
  for (auto [rows, cols] : {std::pair{150, 140}, {140, 150}, {140, 140}})
    for (std::size_t part = 0; part <= 8; ++part) {
      auto A = make_matrix<TypeParam>(MatrixType::random, rows, cols, 9);
      A.data[part * (A.data.size() - 1) / 8] = std::numeric_limits<TypeParam>::quiet_NaN();
      auto const result = run_svd(A);
      EXPECT_EQ(result.info.status, Status::non_finite) << rows << 'x' << cols << ' ' << part;
      EXPECT_TRUE(all_nan(result.U.data) && all_nan(result.S) && all_nan(result.V.data));
    }
}

/// 2ᵏ·A has exactly the factors of A, and 2ᵏ times its singular values, while nothing leaves the
/// normal range.
TYPED_TEST(SvdExtremes, PowersOfTwoScaleExactly) {
  constexpr bool is_single = sizeof(TypeParam) == sizeof(float);
  std::vector<int> const exponents =
      is_single ? std::vector<int>{-90, -40, -3, -1, 1, 2, 40, 90}
                : std::vector<int>{-900, -500, -100, -3, -1, 1, 2, 100, 500, 900};
  for (auto method : {carroll::SvdMethod::preconditioned, carroll::SvdMethod::cyclic,
                      carroll::SvdMethod::round_robin})
    for (MatrixType type : {MatrixType::random, MatrixType::dense_even, MatrixType::uniform01,
                            MatrixType::rank_deficient, MatrixType::kahan})
      for (auto [rows, cols] : {std::pair{2, 2}, {5, 5}, {40, 33}, {33, 40}, {100, 7}}) {
        auto const A = make_matrix<TypeParam>(type, rows, cols, 21);
        auto const base = run_svd(A, thin_vectors, {.method = method});
        for (int exponent : exponents) {
          auto const scaled =
              run_svd(scaled_by_power_of_two(A, exponent), thin_vectors, {.method = method});
          auto expected = base.S;
          for (auto& sigma : expected) sigma = std::ldexp(sigma, exponent);
          bool const normal =
              expected.back() == 0 || expected.back() >= std::numeric_limits<TypeParam>::min();
          if (normal) {
            EXPECT_TRUE(same_bits(scaled.S, expected))
                << to_string(type) << ' ' << rows << 'x' << cols << " 2^" << exponent;
          }
          EXPECT_TRUE(same_bits(scaled.U, base.U) && same_bits(scaled.V, base.V))
              << to_string(type) << ' ' << rows << 'x' << cols << " 2^" << exponent;
        }
      }
}

}  // namespace
