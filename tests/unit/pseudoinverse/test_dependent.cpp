// SPDX-License-Identifier: BSD-3-Clause
// Motion columns that depend on others exactly: copies, zeros, sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/pseudoinverse/quad_pseudoinverse.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseMethod;
using carroll::PseudoinverseOptions;
using carroll::Status;

template <class Real>
class PseudoinverseDependent : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PseudoinverseDependent, Reals);

template <class Real>
struct Copies {
  ArrowProblem<Real> problem;
  std::vector<int> root;       // of each motion column, the one it is a multiple of; -1: it is zero
  std::vector<double> factor;  // of that
};

/// Motion columns that are independent, zero, or powers of two times others, depths of very
/// different sizes, zero or without rows.
template <class Real>
Copies<Real> dependent_by_copies(Random& random) {
  int const k = 1 + random.index(6), m = 1 + random.index(6), n = k + m + random.index(8);
  Copies<Real> copies{random_arrow<Real>(random, n, k, m), {}, {}};
  auto& problem = copies.problem;
  bool const is_double = sizeof(Real) == sizeof(double);
  double const least = random.chance(0.3) ? 0 : random.chance(0.5) ? 12 : is_double ? 130 : 30;
  for (int s = 0; s < m; ++s) {
    double const size = random.chance(0.15) ? 0 : std::pow(10.0, -least * random.uniform());
    for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i)
      problem.depth[i] = static_cast<Real>(problem.depth[i] * size);
  }
  for (int j = 0; j < k; ++j) {
    int const other = random.chance(0.15) ? -1 : random.chance(0.4) ? random.index(j + 1) : j;
    int const root = other < 0 || other == j ? other : copies.root[other];
    double const factor = other == j ? 1 : random.sign() * std::ldexp(1.0, random.index(9) - 4);
    copies.root.push_back(root);
    copies.factor.push_back(factor);
    for (int i = 0; i < n; ++i)
      problem.motion(i, j) =
          root < 0 ? Real(0) : static_cast<Real>(factor) * problem.motion(i, root);
  }
  if (random.chance(0.3)) {
    problem.damping.assign(static_cast<std::size_t>(k + m), Real(0));
    for (int s = 0; s < m; ++s)
      if (random.chance(0.5)) problem.damping[k + s] = static_cast<Real>(random.uniform());
  }
  return copies;
}

/// A⁺ from that of the independent columns: what belongs to copies is shared among them.
template <class Real>
QuadPseudoinverse exact_inverse(Copies<Real> const& copies) {
  auto const A = copies.problem.dense();
  int const k = copies.problem.k(), m = copies.problem.m();
  std::vector<int> columns;
  for (int j = 0; j < k + m; ++j)
    if (j >= k || copies.root[j] == j) columns.push_back(j);
  HostMatrix<double> reduced(A.rows, static_cast<int>(columns.size()));
  for (int c = 0; c < reduced.cols; ++c)
    for (int i = 0; i < A.rows; ++i) reduced(i, c) = A(i, columns[c]);
  auto const exact = quad_pseudoinverse(reduced);
  QuadPseudoinverse all{HostMatrix<long double>(k + m, A.rows), exact.rank};
  for (int c = 0; c < reduced.cols; ++c) {
    double square = 0;
    for (int j = 0; j < k; ++j)
      if (copies.root[j] == columns[c]) square += copies.factor[j] * copies.factor[j];
    for (int j = 0; j < k + m; ++j) {
      bool const is_copy = j < k && copies.root[j] == columns[c];
      if (!is_copy && (j < k || j != columns[c])) continue;
      for (int i = 0; i < A.rows; ++i)
        all.inverse(j, i) = exact.inverse(c, i) * (is_copy ? copies.factor[j] / square : 1);
    }
  }
  return all;
}

struct CopiesWorst {
  double step = 0, inverse = 0, variance = 0;  // in units of epsilon
};

/// Of copies, zeros and depths of any size the solution is as good as if there were none of them:
/// its error is that of columns of norm 1 that are independent.
template <class Real>
CopiesWorst expect_copies_cost_no_digits(Random random, PseudoinverseOptions const& options) {
  CopiesWorst worst;
  int deficient = 0;
  for (int c = 0; c < 1500; ++c) {
    auto const copies = dependent_by_copies<Real>(random);
    auto const& problem = copies.problem;
    int const k = problem.k(), m = problem.m(), n = problem.n();
    std::ostringstream what;
    what << "case " << c << ": n " << n << " k " << k << " m " << m << ", copies of";
    for (int const root : copies.root) what << ' ' << root;
    what << ", norms of depths";
    for (int s = 0; s < m; ++s) {
      double square = 0;
      for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i)
        square += std::pow(static_cast<double>(problem.depth[i]), 2);
      what << ' ' << std::sqrt(square);
    }
    what << (problem.damping.empty() ? "" : ", damped");
    SCOPED_TRACE(what.str());
    auto const A = problem.dense();
    auto const exact = exact_inverse(copies);
    auto const step = run_step(problem, options);
    auto const inverse = run_inverse(problem, options);
    if (step.info.smallest_pivot < 1e-2) continue;
    EXPECT_EQ(step.info.rank, exact.rank);
    if (exact.rank < k + m) ++deficient;
    long double residual = 0, error = 0, inverse_size = 0, inverse_error = 0;
    auto const x = step.all();
    for (int j = 0; j < k + m; ++j) {
      long double expected = 0;
      for (int i = 0; i < n; ++i) {
        expected += exact.inverse(j, i) * static_cast<long double>(problem.rhs[i]);
        inverse_size += exact.inverse(j, i) * exact.inverse(j, i);
        long double const apart = exact.inverse(j, i) - static_cast<long double>(inverse(j, i));
        inverse_error += apart * apart;
      }
      error += (expected - x[j]) * (expected - x[j]);
    }
    auto const variance = [&](int i, int j) {
      long double sum = 0;
      for (int p = 0; p < A.rows; ++p) sum += exact.inverse(i, p) * exact.inverse(j, p);
      return sum;
    };
    double const bar = 300 * epsilon<Real>;
    auto const share = [](long double a, long double b) {
      return b > 0 ? static_cast<double>(std::sqrt(a / b)) : a == 0 ? 0.0 : 1e300;
    };
    for (Real const d : problem.rhs) residual += static_cast<long double>(d) * d;
    // Relative to what d of that length may have: x itself is less where d is in the span of B.
    double const wrong = share(error, inverse_size * residual),
                 wrong_inverse = share(inverse_error, inverse_size);
    EXPECT_LE(wrong, bar) << "step";
    EXPECT_LE(wrong_inverse, bar) << "inverse";
    long double largest = 0, apart = 0;
    for (int i = 0; i < k + m; ++i)
      for (int j = 0; j < k + m; ++j) {
        if (i != j && (i >= k || j >= k)) continue;
        long double const v = variance(i, j);
        long double const found = i < k ? step.covariance(i, j) : step.variances[i - k];
        largest = std::max(largest, std::abs(v));
        apart = std::max(apart, std::abs(v - found));
      }
    if (largest < std::numeric_limits<Real>::max() / 4) {
      EXPECT_EQ(step.info.status, Status::success);
      double const wrong_variance = share(apart * apart, largest * largest);
      EXPECT_LE(wrong_variance, bar) << "covariance and variances";
      worst.variance = std::max(worst.variance, wrong_variance / epsilon<Real>);
    }
    worst.step = std::max(worst.step, wrong / epsilon<Real>);
    worst.inverse = std::max(worst.inverse, wrong_inverse / epsilon<Real>);
    if (::testing::Test::HasFailure()) break;
  }
  if (::testing::Test::HasFailure()) return worst;
  EXPECT_GE(deficient, 1000);
  return worst;
}

TYPED_TEST(PseudoinverseDependent, CopiesAndZerosCostNoDigits) {
  auto const worst = expect_copies_cost_no_digits<TypeParam>(Random(31), {});
  this->RecordProperty("worst", std::to_string(worst.step));
  this->RecordProperty("worst_inverse", std::to_string(worst.inverse));
  this->RecordProperty("worst_variance", std::to_string(worst.variance));
}

/// Sums have to keep copies what they are: in float nothing else is lost of them.
TEST(PseudoinverseSums, CopiesStayCopies) {
  PseudoinverseOptions options;
  options.method = PseudoinverseMethod::normal_equations;
  expect_copies_cost_no_digits<float>(Random(41), options);
}

/// Integers: motion columns that are sums of others and of depths, exactly.
template <class Real>
ArrowProblem<Real> dependent_integers(Random& random) {
  int const k = 1 + random.index(5), m = 1 + random.index(6), n = k + m + 2 + random.index(8);
  auto problem = random_arrow<Real>(random, n, k, m);
  auto const integer = [&](int most) {
    return static_cast<double>(random.index(2 * most + 1) - most);
  };
  for (int i = 0; i < n; ++i) {
    problem.depth[i] = static_cast<Real>(integer(3));
    for (int j = 0; j < k; ++j) problem.motion(i, j) = static_cast<Real>(integer(5));
  }
  for (int j = 0; j < k; ++j) {
    if (random.chance(0.5)) continue;
    double coefficients[8];
    for (int l = 0; l < j; ++l) coefficients[l] = integer(2);
    for (int s = 0; s < m; ++s) {
      double const c = integer(3);
      for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i) {
        double sum = c * static_cast<double>(problem.depth[i]);
        for (int l = 0; l < j; ++l)
          sum += coefficients[l] * static_cast<double>(problem.motion(i, l));
        problem.motion(i, j) = static_cast<Real>(sum);
      }
    }
  }
  int const least = random.chance(0.5) ? 0 : 20;
  for (int s = 0; s < m; ++s) {
    auto const size = static_cast<Real>(std::ldexp(1.0, -random.index(least + 1)));
    for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i) problem.depth[i] *= size;
  }
  return problem;
}

/// Otherwise it is relative to the condition number of A.
TYPED_TEST(PseudoinverseDependent, SumsOfColumnsCostTheConditionNumber) {
  Random random(37);
  double worst = 0, worst_inverse = 0;
  int deficient = 0;
  for (int c = 0; c < 1500; ++c) {
    auto const problem = dependent_integers<TypeParam>(random);
    int const k = problem.k(), m = problem.m(), n = problem.n();
    auto const A = problem.dense();
    auto const exact = quad_pseudoinverse(A);
    auto const step = run_step(problem);
    auto const inverse = run_inverse(problem);
    ASSERT_EQ(step.info.status, Status::success) << c;
    if (step.info.smallest_pivot < 1e-2) continue;
    ASSERT_EQ(step.info.rank, exact.rank) << c;
    if (exact.rank < k + m) ++deficient;
    long double size = 0, right = 0, inverse_size = 0, error = 0, inverse_error = 0;
    for (double const a : A.data) size += a * a;
    for (TypeParam const d : problem.rhs) right += static_cast<long double>(d) * d;
    auto const x = step.all();
    for (int j = 0; j < k + m; ++j) {
      long double expected = 0;
      for (int i = 0; i < n; ++i) {
        expected += exact.inverse(j, i) * static_cast<long double>(problem.rhs[i]);
        inverse_size += exact.inverse(j, i) * exact.inverse(j, i);
        long double const apart = exact.inverse(j, i) - static_cast<long double>(inverse(j, i));
        inverse_error += apart * apart;
      }
      error += (expected - x[j]) * (expected - x[j]);
    }
    long double const condition = std::sqrt(size * inverse_size);
    if (condition == 0) continue;
    long double const bar = 4 * epsilon<TypeParam> + 100 * epsilon<double> * condition;
    EXPECT_LE(std::sqrt(error), bar * std::sqrt(right * inverse_size)) << c;
    EXPECT_LE(std::sqrt(inverse_error), bar * std::sqrt(inverse_size)) << c;
    worst = std::max(worst, static_cast<double>(std::sqrt(error / right / inverse_size) / bar));
    worst_inverse =
        std::max(worst_inverse, static_cast<double>(std::sqrt(inverse_error / inverse_size) / bar));
    if (this->HasFailure()) break;
  }
  EXPECT_GE(deficient, 700);
  this->RecordProperty("worst", std::to_string(worst));
  this->RecordProperty("worst_inverse", std::to_string(worst_inverse));
}

}  // namespace
