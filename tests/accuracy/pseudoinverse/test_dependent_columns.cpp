// SPDX-License-Identifier: BSD-3-Clause
// Motion columns that nearly depend on others, or do: exact steps in long double.
#include <gtest/gtest.h>

#include <cmath>

#include "accuracy/pseudoinverse/errors.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseMethod;
using carroll::Status;

/// The exact motion step of a problem with one motion column, in long double.
template <class Real>
double exact_motion(ArrowProblem<Real> const& problem) {
  long double ee = 0, er = 0;
  for (int s = 0; s < problem.m(); ++s) {
    long double d = 0, b = 0;
    for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i) {
      d += static_cast<long double>(problem.depth[i]) * problem.depth[i];
      b += static_cast<long double>(problem.depth[i]) * problem.motion(i, 0);
    }
    for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i) {
      long double const e = problem.motion(i, 0) - (d > 0 ? problem.depth[i] * (b / d) : 0);
      ee += e * e;
      er += e * problem.rhs[i];
    }
  }
  return static_cast<double>(er / ee);
}

/// A motion column that is the depths but for a part of the given size.
template <class Real>
ArrowProblem<Real> nearly_dependent(double part) {
  Random random(11);
  auto problem = random_arrow<Real>(random, 20'000, 1, 200);
  for (int s = 0; s < problem.m(); ++s) {
    double const c = random.symmetric();
    for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i)
      problem.motion(i, 0) = static_cast<Real>(c * problem.depth[i] + part * random.normal());
  }
  return problem;
}

/// Methods whose errors grow with the condition number, not with its square.
constexpr PseudoinverseMethod as_good_as_qr[] = {PseudoinverseMethod::automatic,
                                                 PseudoinverseMethod::structured_qr};

TEST(PseudoinverseAccuracy, SinglePrecisionStepOfNearlyDependentColumns) {
  for (double const part : {1e-1, 1e-2, 1e-3, 1e-4}) {
    auto const problem = nearly_dependent<float>(part);
    double const exact = exact_motion(problem);
    for (auto const method : as_good_as_qr) {
      auto const result = run_step(problem, {.method = method});
      EXPECT_LE(result.info.smallest_pivot, 10 * part) << part;
      EXPECT_GT(result.info.smallest_pivot, result.info.cutoff) << part;
      EXPECT_LE(std::abs(result.motion[0] - exact), 1e-5 * std::abs(exact)) << part;
    }
  }
}

TEST(PseudoinverseAccuracy, ErrorsGrowWithTheConditionNumberAndNotItsSquare) {
  if constexpr (sizeof(long double) == sizeof(double)) GTEST_SKIP() << "no wider reference";
  for (double const part : {1e-2, 1e-4, 1e-6, 1e-8}) {
    auto const problem = nearly_dependent<double>(part);
    double const exact = exact_motion(problem);
    for (auto const method : as_good_as_qr) {
      auto const result = run_step(problem, {.method = method});
      EXPECT_LE(std::abs(result.motion[0] - exact),
                least_squares_tolerance<double>(1, 1 / part) * std::abs(exact))
          << part;
    }
  }
}

/// The exact motion step, by modified Gram-Schmidt in long double.
template <class Real>
std::vector<double> exact_motions(ArrowProblem<Real> const& problem) {
  using Number = long double;
  int const n = problem.n(), k = problem.k();
  std::vector<std::vector<Number>> E(static_cast<std::size_t>(k) + 1);
  for (int j = 0; j <= k; ++j)
    for (int i = 0; i < n; ++i) E[j].push_back(j < k ? problem.motion(i, j) : problem.rhs[i]);
  auto const dot = [](auto const& x, auto const& y, int begin, int end) {
    Number sum = 0;
    for (int i = begin; i < end; ++i) sum += static_cast<Number>(x[i]) * y[i];
    return sum;
  };
  auto const take_off = [](auto& x, auto const& y, Number factor, int begin, int end) {
    for (int i = begin; i < end; ++i) x[i] -= factor * y[i];
  };
  for (int s = 0; s < problem.m(); ++s) {
    int const begin = problem.offsets[s], end = problem.offsets[s + 1];
    Number const d = dot(problem.depth, problem.depth, begin, end);
    for (int pass = 0; pass < 2 && d > 0; ++pass)
      for (auto& e : E)
        take_off(e, problem.depth, dot(problem.depth, e, begin, end) / d, begin, end);
  }
  HostMatrix<Number> R(k, k + 1);
  for (int j = 0; j < k; ++j) {
    R(j, j) = std::sqrt(dot(E[j], E[j], 0, n));
    for (Number& e : E[j]) e /= R(j, j);
    for (int l = j + 1; l <= k; ++l) {
      R(j, l) = dot(E[j], E[l], 0, n);
      take_off(E[l], E[j], R(j, l), 0, n);
    }
  }
  std::vector<double> y(static_cast<std::size_t>(k));
  for (int j = k - 1; j >= 0; --j) {
    for (int l = j + 1; l < k; ++l) R(j, k) -= R(j, l) * R(l, k);
    R(j, k) /= R(j, j);
    y[j] = static_cast<double>(R(j, k));
  }
  return y;
}

/// Segments that are not empty.
template <class Real>
int count_depths(ArrowProblem<Real> const& problem) {
  int count = 0;
  for (int s = 0; s < problem.m(); ++s)
    count += problem.offsets[s] < problem.offsets[s + 1] ? 1 : 0;
  return count;
}

/// Sizes of columns, from 1 up.
double unit_of(int column) {
  return std::ldexp(1.0, 40 * (column % 3));
}

/// One motion column is the depths, another one a sum of the others, but for a part of the given
/// size. Their sizes differ; segments are long, or of a few rows.
template <class Real>
ArrowProblem<Real> nearly_dependent_columns(int k, double part) {
  Random random(13);
  auto const parts = random_arrow<double>(random, 7000, k, part > 1e-4 ? 1500 : 90);
  auto B = parts.motion;
  for (int s = 0; s < parts.m(); ++s) {
    double const c = random.symmetric();
    for (int i = parts.offsets[s]; i < parts.offsets[s + 1]; ++i) {
      B(i, 0) = c * parts.depth[i] + part * B(i, 0);
      B(i, 1) = part * B(i, 1);
      for (int j = 2; j < k; ++j) B(i, 1) += B(i, j);
    }
  }
  ArrowProblem<Real> problem;
  problem.motion = HostMatrix<Real>(parts.n(), k);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < parts.n(); ++i)
      problem.motion(i, j) = static_cast<Real>(B(i, j) * unit_of(j));
  problem.depth.assign(parts.depth.begin(), parts.depth.end());
  problem.rhs.assign(parts.rhs.begin(), parts.rhs.end());
  problem.offsets = parts.offsets;
  return problem;
}

/// Of y, each entry in units of its column, relative.
template <class Real>
double scaled_error(std::vector<Real> const& found, std::vector<double> const& exact) {
  double error = 0, size = 0;
  for (std::size_t j = 0; j < exact.size(); ++j) {
    double const unit = unit_of(static_cast<int>(j));
    error += std::pow(unit * (static_cast<double>(found[j]) - exact[j]), 2);
    size += std::pow(unit * exact[j], 2);
  }
  return std::sqrt(error / size);
}

TEST(PseudoinverseAccuracy, SeveralMotionColumnsAreSolvedAsWellAsTheirConditionAllows) {
  if constexpr (sizeof(long double) == sizeof(double)) GTEST_SKIP() << "no wider reference";
  for (int const k : {3, 6})
    for (double const part : {1e-1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
      auto const problem = nearly_dependent_columns<double>(k, part);
      auto const exact = exact_motions(problem);
      for (auto const method : as_good_as_qr) {
        auto const result = run_step(problem, {.method = method});
        ASSERT_EQ(result.info.status, Status::success);
        EXPECT_EQ(result.info.rank, k + count_depths(problem)) << k << " " << part;
        EXPECT_LE(scaled_error(result.motion, exact),
                  least_squares_tolerance<double>(k, 1 / result.info.smallest_pivot))
            << k << " " << part;
      }
    }
}

/// Rows of float beyond the default cutoff: sums in double precision would have lost up to all
/// digits of a float by eps·cond², and nobody takes them.
TEST(PseudoinverseAccuracy, SeveralMotionColumnsOfFloatBeyondTheDefaultCutoff) {
  for (int const k : {3, 6})
    for (double const part : {1e-3, 1e-5, 3e-7}) {
      auto const problem = nearly_dependent_columns<float>(k, part);
      auto const exact = exact_motions(problem);
      for (auto const method : as_good_as_qr) {
        auto const result = run_step(problem, {.method = method, .cutoff = 1e-9});
        ASSERT_EQ(result.info.status, Status::success);
        EXPECT_EQ(result.info.rank, k + count_depths(problem)) << k << " " << part;
        EXPECT_LE(scaled_error(result.motion, exact), 1e-6) << k << " " << part;
      }
    }
}

/// The same beyond the cutoff: what depends on others counts as dependent, and nothing is lost of
/// the rest.
TEST(PseudoinverseAccuracy, DependentColumnsAmongSeveralAreFound) {
  Random random(14);
  for (int const k : {3, 6}) {
    auto problem = random_arrow<double>(random, 3000, k, 20);
    auto& B = problem.motion;
    for (int i = 0; i < problem.n(); ++i) {
      B(i, 1) = B(i, 2) + B(i, 0);
      if (k == 6) B(i, 5) = problem.depth[i] - B(i, 3);
    }
    auto const result = run_step(problem);
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rank, count_depths(problem) + (k == 6 ? 4 : 2));
    auto const A = problem.dense();
    auto const expected = lapack_least_squares(A, problem.padded_rhs(A.rows), 1e-10);
    if (!expected) GTEST_SKIP() << "no LAPACKE";
    EXPECT_LE(distance(result.all(), expected->x), minimum_norm_tolerance * norm(expected->x));
  }
}

}  // namespace
