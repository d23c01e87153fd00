// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/lstsq.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "decompositions/lstsq_instances.hpp"
#include "support/lstsq/checks.hpp"
#include "support/lstsq/drivers.hpp"
#include "support/pseudoinverse/quad_pseudoinverse.hpp"
#include "support/random.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class Lstsq : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Lstsq, Scalars);

template <class Real>
HostMatrix<Real> drawn(Random& random, int m, int n) {
  HostMatrix<Real> A(m, n);
  for (Real& x : A.data) x = static_cast<Real>(random.normal());
  return A;
}

/// The integers of a matrix row by row.
template <class Real>
HostMatrix<Real> matrix(int m, int n, std::vector<double> const& entries) {
  HostMatrix<Real> A(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      A(i, j) = static_cast<Real>(entries[static_cast<std::size_t>(i * n + j)]);
  return A;
}

template <class Real>
void expect_near(HostMatrix<Real> const& X, std::vector<double> const& row_by_row, double of = 1) {
  auto const expected = matrix<double>(X.rows, X.cols, row_by_row);
  for (std::size_t k = 0; k < X.data.size(); ++k)
    EXPECT_NEAR(X.data[k], expected.data[k], 30 * epsilon<Real> * of) << k;
}

TYPED_TEST(Lstsq, KnownSolutions) {
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

TYPED_TEST(Lstsq, EmptyZeroAndOneByOne) {
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

TYPED_TEST(Lstsq, EveryTypeAndShape) {
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
TYPED_TEST(Lstsq, ConditionIsNotSquared) {
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
    auto const result = run_lstsq(problem.A, problem.B);
    auto const ratios = lstsq_ratios(problem, false, -1, result);
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

TYPED_TEST(Lstsq, RankIsByRcond) {
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

/// A column is the same bits whatever stands beside it.
TYPED_TEST(Lstsq, ColumnsDoNotKnowOfEachOther) {
  Random random(8);
  for (auto const& [m, n] : {std::pair(5, 5), {40, 12}, {12, 40}, {130, 70}, {500, 3}}) {
    auto const A = make_matrix<TypeParam>(MatrixType::random, m, n, 2);
    auto const B = drawn<TypeParam>(random, m, 71);
    auto const together = run_lstsq(A, B);
    for (int const j : {0, 31, 32, 70}) {
      HostMatrix<TypeParam> one(m, 1);
      std::copy(B.column(j), B.column(j) + m, one.data.begin());
      LstsqCall call;
      for (bool const vectors : {false, true}) {
        call.vectors = vectors;
        auto const alone = run_lstsq(A, one, call);
        EXPECT_TRUE(alone.guarded);
        EXPECT_EQ(0, std::memcmp(alone.X.data.data(), together.X.column(j),
                                 static_cast<std::size_t>(n) * sizeof(TypeParam)))
            << m << ' ' << n << ' ' << j;
      }
    }
  }
}

/// Beside others, of any layout, and with a workspace.
TYPED_TEST(Lstsq, SameBitsInAnyCompany) {
  Random random(9);
  for (auto const& [m, n, p] :
       {std::array{3, 3, 1}, {8, 5, 2}, {5, 9, 40}, {21, 20, 1}, {60, 50, 4}})
    for (bool const inverse : {false, true}) {
      std::vector<LstsqProblem<TypeParam>> problems;
      for (int b = 0; b < (n > 40 ? 3 : 37); ++b)
        problems.push_back({b % 5 == 3 ? make_matrix<TypeParam>(MatrixType::rank_deficient, m, n, 1)
                                       : drawn<TypeParam>(random, m, n),
                            drawn<TypeParam>(random, m, p)});
      for (ViewLayout const layout : {ViewLayout::left, ViewLayout::right, ViewLayout::stride}) {
        LstsqCall call;
        call.layout = layout;
        call.workspace = layout == ViewLayout::right;
        call.vectors = p == 1 && layout != ViewLayout::left;
        auto const together = run_lstsq_batch(problems, inverse, call);
        for (std::size_t b = 0; b < problems.size(); ++b) {
          auto const alone =
              inverse ? run_pinv(problems[b].A) : run_lstsq(problems[b].A, problems[b].B);
          EXPECT_TRUE(same_result(together[b], alone)) << m << ' ' << n << ' ' << b;
          EXPECT_TRUE(together[b].guarded);
        }
      }
    }
}

TYPED_TEST(Lstsq, PowersOfTwoGoThrough) {
  Random random(10);
  for (int const n : {6, 60}) {
    auto const A = drawn<TypeParam>(random, 12, n), B = drawn<TypeParam>(random, 12, 3);
    auto const expected = run_lstsq(A, B);
    auto const inverse = run_pinv(A);
    for (int const shift : {-60, 3, 60}) {
      auto const of_a = run_lstsq(scaled_by_power_of_two(A, shift), B);
      EXPECT_TRUE(same_bits(of_a.X, scaled_by_power_of_two(expected.X, -shift)));
      EXPECT_EQ(of_a.info.sigma_max, std::ldexp(expected.info.sigma_max, shift));
      auto const of_b = run_lstsq(A, scaled_by_power_of_two(B, shift));
      EXPECT_TRUE(same_bits(of_b.X, scaled_by_power_of_two(expected.X, shift)));
      EXPECT_TRUE(same_bits(run_pinv(scaled_by_power_of_two(A, shift)).X,
                            scaled_by_power_of_two(inverse.X, -shift)));
    }
  }
}

/// The whole range: of A's and B's entries, of quotients that leave it and come back.
TYPED_TEST(Lstsq, NothingOverflowsThatNeedNot) {
  using Limits = std::numeric_limits<TypeParam>;
  auto const A = matrix<TypeParam>(3, 2, {1, 2, 3, 4, 5, 7}),
             B = matrix<TypeParam>(3, 1, {1, 1, 2});
  auto const plain = run_lstsq(A, B);
  int const up = Limits::max_exponent - 4, down = Limits::min_exponent - 1;
  for (int const shift : {up, down}) {
    auto const same = run_lstsq(scaled_by_power_of_two(A, shift), scaled_by_power_of_two(B, shift));
    EXPECT_EQ(same.info.status, Status::success);
    EXPECT_TRUE(same_bits(same.X, plain.X)) << shift;
  }
  auto const inverse = run_pinv(scaled_by_power_of_two(A, down));
  EXPECT_TRUE(same_bits(inverse.X, scaled_by_power_of_two(run_pinv(A).X, -down)));
  // Too large, by far and beside columns that are not; too small.
  auto pair = matrix<TypeParam>(3, 2, {0, 1, 0, 1, 0, 2});
  for (int i = 0; i < 3; ++i) pair(i, 0) = std::ldexp(B(i, 0), up);
  auto const over = run_lstsq(scaled_by_power_of_two(A, down), pair);
  EXPECT_EQ(over.info.status, Status::overflow);
  EXPECT_TRUE(std::isinf(over.X(0, 0)) && std::isinf(over.X(1, 0)));
  EXPECT_TRUE(same_bits(std::vector<TypeParam>{over.X(0, 1), over.X(1, 1)},
                        scaled_by_power_of_two(plain.X, -down).data));
  auto const under = run_lstsq(scaled_by_power_of_two(A, up), scaled_by_power_of_two(B, down));
  EXPECT_EQ(under.info.status, Status::success);
  EXPECT_EQ(under.X.data, (std::vector<TypeParam>{0, 0}));
  // σ₁ is beyond the range, A and the solution are not.
  HostMatrix<TypeParam> huge(2, 2);
  huge.data.assign(4, Limits::max());
  auto const beyond = run_lstsq(huge, huge);
  EXPECT_EQ(beyond.info.status, Status::success);
  EXPECT_TRUE(std::isinf(beyond.info.sigma_max));
  expect_near(beyond.X, {.5, .5, .5, .5});
  // Singular values as far apart as can be, all of which count.
  LstsqCall call;
  call.options.rcond = 0;
  auto apart = matrix<TypeParam>(2, 2, {0, 0, 0, 0});
  apart(0, 0) = Limits::max() / 4;
  apart(1, 1) = 4 * Limits::min();
  auto const far = run_pinv(apart, call);
  EXPECT_EQ(far.info.rank, 2);
  EXPECT_NEAR(far.X(0, 0) * apart(0, 0), 1, 4 * epsilon<TypeParam>);
  EXPECT_NEAR(far.X(1, 1) * apart(1, 1), 1, 4 * epsilon<TypeParam>);
}

TYPED_TEST(Lstsq, NonFiniteIsRefusedAndDisturbsNobody) {
  Random random(11);
  using Limits = std::numeric_limits<TypeParam>;
  for (int const n : {5, 40}) {
    std::vector<LstsqProblem<TypeParam>> problems;
    for (int b = 0; b < 9; ++b)
      problems.push_back({drawn<TypeParam>(random, 6, n), drawn<TypeParam>(random, 6, 33)});
    auto const before = run_lstsq_batch(problems, false);
    problems[2].A(4, 1) = Limits::quiet_NaN();
    problems[5].B(5, 32) = -Limits::infinity();
    problems[7].A(0, 0) = Limits::infinity();
    problems[7].B(0, 0) = Limits::quiet_NaN();
    auto const after = run_lstsq_batch(problems, false);
    auto const inverse = run_lstsq_batch(problems, true);
    for (std::size_t b = 0; b < problems.size(); ++b) {
      bool const a_refused = b == 2 || b == 7;
      EXPECT_EQ(inverse[b].info.status, a_refused ? Status::non_finite : Status::success);
      EXPECT_EQ(all_nan(inverse[b].X.data), a_refused);
      if (!a_refused && b != 5) {
        EXPECT_TRUE(same_result(after[b], before[b]));
        continue;
      }
      EXPECT_EQ(after[b].info.status, Status::non_finite);
      EXPECT_EQ(after[b].info.rank, 0);
      EXPECT_TRUE(all_nan(after[b].X.data)) << b;
    }
  }
}

TYPED_TEST(Lstsq, NotConvergedIsTold) {
  Random random(12);
  LstsqCall call;
  call.options.max_sweeps = 1;
  for (int const n : {20, 50}) {
    auto const A = drawn<TypeParam>(random, n, n);
    auto const result = run_pinv(A, call);
    EXPECT_EQ(result.info.status, Status::not_converged);
    EXPECT_EQ(result.info.sweeps, 1);
    EXPECT_TRUE(all_finite(result.X.data));
    EXPECT_EQ(run_pinv(A).info.status, Status::success);
  }
}

TEST(LstsqWorkspace, SaysWhatItIs) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const solves = carroll::lstsq_workspace<double>(
      exec, {.batch = 3, .rows = 20, .cols = 10, .rhs = 7}, {.rcond = 1e-3});
  EXPECT_FALSE(solves.is_for_pinv());
  EXPECT_EQ(solves.extents().rhs, 7);
  EXPECT_EQ(solves.options().rcond, 1e-3);
  auto const inverts = carroll::pinv_workspace<double>(exec, {.batch = 3, .rows = 20, .cols = 10});
  EXPECT_TRUE(inverts.is_for_pinv());
  EXPECT_EQ(inverts.extents().rhs, 20);
  EXPECT_GE(inverts.bytes(), 3U * (20 * 10 + 20 * 10 + 10 * 10 + 10) * sizeof(double));
  EXPECT_GT(solves.bytes(), inverts.bytes());
}

}  // namespace
