// SPDX-License-Identifier: BSD-3-Clause
// Against known solutions and oracles.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/lstsq.hpp>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "decompositions/lstsq_instances.hpp"
#include "support/lstsq/checks.hpp"
#include "support/lstsq/drivers.hpp"
#include "support/pseudoinverse/quad_pseudoinverse.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/svd/matrix_types.hpp"
#include "unit/lstsq/problems.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class LstsqSolutions : public ::testing::Test {};
TYPED_TEST_SUITE(LstsqSolutions, LstsqScalars);

TYPED_TEST(LstsqSolutions, KnownSolutions) {
  using M = HostMatrix<TypeParam>;
  M const tall = matrix<TypeParam>(3, 2, {1, 0, 1, 1, 1, 2});  // a line through 6, 0 and 0
  auto const line = run_lstsq(tall, matrix<TypeParam>(3, 1, {6, 0, 0}));
  expect_near(line.X, {5, -3}, 10);
  EXPECT_EQ(line.info.rank, 2);
  EXPECT_EQ(line.info.status, Status::success);
  M const wide = matrix<TypeParam>(1, 3, {1, 2, 2});  // the shortest of many solutions
  expect_near(run_lstsq(wide, matrix<TypeParam>(1, 2, {9, 18})).X, {1, 2, 2, 4, 2, 4}, 4);
  expect_near(run_pinv(wide).X, {1. / 9, 2. / 9, 2. / 9});
  M const deficient = matrix<TypeParam>(2, 2, {1, 1, 1, 1});
  auto const half = run_pinv(deficient);
  expect_near(half.X, {.25, .25, .25, .25});
  EXPECT_EQ(half.info.rank, 1);
  EXPECT_NEAR(half.info.sigma_max, 2, 1e-6);
  EXPECT_EQ(half.info.sigma_max, half.info.sigma_min);
  M const diagonal = matrix<TypeParam>(2, 2, {4, 0, 0, -.5});
  expect_near(run_pinv(diagonal).X, {.25, 0, 0, -2});
}

TYPED_TEST(LstsqSolutions, EmptyZeroAndOneByOne) {
  for (auto const& [m, n] : {std::pair(0, 0), {0, 3}, {3, 0}, {0, 70}, {500, 0}, {4, 3}, {2, 60}}) {
    LstsqProblem<TypeParam> const zero{HostMatrix<TypeParam>(m, n), HostMatrix<TypeParam>(m, 2)};
    auto ones = zero;
    std::fill(ones.B.data.begin(), ones.B.data.end(), TypeParam(1));
    auto const solved = run_lstsq(ones.A, ones.B);
    EXPECT_EQ(what_is_wrong(ones, false, {}, solved), "") << m << ' ' << n;
    EXPECT_EQ(solved.X.data, HostMatrix<TypeParam>(n, 2).data);
    auto const inverse = run_pinv(zero.A);
    EXPECT_EQ(inverse.X.data, HostMatrix<TypeParam>(n, m).data);
    EXPECT_EQ(inverse.info.rank, 0);
    EXPECT_EQ(inverse.info.sigma_max, 0);
    EXPECT_TRUE(run_lstsq(zero.A, HostMatrix<TypeParam>(m, 0)).X.data.empty());
  }
  auto const one = run_pinv(matrix<TypeParam>(1, 1, {-4}));
  EXPECT_EQ(one.X(0, 0), TypeParam(-.25));
  EXPECT_EQ(one.info.rank, 1);
  EXPECT_TRUE(run_lstsq_batch(std::vector<LstsqProblem<TypeParam>>{}, false).empty());
}

TYPED_TEST(LstsqSolutions, EveryTypeAndShape) {
  std::vector<std::pair<int, int>> const shapes{{1, 1},  {1, 6},   {6, 1},  {2, 2},   {3, 7},
                                                {7, 3},  {8, 8},   {9, 5},  {17, 16}, {33, 32},
                                                {65, 4}, {20, 50}, {50, 50}};
  Random random(1);
  for (MatrixType const type : all_matrix_types())
    for (auto const& [m, n] : shapes) {
      LstsqProblem<TypeParam> const problem{make_matrix<TypeParam>(type, m, n, 5),
                                            drawn<TypeParam>(random, m, 3)};
      auto const where = std::to_string(m) + "×" + std::to_string(n) + ' ' + to_string(type);
      EXPECT_EQ(what_is_wrong(problem, false, {}, run_lstsq(problem.A, problem.B)), "") << where;
      if (m * n > 600) continue;  // the oracle has as many right-hand sides as rows
      EXPECT_EQ(what_is_wrong(problem, true, {}, run_pinv(problem.A)), "") << "pinv " << where;
    }
}

/// Right-hand sides in the range of A: nothing but the condition number may be felt, not its
/// square.
TYPED_TEST(LstsqSolutions, ConditionIsNotSquared) {
  Random random(2);
  for (auto const& [m, n] : {std::pair(12, 12), {40, 9}, {9, 40}, {80, 60}}) {
    auto const exact =
        random_with_spectrum(m, n, geometric_spectrum(std::min(m, n), 1e4 * epsilon<TypeParam>), 3);
    LstsqProblem<TypeParam> problem{HostMatrix<TypeParam>(m, n), HostMatrix<TypeParam>(m, 1)};
    std::copy(exact.data.begin(), exact.data.end(), problem.A.data.begin());
    for (int j = 0; j < n; ++j) {
      auto const x = static_cast<TypeParam>(random.normal());
      for (int i = 0; i < m; ++i) problem.B(i, 0) += problem.A(i, j) * x;
    }
    auto const ratios = lstsq_ratios(problem, false, -1, run_lstsq(problem.A, problem.B));
    EXPECT_LE(ratios.gradient, ratio_bar) << m << "×" << n;
    EXPECT_LE(ratios.forward, ratio_bar) << m << "×" << n;
  }
}

TEST(LstsqOracles, AgreesWithLapack) {
  Random random(3);
  for (auto const& [m, n] : {std::pair(20, 20), {50, 30}, {30, 50}, {10, 1}}) {
    auto sigma = geometric_spectrum(std::min(m, n), 1e-2);
    for (std::size_t k = sigma.size() / 2 + 1; k < sigma.size(); ++k) sigma[k] = 0;
    auto const A = random_with_spectrum(m, n, sigma, 4);
    auto const B = drawn<double>(random, m, 1);
    auto const lapack = lapack_least_squares(A, B.data, 1e-10);
    if (!lapack) GTEST_SKIP() << "no LAPACKE";
    LstsqCall call;
    call.options.rcond = 1e-10;
    auto const ours = run_lstsq(A, B, call);
    EXPECT_EQ(ours.info.rank, lapack->rank);
    EXPECT_NEAR(ours.info.sigma_max, lapack->sigma.front(), 1e-13);
    double norm = 0, off = 0;
    for (std::size_t i = 0; i < lapack->x.size(); ++i) {
      norm += lapack->x[i] * lapack->x[i];
      off += std::pow(lapack->x[i] - ours.X.data[i], 2);
    }
    EXPECT_LE(std::sqrt(off), minimum_norm_tolerance * std::sqrt(norm));
  }
}

TEST(LstsqOracles, PseudoinverseInQuadruplePrecision) {
  for (MatrixType const type : {MatrixType::rank_deficient, MatrixType::repeated_columns,
                                MatrixType::ones, MatrixType::random})
    for (auto const& [m, n] : {std::pair(6, 6), {12, 7}, {30, 30}}) {
      auto const A = make_matrix<double>(type, m, n, 6);
      auto const expected = quad_pseudoinverse(A);
      auto const ours = run_pinv(A);
      EXPECT_EQ(ours.info.rank, expected.rank) << to_string(type);
      long double largest = 0, off = 0;
      for (int j = 0; j < m; ++j)
        for (int i = 0; i < n; ++i) {
          largest = std::max(largest, std::abs(expected.inverse(i, j)));
          off = std::max(off, std::abs(expected.inverse(i, j) - ours.X(i, j)));
        }
      double const kappa = ours.info.sigma_max / ours.info.sigma_min;
      EXPECT_LE(off, ratio_bar * m * epsilon<double> * kappa * largest) << to_string(type) << m;
    }
}

TYPED_TEST(LstsqSolutions, RankIsByRcond) {
  std::vector<double> const sigma{1, 1e-1, 1e-2, 1e-3, 0};
  auto const exact = random_with_spectrum(9, 5, sigma, 7);
  HostMatrix<TypeParam> A(9, 5);
  std::copy(exact.data.begin(), exact.data.end(), A.data.begin());
  for (auto const& [rcond, rank] :
       {std::pair(-1., 4), {1e-5, 4}, {3e-3, 3}, {3e-2, 2}, {.3, 1}, {.999, 1}}) {
    LstsqCall call;
    call.options.rcond = rcond;
    auto const result = run_pinv(A, call);
    EXPECT_EQ(result.info.rank, rank) << rcond;
    EXPECT_NEAR(result.info.sigma_min / sigma[static_cast<std::size_t>(rank - 1)], 1,
                2e4 * epsilon<TypeParam>);
    EXPECT_EQ(what_is_wrong<TypeParam>({A, {}}, true, call.options, result), "") << rcond;
  }
}

}  // namespace
