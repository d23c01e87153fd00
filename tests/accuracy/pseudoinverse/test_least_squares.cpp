// SPDX-License-Identifier: BSD-3-Clause
// apply_pseudoinverse and pseudoinverse against LAPACK's gelsd and the Penrose conditions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "accuracy/pseudoinverse/errors.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseMethod;
using carroll::PseudoinverseOptions;
using carroll::Status;

/// Every degenerate form: empty segments (from random_arrow), zero depth columns, segments of one
/// row, one segment of all rows, zero motion columns, columns that depend on each other, columns in
/// the span of the depths, fewer rows than columns.
ArrowProblem<double> random_case(Random& random) {
  int const n = 1 + random.index(40);
  int const k = 1 + random.index(6);
  int const m = 1 + random.index(random.chance(0.2) ? 1 : 12);
  auto problem = random_arrow<double>(random, n, k, m);
  auto& B = problem.motion;
  auto const segment_rows = [&](int s, auto const& f) {
    for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i) f(i);
  };
  if (random.chance(0.3)) {
    int const s = random.index(m);
    segment_rows(s, [&](int i) { problem.depth[i] = 0; });
  }
  if (random.chance(0.3) && n >= m)
    for (int s = 0; s < m; ++s) problem.offsets[s] = s;  // of one row, but for the last
  if (random.chance(0.2)) {
    int const j = random.index(k);
    for (int i = 0; i < n; ++i) B(i, j) = 0;
  }
  if (random.chance(0.3)) {  // in the span of the depths
    int const j = random.index(k);
    for (int s = 0; s < m; ++s) {
      double const c = random.symmetric();
      segment_rows(s, [&](int i) { B(i, j) = c * problem.depth[i]; });
    }
  }
  if (random.chance(0.3) && k > 1) {  // in the span of another column and the depths
    for (int s = 0; s < m; ++s) {
      double const c = random.symmetric();
      segment_rows(s, [&](int i) { B(i, 0) = 2 * B(i, 1) - c * problem.depth[i]; });
    }
  }
  return problem;
}

TEST(PseudoinverseAccuracy, AgreesWithGelsdOnTenThousandSmallCases) {
  Random random(5);
  int compared = 0, deficient = 0;
  double worst = 0;
  for (int c = 0; c < 10'000; ++c) {
    auto const problem = random_case(random);
    PseudoinverseOptions options;
    if (random.chance(0.1)) options.damping = 0.5;
    auto const A = problem.dense(options.damping);
    auto const expected = lapack_least_squares(A, problem.padded_rhs(A.rows), 1e-10);
    if (!expected) GTEST_SKIP() << "no LAPACKE";
    // Only where it is clear which singular values count, and the others count fully.
    double const first = expected->sigma.empty() ? 0 : expected->sigma[0];
    if (std::any_of(expected->sigma.begin(), expected->sigma.end(),
                    [&](double s) { return s > 1e-13 * first && s < 1e-3 * first; }))
      continue;
    ++compared;
    if (expected->rank < A.cols) ++deficient;
    auto const result = run_step(problem, options);
    ASSERT_EQ(result.info.status, Status::success) << c;
    ASSERT_EQ(result.info.rank, expected->rank)
        << c << ": n " << problem.n() << " k " << problem.k() << " m " << problem.m();
    double const error = distance(result.all(), expected->x) / std::max(norm(expected->x), 1e-300);
    if (norm(expected->x) > 0) {
      ASSERT_LE(error, minimum_norm_tolerance) << c;
      worst = std::max(worst, error);
    }
  }
  EXPECT_GE(compared, 9'000);
  EXPECT_GE(deficient, 3'000);
  RecordProperty("worst", std::to_string(worst));
}

HostMatrix<long double> product(HostMatrix<long double> const& A,
                                HostMatrix<long double> const& B) {
  HostMatrix<long double> C(A.rows, B.cols);
  for (int j = 0; j < B.cols; ++j)
    for (int l = 0; l < A.cols; ++l)
      for (int i = 0; i < A.rows; ++i) C(i, j) += A(i, l) * B(l, j);
  return C;
}

double difference(HostMatrix<long double> const& A, HostMatrix<long double> const& B) {
  long double sum = 0;
  for (std::size_t i = 0; i < A.data.size(); ++i)
    sum += (A.data[i] - B.data[i]) * (A.data[i] - B.data[i]);
  return static_cast<double>(std::sqrt(sum));
}

template <class Real>
HostMatrix<long double> widened(HostMatrix<Real> const& A) {
  HostMatrix<long double> W(A.rows, A.cols);
  std::copy(A.data.begin(), A.data.end(), W.data.begin());
  return W;
}

/// AXA = A, XAX = X, AX symmetric, XA symmetric: how far from it, relative to norms and ε.
struct PenroseRatios {
  double axa, xax, ax, xa;
};

template <class Real>
PenroseRatios penrose_ratios(ArrowProblem<Real> const& problem, HostMatrix<Real> const& inverse) {
  auto const A = widened(problem.dense());
  auto const X = widened(inverse);
  auto const AX = product(A, X), XA = product(X, A);
  HostMatrix<long double> const none_A(A.rows, A.cols), none_X(X.rows, X.cols);
  double const a = difference(A, none_A), x = difference(X, none_X), eps = epsilon<Real>;
  if (a == 0 || x == 0) return {a == x ? 0 : 1e300, 0, 0, 0};
  return {difference(product(AX, A), A) / (a * a * x * eps),
          difference(product(XA, X), X) / (x * x * a * eps),
          difference(AX, transposed(AX)) / (a * x * eps),
          difference(XA, transposed(XA)) / (a * x * eps)};
}

template <class Real>
class PenroseConditions : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PenroseConditions, Reals);

TYPED_TEST(PenroseConditions, Hold) {
  Random random(7);
  double worst = 0;
  for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                            PseudoinverseMethod::normal_equations})
    for (int c = 0; c < 150; ++c) {
      bool const scaled = c % 4 == 3;  // columns of different size, independent ones
      int const n = 1 + random.index(c % 10 == 0 ? 300 : 40);
      auto problem = random_arrow<TypeParam>(random, n, 1 + random.index(4), 1 + random.index(10));
      if (c % 4 == 1)  // a zero depth column
        for (int i = problem.offsets[0]; i < problem.offsets[1]; ++i) problem.depth[i] = 0;
      if (c % 4 == 2)  // a motion column that equals the depths
        for (int i = 0; i < n; ++i) problem.motion(i, 0) = problem.depth[i];
      if (scaled)
        for (int i = 0; i < n; ++i) problem.motion(i, 0) *= 1000;
      // Depths that are short beside dependent motions take digits of double off the last one.
      bool const minimal = sizeof(TypeParam) < sizeof(double) || n >= 30;
      for (auto const& inverse : {run_inverse<Kokkos::LayoutRight>(problem, {method}),
                                  run_inverse<Kokkos::LayoutLeft>(problem, {method})}) {
        auto const [axa, xax, ax, xa] = penrose_ratios(problem, inverse);
        double const largest = std::max({axa, xax, ax, minimal ? xa : 0.0});
        worst = std::max(worst, largest);
        ASSERT_LE(largest, penrose_bar) << c << " " << axa << " " << xax << " " << ax << " " << xa;
      }
    }
  this->RecordProperty("worst", std::to_string(worst));
}

}  // namespace
