// SPDX-License-Identifier: BSD-3-Clause
// Determinants that are known in closed form, and errors of log|det| next to LAPACK's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <string>

#include "support/determinant/drivers.hpp"
#include "support/determinant/matrices.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantMethod;
using carroll::Status;

template <class Real>
HostMatrix<Real> rounded_to(HostMatrix<double> const& A) {
  HostMatrix<Real> result(A.rows, A.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k) result.data[k] = static_cast<Real>(A.data[k]);
  return result;
}

/// i·A: its determinant is i^n·det A.
HostMatrix<Kokkos::complex<double>> times_i(HostMatrix<double> const& A) {
  HostMatrix<Kokkos::complex<double>> result(A.rows, A.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k)
    result.data[k] = Kokkos::complex<double>(0, A.data[k]);
  return result;
}

/// The largest error met, in units of n·eps·condition, per kind of matrix.
class Worst {
 public:
  void add(std::string const& name, double ratio) {
    double& largest = worst_[name];
    largest = std::max(largest, ratio);
  }
  ~Worst() {
    for (auto const& [name, ratio] : worst_) std::printf("  %-32s %.3g\n", name.c_str(), ratio);
  }

 private:
  std::map<std::string, double> worst_;
};

void expect_closed_forms(DeterminantMethod method, std::initializer_list<int> orders) {
  Worst worst;
  for (int const n : orders) {
    for (auto const& known : known_determinants(n)) {
      SCOPED_TRACE(known.name + ", n = " + std::to_string(n));
      auto const check = [&](auto const& info, LongNumber const& determinant, double eps,
                             std::string const& name) {
        double const bound = 4.0 * n * eps * known.condition;
        bool const is_zero = determinant.re == 0 && determinant.im == 0;
        if (bound > 0.5) return;  // sign and size are not determined by the stored digits
        if (is_zero) {
          // Rounding errors of a singular matrix are relative to nothing.
          EXPECT_TRUE(info.status == Status::singular || info.value.log_abs() < 0);
          return;
        }
        ASSERT_EQ(info.status, Status::success);
        double const error = relative_error(info, determinant);
        EXPECT_LE(error, bound);
        worst.add(name, error / (n * eps * known.condition));
      };
      check(run_determinant(known.matrix, {method}), known.determinant, epsilon<double>,
            known.name);
      if (known.fits_float)
        check(run_determinant(rounded_to<float>(known.matrix), {method}), known.determinant,
              epsilon<float>, known.name + ", single");
      if (n > 500) continue;
      LongNumber turned = known.determinant;
      for (int k = 0; k < n % 4; ++k) turned.multiply(0, 1);
      check(run_determinant(times_i(known.matrix), {method}), turned, epsilon<double>,
            known.name + ", complex");
    }
  }
}

class ClosedFormErrors : public ::testing::TestWithParam<DeterminantMethod> {};

TEST_P(ClosedFormErrors, AreMetToTheirCondition) {
  expect_closed_forms(GetParam(), {1, 2, 3, 4, 5, 8, 10, 16, 33, 64, 100, 128, 129, 256});
}

// A step at a time would be slow here.
TEST(LargeDeterminants, AreMetToTheirCondition) {
  expect_closed_forms(DeterminantMethod::blocked, {500, 1000, 2000});
}

INSTANTIATE_TEST_SUITE_P(Methods, ClosedFormErrors,
                         ::testing::Values(DeterminantMethod::blocked,
                                           DeterminantMethod::condensation),
                         [](auto const& tested) { return ::testing::PrintToString(tested.param); });

TEST(DeterminantErrors, OfOddClementMatricesAreZero) {
  for (int const n : {3, 5, 9, 21}) {
    HostMatrix<double> A(n, n);
    for (int i = 1; i < n; ++i) {
      A(i - 1, i) = i;
      A(i, i - 1) = n - i;
    }
    EXPECT_EQ(run_determinant(A).status, Status::singular) << n;
  }
}

/// Errors of |det|, ours and LAPACK's, over `count` random matrices: the mean of their ratio, and
/// the largest in units of the matrix' condition, so that not a single matrix, the worst
/// conditioned, and the luck of its rounding decide.
template <class Real, class Reference>
void compare_with_lapack(std::uint64_t seed, int count, int lowest, int highest, double most,
                         Reference const& reference_of) {
  double log_ratio = 0, ours_worst = 0, theirs_worst = 0;
  Random random(seed);
  for (int repeat = 0; repeat < count; ++repeat) {
    int const n = lowest + random.index(highest - lowest + 1);
    auto const A = random_square<Real>(n, seed + static_cast<std::uint64_t>(repeat));
    auto const lapack = lapack_determinant(A);
    if (!lapack) GTEST_SKIP() << "no LAPACK to compare with";
    LongNumber const reference = reference_of(A);
    double const ours = relative_error(run_determinant(A), reference);
    double const theirs = relative_error(lapack->re, 0, lapack->exponent, reference);
    HostMatrix<double> D(n, n);
    std::copy(A.data.begin(), A.data.end(), D.data.begin());
    double const unit = epsilon<Real> * lapack_condition(D);
    ours_worst = std::max(ours_worst, ours / unit);
    theirs_worst = std::max(theirs_worst, theirs / unit);
    double const nothing = epsilon<Real> / 1000;
    log_ratio += std::log(std::max(ours, nothing) / std::max(theirs, nothing));
  }
  double const mean = std::exp(log_ratio / count);
  std::printf(
      "  n = %d to %d: geometric mean of the ratio of errors %.3f, worst/(eps cond) %.3g and "
      "%.3g\n",
      lowest, highest, mean, ours_worst, theirs_worst);
  EXPECT_LE(mean, most);
  EXPECT_LE(ours_worst, 3 * theirs_worst);
}

// The logarithm of the ratio of two such errors scatters by 1.6, its mean over 1000 by 0.05, over
// 600 by 0.065.
TEST(DeterminantErrors, AreLikeLapacksInSingle) {
  compare_with_lapack<float>(43, 1000, 50, 500, 1.1, [](HostMatrix<float> const& A) {
    HostMatrix<double> D(A.rows, A.cols);
    std::copy(A.data.begin(), A.data.end(), D.data.begin());
    return *lapack_determinant(D);
  });
}
TEST(DeterminantErrors, AreLikeLapacksInDouble) {
  compare_with_lapack<double>(41, 600, 50, 100, 1.3,
                              [](HostMatrix<double> const& A) { return quad_determinant(A); });
}

}  // namespace
