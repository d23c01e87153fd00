// SPDX-License-Identifier: BSD-3-Clause
// The preconditioned method on large matrices of every type, against LAPACK's ratios and LAPACK.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/svd/checks.hpp"
#include "support/svd/lapack_oracle.hpp"

namespace {

using namespace carroll::test;

/// All types in one uniform batch of large matrices.
class SvdLarge : public ::testing::TestWithParam<std::pair<int, int>> {};

template <class Real>
void check_large(int rows, int cols) {
  std::vector<HostMatrix<Real>> matrices;
  for (MatrixType type : all_matrix_types())
    matrices.push_back(make_matrix<Real>(type, rows, cols, 77));
  auto const results = run_svd_batch(matrices);
  ASSERT_EQ(results.size(), matrices.size());
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    MatrixType const type = all_matrix_types()[k];
    expect_accurate(to_string(type), matrices[k], results[k]);
    if (auto const lapack = lapack_singular_values(LapackDriver::gesdd, matrices[k])) {
      EXPECT_LE(sigma_difference(results[k].S, *lapack), ratio_bar)
          << to_string(type) << ", " << precision_name<Real> << ", LAPACK gesdd";
    }
  }
}

TEST_P(SvdLarge, ThinFactors) {
  auto const [rows, cols] = GetParam();
  check_large<float>(rows, cols);
  check_large<double>(rows, cols);
}

INSTANTIATE_TEST_SUITE_P(Extents, SvdLarge,
                         ::testing::Values(std::pair{300, 300}, std::pair{1000, 20},
                                           std::pair{20, 1000}, std::pair{129, 127},
                                           std::pair{200, 150}, std::pair{65, 257}),
                         [](auto const& tested) {
                           return std::to_string(tested.param.first) + "x" +
                                  std::to_string(tested.param.second);
                         });

}  // namespace
