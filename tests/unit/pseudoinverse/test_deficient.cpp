// SPDX-License-Identifier: BSD-3-Clause
// Steps and inverses of arrow Jacobians with dependent motion columns and depths next to nothing:
// the shortest solution, and numbers wherever there are some.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseMethod;
using carroll::PseudoinverseOptions;
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

/// A cutoff below what normal equations can see takes rounding for a pivot. What comes of that is
/// anybody's, but a number.
TEST(PseudoinverseCutoff, RoundingThatIsTakenForAPivotLeavesNumbers) {
  Random random(17);
  carroll::PseudoinverseOptions options;
  options.method = carroll::PseudoinverseMethod::normal_equations;
  options.cutoff = 1e-9;
  for (int c = 0; c < 200; ++c) {
    auto problem = random_arrow<double>(random, 12, 3, 3);
    for (int i = 0; i < problem.n(); ++i) {
      problem.motion(i, 1) = problem.motion(i, 0);
      problem.motion(i, 2) = 0;
    }
    auto const step = run_step(problem, options);
    EXPECT_EQ(step.info.status, Status::success) << c;
    for (double const x : step.all()) EXPECT_TRUE(std::isfinite(x)) << c;
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

/// One motion column and depths of a row each, [b, u]: it is always their sum, however short they
/// are. With β = b/u and T = 1/(1 + Σβ²), column p of A⁺ is Tβ/u·[1, -β] but for its own row,
/// (1 - Tβ²)/u.
TYPED_TEST(PseudoinverseDeficient, OneColumnOfDepthsNextToNothing) {
  bool const is_double = sizeof(TypeParam) == sizeof(double);
  Random random(43);
  for (int c = 0; c < 300; ++c) {
    int const m = 1 + random.index(4);
    double const decades = random.chance(0.3) ? 0 : random.chance(0.5) ? 12 : is_double ? 150 : 42;
    auto const size = [&] {
      return static_cast<TypeParam>(random.normal() * std::pow(10.0, -decades * random.uniform()));
    };
    ArrowProblem<TypeParam> problem;
    problem.motion = HostMatrix<TypeParam>(m, 1);
    problem.offsets = {0};
    std::vector<long double> beta;
    std::ostringstream what;
    what << "case " << c << ": A =";
    for (int i = 0; i < m; ++i) {
      double const most = is_double && random.chance(0.2) ? 1e20 : 256;
      auto const large = static_cast<TypeParam>(random.normal() * most);
      TypeParam const b = random.chance(0.1) ? size() : large, u = size();
      problem.motion(i, 0) = b;
      problem.depth.push_back(u);
      problem.offsets.push_back(i + 1);
      problem.rhs.push_back(1);
      beta.push_back(static_cast<long double>(b) / static_cast<long double>(u));
      what << " [" << b << ", " << u << ']';
    }
    if (std::count(problem.depth.begin(), problem.depth.end(), TypeParam(0)) > 0) continue;
    SCOPED_TRACE(what.str());
    long double sum = 1;
    for (long double const x : beta) sum += x * x;
    bool fits = true;
    auto const expected = [&](int j, int p) {
      long double const share = 1 / sum / static_cast<long double>(problem.depth[p]);
      if (j == 0) return share * beta[p];
      if (j - 1 != p) return share * beta[p] * -beta[j - 1];
      long double others = 1;
      for (int i = 0; i < m; ++i) others += i == p ? 0 : beta[i] * beta[i];
      return share * others;
    };
    carroll::PseudoinverseInfo<TypeParam> info;
    HostMatrix<TypeParam> const found[] = {run_inverse<Kokkos::LayoutRight>(problem, {}, &info),
                                           run_inverse<Kokkos::LayoutLeft>(problem),
                                           run_inverse<Kokkos::LayoutStride>(problem)};
    EXPECT_EQ(info.rank, m);
    for (int p = 0; p < m; ++p) {
      long double norm = 0, error = 0;
      for (int j = 0; j < 1 + m; ++j) {
        long double const x = expected(j, p);
        norm = std::max(norm, std::abs(x));
        for (auto const& inverse : found) {
          auto const entry = static_cast<long double>(inverse(j, p));
          bool const is_number = std::isfinite(entry);
          fits = fits && is_number;
          bool const may_exceed = std::abs(x) > .9L * std::numeric_limits<TypeParam>::max();
          EXPECT_TRUE(is_number || may_exceed) << j << ' ' << p << ": " << entry << " for " << x;
          if (is_number) error = std::max(error, std::abs(entry - x));
        }
      }
      EXPECT_LE(error,
                64 * epsilon<TypeParam> * norm + std::numeric_limits<TypeParam>::denorm_min())
          << "column " << p << " of " << norm;
    }
    EXPECT_EQ(info.status, fits ? Status::success : Status::overflow);
    if (this->HasFailure()) break;
  }
}

}  // namespace
