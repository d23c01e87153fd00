// SPDX-License-Identifier: BSD-3-Clause
// High relative accuracy: every singular value of A = B·D, large and small, however D is scaled.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/summary.hpp"
#include "support/svd/drivers.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/quad_reference.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;

template <class Real>
class SvdRelative : public ::testing::Test {
 protected:
  static constexpr double decades = sizeof(Real) == sizeof(float) ? 15 : 120;
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdRelative, Reals);

template <class Real>
double relative_error(std::vector<Real> const& S, std::vector<long double> const& reference) {
  double worst = 0;
  for (std::size_t k = 0; k < S.size(); ++k) {
    long double const error =
        std::abs(static_cast<long double>(S[k]) - reference[k]) / reference[k];
    worst = std::isfinite(error) ? std::max(worst, static_cast<double>(error)) : HUGE_VAL;
  }
  return worst;
}

struct Case {
  int rows;
  int cols;
  double condition;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int n : {2, 5, 10, 20, 40})
    for (int m : {n, n + 1, 2 * n + 3})
      for (double condition : {1.5, 50.0, 1e3}) all.push_back({m, n, condition});
  for (auto [m, n] : {std::pair{300, 2}, {64, 8}, {100, 16}})
    for (double condition : {1.5, 1e3}) all.push_back({m, n, condition});
  return all;
}

struct Errors {
  double worst = 0;
  int beyond = 0;

  void add(double error, double tolerance) {
    worst = std::max(worst, error);
    if (!(error <= tolerance)) ++beyond;
  }
};

/// S with vectors, S alone, and S of the transpose; LAPACK's preconditioned Jacobi for comparison.
template <class Real>
void check(Case const& c, double decades) {
  double const tolerance = relative_sigma_tolerance<Real>(c.cols);
  std::vector<HostMatrix<Real>> matrices;
  std::vector<HostMatrix<Real>> transposes;
  int const seeds = c.cols <= 10 ? 20 : c.cols <= 20 ? 6 : 2;
  for (int seed = 0; seed < seeds; ++seed) {
    matrices.push_back(scaled_columns<Real>(c.rows, c.cols, c.condition, decades, seed % 2 == 1,
                                            static_cast<std::uint64_t>(seed * 1000 + c.cols)));
    transposes.push_back(transposed(matrices.back()));
  }
  auto const with_vectors = run_svd_ragged(matrices);
  auto const values = run_svd_ragged(matrices, only_values);
  auto const of_transposes = run_svd_ragged(transposes);

  Errors ours;
  Errors turned;
  Errors lapack;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    auto const reference = quad_singular_values(matrices[k]);
    ours.add(relative_error(with_vectors[k].S, reference), tolerance);
    ours.add(relative_error(values[k].S, reference), tolerance);
    turned.add(relative_error(of_transposes[k].S, reference), tolerance);
    EXPECT_EQ(with_vectors[k].info.status, carroll::Status::success);
    EXPECT_EQ(of_transposes[k].info.status, carroll::Status::success);
    if (auto const S = lapack_singular_values(LapackDriver::gejsv, matrices[k]))
      lapack.add(relative_error(*S, reference), tolerance);
  }
  double const unit = c.cols * epsilon<Real>;
  char line[200];
  std::snprintf(line, sizeof line, "%-6s %2dx%-2d cond %-4g %10.3g %3d %10.3g %3d %10.3g %3d",
                precision_name<Real>, c.rows, c.cols, c.condition, ours.worst / unit, ours.beyond,
                turned.worst / unit, turned.beyond, lapack.worst / unit, lapack.beyond);
  if (c.condition > 100) Summary::instance().note(line);
  EXPECT_EQ(ours.beyond, 0) << line;
  EXPECT_EQ(turned.beyond, 0) << line;
}

TYPED_TEST(SvdRelative, EverySingularValue) {
  Summary::instance().note(
      "\nA = B*D: worst relative error/(n eps) and how many beyond 50; S of A, S of A^T, LAPACK "
      "gejsv of A");
  for (Case const& c : cases()) check<TypeParam>(c, this->decades);
}

}  // namespace
