// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/eigh.hpp>
#include <cmath>
#include <limits>

#include "eigh_instances.hpp"
#include "support/eigh/checks.hpp"
#include "support/eigh/symmetric_matrices.hpp"
#include "unit/eigh/calls.hpp"

/// `eigh` of semidefinite matrices by their Cholesky factors, and of others, which are refused.
namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class EighCholesky : public ::testing::Test {};
using CholeskyScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EighCholesky, CholeskyScalars);

TYPED_TEST(EighCholesky, RefusesWhatIsIndefinite) {
  TypeParam const tiny = TypeParam(1e-20);
  for (auto const& A : {two_by_two<TypeParam>(1, 2, 1), two_by_two<TypeParam>(0, 1, 0),
                        two_by_two<TypeParam>(-1, 0, 1), two_by_two<TypeParam>(0, tiny, 1),
                        two_by_two<TypeParam>(tiny, 2 * tiny, tiny)}) {
    auto const result = run_eigh(A, definite());
    EXPECT_EQ(result.info.status, Status::breakdown);
    EXPECT_TRUE(all_nan(result.W) && all_nan(result.V.data));
  }
  // Divided by the roots of its diagonal an entry leaves the range.
  int const far = std::numeric_limits<TypeParam>::max_exponent / 4 * 3;
  HostMatrix<TypeParam> A(3, 3);
  for (int k = 0; k < 3; ++k) A(k, k) = std::ldexp(TypeParam(1), -far - 2 * k);
  A(2, 0) = A(0, 2) = std::ldexp(TypeParam(1), far);
  auto const result = run_eigh(A, definite());
  EXPECT_EQ(result.info.status, Status::breakdown);
  EXPECT_TRUE(all_nan(result.W) && all_nan(result.V.data));
}

TYPED_TEST(EighCholesky, OfSemidefinite) {
  Random random(18);
  for (int const n : {2, 5, 16, 40})
    for (int const rank : {0, 1, n / 2, n - 1}) {
      auto const A = whole_gram<TypeParam>(random, n, rank);
      auto const result = run_eigh(A, definite());
      EXPECT_EQ(what_is_wrong(A, result, n < 20), "") << n << ' ' << rank;
      EXPECT_LE(result.info.rank, rank);
      EXPECT_GE(result.W.front(), 0);
    }
}

}  // namespace
