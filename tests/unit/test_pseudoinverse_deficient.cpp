// SPDX-License-Identifier: BSD-3-Clause
// Steps and inverses of arrow Jacobians with dependent motion columns and depths next to nothing:
// the shortest solution, and numbers wherever there are some.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "arrow_drivers.hpp"
#include "quad_pseudoinverse.hpp"
#include "tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class PseudoinverseDeficient : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PseudoinverseDeficient, Reals);

/// One row, A = [1 3 u].
template <class Real>
ArrowProblem<Real> one_row(double u) {
  ArrowProblem<Real> problem;
  problem.motion = HostMatrix<Real>(1, 2);
  problem.motion(0, 0) = 1;
  problem.motion(0, 1) = 3;
  problem.depth = {static_cast<Real>(u)};
  problem.offsets = {0, 1};
  problem.rhs = {1};
  return problem;
}

TYPED_TEST(PseudoinverseDeficient, ARowHasItsTransposeOverItsSquare) {
  for (double const size : {1.0, 1e-3, 1e-6, 1e-9, 1e-15, 1e-30, 1e-42, 1e-80, 1e-140}) {
    if (sizeof(TypeParam) == sizeof(float) && size < 1e-45) continue;
    auto const problem = one_row<TypeParam>(size);
    auto const u = static_cast<double>(problem.depth[0]);
    double const square = 10 + u * u, bar = 16 * epsilon<TypeParam>;
    auto const near = [&](TypeParam actual, double expected) {
      // Beyond the range of normal numbers, what is left of their digits.
      EXPECT_NEAR(actual, expected,
                  bar * std::abs(expected) + 2 * std::numeric_limits<TypeParam>::denorm_min())
          << size;
    };
    auto const step = run_step(problem);
    EXPECT_EQ(step.info.status, Status::success) << size;
    EXPECT_EQ(step.info.rank, 1);
    double const row[] = {1, 3, u};
    for (int j = 0; j < 2; ++j) {
      near(step.motion[j], row[j] / square);
      for (int l = 0; l < 2; ++l) near(step.covariance(j, l), row[j] * row[l] / square / square);
    }
    near(step.depth[0], u / square);
    near(step.variances[0], u / square * (u / square));
    for (auto const& inverse :
         {run_inverse<Kokkos::LayoutRight>(problem), run_inverse<Kokkos::LayoutLeft>(problem)})
      for (int j = 0; j < 3; ++j) near(inverse(j, 0), row[j] / square);
  }
}

/// Two motion columns that are equal: so are their entries of the shortest solution.
TYPED_TEST(PseudoinverseDeficient, EqualColumnsHaveEqualEntries) {
  for (double const factor : {1.0, -1.0, 0.25})
    for (double const v : {1.0, 1e-3, 1e-6, 1e-8, 1e-9, 1e-12, 1e-20, 1e-40, 1e-100}) {
      if (sizeof(TypeParam) == sizeof(float) && v < 1e-15) continue;
      ArrowProblem<TypeParam> problem;
      problem.motion = HostMatrix<TypeParam>(4, 2);
      double const column[] = {.31, .77, .123, .456};
      for (int i = 0; i < 4; ++i) {
        problem.motion(i, 0) = static_cast<TypeParam>(column[i]);
        problem.motion(i, 1) = static_cast<TypeParam>(factor) * problem.motion(i, 0);
        problem.depth.push_back(static_cast<TypeParam>(i == 0   ? 1
                                                       : i == 1 ? 2
                                                       : i == 2 ? v
                                                                : -.7 * v));
        problem.rhs.push_back(static_cast<TypeParam>(i + 1));
      }
      problem.offsets = {0, 2, 4};
      // The same with one column, whose step is that of both together.
      auto single = problem;
      single.motion = HostMatrix<TypeParam>(4, 1);
      for (int i = 0; i < 4; ++i) single.motion(i, 0) = problem.motion(i, 0);
      auto const expected = run_step(single);
      double const square = 1 + factor * factor;
      auto const step = run_step(problem);
      double const bar = 32 * epsilon<TypeParam>;
      EXPECT_EQ(step.info.status, Status::success);
      EXPECT_EQ(step.info.rank, 3);
      double const y = static_cast<double>(expected.motion[0]) / square;
      EXPECT_NEAR(step.motion[0], y, bar * std::abs(y)) << v;
      EXPECT_NEAR(step.motion[1], factor * y, bar * std::abs(y)) << v;
      for (int i = 0; i < 2; ++i)
        EXPECT_NEAR(step.depth[i], expected.depth[i], bar * std::abs(expected.depth[i])) << v;
      auto const inverse = run_inverse(problem), other = run_inverse(single);
      for (int p = 0; p < 4; ++p) {
        EXPECT_NEAR(inverse(0, p), other(0, p) / square, bar * std::abs(other(0, 0)))
            << v << ' ' << p;
        EXPECT_NEAR(inverse(1, p), factor * other(0, p) / square, bar * std::abs(other(0, 0)))
            << v << ' ' << p;
      }
    }
}

/// Motion columns that are independent, zero, equal to others, or powers of two times them, depths
/// of very different sizes, zero or without rows.
template <class Real>
ArrowProblem<Real> dependent_by_copies(Random& random) {
  int const k = 1 + random.index(6), m = 1 + random.index(6), n = k + m + random.index(20);
  auto problem = random_arrow<Real>(random, n, k, m);
  bool const is_double = sizeof(Real) == sizeof(double);
  double const least = random.chance(0.3) ? 0 : random.chance(0.5) ? 12 : is_double ? 130 : 30;
  for (int s = 0; s < m; ++s) {
    double const size = random.chance(0.15) ? 0 : std::pow(10.0, -least * random.uniform());
    for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i)
      problem.depth[i] = static_cast<Real>(problem.depth[i] * size);
  }
  auto const fill = [&](int j, auto const& f) {
    for (int i = 0; i < n; ++i) problem.motion(i, j) = static_cast<Real>(f(i));
  };
  for (int j = 0; j < k; ++j) {
    if (random.chance(0.15)) fill(j, [](int) { return 0; });
    if (j > 0 && random.chance(0.4)) {
      int const other = random.index(j);
      double const factor = std::ldexp(random.chance(0.5) ? 1.0 : -1.0, random.index(9) - 4);
      fill(j, [&](int i) { return factor * static_cast<double>(problem.motion(i, other)); });
    }
  }
  if (random.chance(0.3)) {
    problem.damping.assign(static_cast<std::size_t>(k + m), Real(0));
    for (int s = 0; s < m; ++s)
      if (random.chance(0.5)) problem.damping[k + s] = static_cast<Real>(random.uniform());
  }
  return problem;
}

/// Of copies, zeros and depths of any size the solution is as good as if there were none of them:
/// its error is that of columns of norm 1 that are independent.
TYPED_TEST(PseudoinverseDeficient, CopiesAndZerosCostNoDigits) {
  Random random(31);
  double worst = 0, worst_inverse = 0, worst_variance = 0;
  int deficient = 0, compared = 0;
  for (int c = 0; c < 4000; ++c) {
    auto const problem = dependent_by_copies<TypeParam>(random);
    int const k = problem.k(), m = problem.m(), n = problem.n();
    auto const A = problem.dense();
    auto const exact = quad_pseudoinverse(A);
    auto const step = run_step(problem);
    auto const inverse = run_inverse(problem);
    if (step.info.smallest_pivot < 1e-2) continue;
    ++compared;
    ASSERT_EQ(step.info.rank, exact.rank) << c;
    if (exact.rank < k + m) ++deficient;
    long double size = 0, error = 0, inverse_size = 0, inverse_error = 0;
    auto const x = step.all();
    for (int j = 0; j < k + m; ++j) {
      long double expected = 0;
      for (int i = 0; i < n; ++i) {
        expected += exact.inverse(j, i) * static_cast<long double>(problem.rhs[i]);
        inverse_size += exact.inverse(j, i) * exact.inverse(j, i);
        long double const apart = exact.inverse(j, i) - static_cast<long double>(inverse(j, i));
        inverse_error += apart * apart;
      }
      size += expected * expected;
      error += (expected - x[j]) * (expected - x[j]);
    }
    auto const variance = [&](int i, int j) {
      long double sum = 0;
      for (int p = 0; p < A.rows; ++p) sum += exact.inverse(i, p) * exact.inverse(j, p);
      return sum;
    };
    double const bar = 300 * epsilon<TypeParam>;
    auto const share = [](long double a, long double b) {
      return b > 0 ? static_cast<double>(std::sqrt(a / b)) : a == 0 ? 0.0 : 1e300;
    };
    double const wrong = share(error, size), wrong_inverse = share(inverse_error, inverse_size);
    EXPECT_LE(wrong, bar) << c << ": " << n << ' ' << k << ' ' << m;
    EXPECT_LE(wrong_inverse, bar) << c << ": " << n << ' ' << k << ' ' << m;
    long double largest = 0, apart = 0;
    for (int i = 0; i < k + m; ++i)
      for (int j = 0; j < k + m; ++j) {
        if (i != j && (i >= k || j >= k)) continue;
        long double const v = variance(i, j);
        long double const found = i < k ? step.covariance(i, j) : step.variances[i - k];
        largest = std::max(largest, std::abs(v));
        apart = std::max(apart, std::abs(v - found));
      }
    bool const fits = largest < std::numeric_limits<TypeParam>::max() / 4;
    if (fits) {
      EXPECT_EQ(step.info.status, Status::success) << c;
      double const wrong_variance = share(apart * apart, largest * largest);
      EXPECT_LE(wrong_variance, bar) << c << ": " << n << ' ' << k << ' ' << m;
      worst_variance = std::max(worst_variance, wrong_variance);
    }
    worst = std::max(worst, wrong);
    worst_inverse = std::max(worst_inverse, wrong_inverse);
    if (HasFailure()) break;
  }
  EXPECT_GE(deficient, 2000);
  std::printf("%d compared, worst %g %g %g\n", compared, worst, worst_inverse, worst_variance);
}

}  // namespace
