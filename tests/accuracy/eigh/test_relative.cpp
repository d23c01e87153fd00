// SPDX-License-Identifier: BSD-3-Clause
// EighMethod::cholesky_jacobi finds every eigenvalue of D·H·D to 50·n·ε·cond(H), however far D
// spreads, and LAPACK's ratios hold on its types of matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/eigh/checks.hpp"
#include "support/eigh/drivers.hpp"
#include "support/eigh/quad_eigenvalues.hpp"
#include "support/eigh/symmetric_matrices.hpp"

namespace {

using namespace carroll::test;

template <class Real>
class EighAccuracy : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EighAccuracy, Scalars);

TYPED_TEST(EighAccuracy, EveryEigenvalueOfScaledDefinite) {
  Random random(21);
  bool const is_double = sizeof(TypeParam) == 8;
  EighCall call;
  call.options.method = carroll::EighMethod::cholesky_jacobi;
  for (int const n : {2, 3, 8, 20, 33, 50})
    for (double const condition : {2.0, 30.0, is_double ? 1e6 : 300.0})
      for (int const spread : {1, 20, is_double ? 250 : 30}) {
        auto const drawn = scaled_definite<TypeParam>(random, n, condition, spread);
        auto const result = run_eigh(drawn.A, call);
        auto const values = quad_eigenvalues(drawn.H);
        double const exact = static_cast<double>(values.back() / values.front());
        EXPECT_EQ(what_is_wrong(drawn.A, result, false), "");
        EXPECT_LE(eigenvalue_error(drawn.A, result.W, true), 50 * exact)
            << n << ' ' << condition << ' ' << spread;
      }
}

/// The other method need not; were the matrices not hard, the test above would say nothing.
TYPED_TEST(EighAccuracy, TridiagonalisationLosesThem) {
  Random random(22);
  auto const drawn = scaled_definite<TypeParam>(random, 20, 2, 40);
  EXPECT_GT(eigenvalue_error(drawn.A, run_eigh(drawn.A).W, true), 1e6);
}

TYPED_TEST(EighAccuracy, LargerMatrices) {
  Random random(23);
  for (int const n : {70, 129})
    for (int type = 0; type < symmetric_types; ++type) {
      auto const kind = static_cast<SymmetricType>(type);
      auto const A = symmetric_matrix<TypeParam>(random, kind, n);
      EXPECT_EQ(what_is_wrong(A, run_eigh(A), false), "") << n << ' ' << to_string(kind);
    }
}

}  // namespace
