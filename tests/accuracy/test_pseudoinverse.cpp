// SPDX-License-Identifier: BSD-3-Clause
// apply_pseudoinverse and pseudoinverse against LAPACK's gelsd, the Penrose conditions, and exact
// steps of ill-conditioned problems.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseMethod;
using carroll::PseudoinverseOptions;
using carroll::Status;

double norm(std::vector<double> const& x) {
  double sum = 0;
  for (double const value : x) sum += value * value;
  return std::sqrt(sum);
}

double distance(std::vector<double> a, std::vector<double> const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return norm(a);
}

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
