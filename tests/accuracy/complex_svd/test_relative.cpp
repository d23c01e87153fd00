// SPDX-License-Identifier: BSD-3-Clause
// Every singular value of B·D and of square D·B in all its digits, whatever D is; unitary factors
// times graded and clustered values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/complex_svd/drivers.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;

template <class Real>
class ComplexSvdRelative : public ::testing::Test {};
using ComplexRelativePrecisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexSvdRelative, ComplexRelativePrecisions);

/// Exponents from -range to range, in no order.
std::vector<int> drawn_exponents(Random& random, int n, int range) {
  std::vector<int> exponents;
  for (int j = 0; j < n; ++j) exponents.push_back(random.index(2 * range + 1) - range);
  return exponents;
}

/// By the kernels that the table picks, and on hosts by `host_block`.
TYPED_TEST(ComplexSvdRelative, ScaledColumnsAndRows) {
  Random random(5);
  auto const complaint = [](ComplexMatrix<TypeParam> const& A) {
    ComplexCall blocks;
    blocks.options.path = carroll::SvdPath::tiles;
    return what_is_wrong(A, run_complex_svd(A), true) +
           what_is_wrong(A, run_complex_svd(A, blocks), true);
  };
  int const range = std::numeric_limits<TypeParam>::max_exponent / 2 - 8;
  for (int const n : {1, 2, 3, 5, 8, 13, 20})
    for (int times = 0; times < 2; ++times) {
      // Random square matrices are now and then ill-conditioned; with more rows they are not.
      auto const tall = random_complex<TypeParam>(random, 2 * n + 2, n);
      auto const BD = scaled_columns(tall, drawn_exponents(random, n, range));
      EXPECT_EQ(complaint(BD), "") << n;
      auto const DB = conjugate_transposed(BD);
      EXPECT_EQ(complaint(DB), "") << n;
      auto square = random_complex<TypeParam>(random, n, n);
      for (int i = 0; i < n; ++i) square(i, i) += static_cast<TypeParam>(4 * std::sqrt(n));
      auto const scaled = scaled_columns(square, drawn_exponents(random, n, range));
      EXPECT_EQ(complaint(scaled), "") << n;
      auto const rows = conjugate_transposed(scaled);
      EXPECT_EQ(complaint(rows), "") << n;
    }
}

TYPED_TEST(ComplexSvdRelative, ClustersAndGradedValues) {
  Random random(6);
  for (int const n : {4, 16, 33}) {
    auto const left = run_complex_svd(random_complex<TypeParam>(random, n + 3, n)).U;
    auto const right = run_complex_svd(random_complex<TypeParam>(random, n, n)).U;
    for (double const ratio : {1.0, 0.5, 1e-3}) {
      ComplexMatrix<TypeParam> A(n + 3, n);
      for (int k = 0; k < n; ++k) {
        auto const sigma = static_cast<TypeParam>(ratio == 1.0 ? 1 + (k % 3) * epsilon<TypeParam>
                                                               : std::pow(ratio, k % 12));
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n + 3; ++i) A(i, j) += sigma * left(i, k) * std::conj(right(j, k));
      }
      EXPECT_EQ(what_is_wrong(A, run_complex_svd(A)), "") << n << ", " << ratio;
    }
  }
}

}  // namespace
