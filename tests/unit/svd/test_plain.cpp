// SPDX-License-Identifier: BSD-3-Clause
// The methods without preconditioning where columns depend on each other, and what their status
// says.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/methods.hpp"
#include "support/svd/quad_reference.hpp"
#include "support/svd/ratios.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class SvdPlain : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdPlain, Reals);

/// One row is a power of two times another: rounding errors depend on each other as the columns do,
/// and what is left of a dependent column is never orthogonal to the others.
template <class Real>
HostMatrix<Real> with_dependent_row(int n, Random& random) {
  HostMatrix<Real> A(n, n);
  for (Real& x : A.data) x = static_cast<Real>(random.normal());
  int const from = random.index(n), to = (from + 1 + random.index(n - 1)) % n;
  Real const factors[] = {Real(-0.5), Real(1), Real(-1), Real(2), Real(0)};
  Real const factor = factors[random.index(5)];
  for (int j = 0; j < n; ++j) A(to, j) = factor * A(from, j);
  return A;
}

TYPED_TEST(SvdPlain, DependentRowsConverge) {
  Random random(20261123);
  std::vector<HostMatrix<TypeParam>> batch;
  for (int k = 0; k < 400; ++k) batch.push_back(with_dependent_row<TypeParam>(5, random));
  for (Method const& method : plain_methods()) {
    auto const results = run_svd_batch(batch, full_vectors, method.options);
    int failures = 0;
    double worst = 0;
    for (std::size_t k = 0; k < batch.size(); ++k) {
      auto const& result = results[k];
      failures += result.info.status == Status::success ? 0 : 1;
      worst = std::max(worst, svd_ratios(batch[k], result.U, result.S, result.V).worst());
      EXPECT_EQ(result.info.rank, 4);
      EXPECT_LT(result.info.sweeps, 12);
    }
    EXPECT_EQ(failures, 0) << method.name;
    EXPECT_LE(worst, ratio_bar) << method.name;
  }
}

/// Columns that differ in size, and depend on each other as little as rounding allows, are no
/// rounding errors.
TYPED_TEST(SvdPlain, SmallColumnsOfFullRankAreKept) {
  double const decades = sizeof(TypeParam) == 4 ? 12 : 100;
  for (Method const& method : plain_methods())
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      double const condition = 100;
      auto const A = scaled_columns<TypeParam>(7, 6, condition, decades, true, seed);
      auto const exact = quad_singular_values(A);
      auto const result = run_svd(A, thin_vectors, method.options);
      EXPECT_EQ(result.info.status, Status::success) << method.name;
      for (std::size_t k = 0; k < exact.size(); ++k)
        EXPECT_NEAR(double(static_cast<long double>(result.S[k]) / exact[k]), 1,
                    50 * condition * epsilon<TypeParam>)
            << method.name << ", seed " << seed << ", S(" << k << ")";
    }
}

/// What did not converge is not right elsewhere either, so that comes first; S(0) shows the
/// overflow. What did converge says overflow, rank-deficient or not.
TYPED_TEST(SvdPlain, OverflowAndNoConvergence) {
  using Limits = std::numeric_limits<TypeParam>;
  Random random(3);
  for (Method const& method : all_methods()) {
    auto options = method.options;
    for (bool const deficient : {false, true}) {
      HostMatrix<TypeParam> A(5, 5);
      for (TypeParam& x : A.data)
        x = Limits::max() * static_cast<TypeParam>(0.75 + random.uniform() / 4);
      if (deficient)
        for (int j = 0; j < 5; ++j) A(4, j) = -A(1, j) / 2;
      options.max_sweeps = 30;
      auto const done = run_svd(A, full_vectors, options);
      EXPECT_EQ(done.info.status, Status::overflow) << method.name;
      EXPECT_TRUE(std::isinf(done.S[0])) << method.name;
      EXPECT_LE(orthogonality_ratio(done.U), ratio_bar) << method.name;
      EXPECT_LE(orthogonality_ratio(done.V), ratio_bar) << method.name;
      options.max_sweeps = 1;
      auto const begun = run_svd(A, full_vectors, options);
      EXPECT_EQ(begun.info.status, Status::not_converged) << method.name;
      EXPECT_TRUE(std::isinf(begun.S[0])) << method.name;
    }
  }
}

}  // namespace
