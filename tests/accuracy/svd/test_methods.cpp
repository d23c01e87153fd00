// SPDX-License-Identifier: BSD-3-Clause
// The methods of the 2020 Jetson study meet the same ratios on matrices that are not graded.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "accuracy/svd/checks.hpp"
#include "support/svd/methods.hpp"

namespace {

using namespace carroll::test;

class SvdMethods : public ::testing::TestWithParam<Method> {};

template <class Real>
void check_types(Method const& method) {
  for (MatrixType type : all_matrix_types()) {
    if (!suits_plain_jacobi(type)) continue;
    std::vector<HostMatrix<Real>> matrices;
    for (auto [rows, cols] : {std::pair{0, 3},
                              {1, 1},
                              {2, 2},
                              {5, 3},
                              {3, 5},
                              {8, 8},
                              {31, 33},
                              {32, 32},
                              {33, 31},
                              {64, 20},
                              {20, 64},
                              {7, 6},
                              {1, 9}})
      matrices.push_back(make_matrix<Real>(type, rows, cols, 5));
    auto const results = run_svd_ragged(matrices, thin_vectors, method.options);
    auto const full = run_svd_ragged(matrices, full_vectors, method.options);
    auto const values = run_svd_ragged(matrices, only_values, method.options);
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      expect_accurate(method.name, matrices[k], results[k]);
      expect_accurate(method.name, matrices[k], full[k]);
      EXPECT_LE(sigma_difference(values[k].S, results[k].S), 1)
          << method.name << ", " << to_string(type) << ", " << extents_name(matrices[k]);
    }
  }
}

TEST_P(SvdMethods, AccurateOnUngradedTypes) {
  check_types<float>(GetParam());
  check_types<double>(GetParam());
}

/// The study's sizes: a multiple of 32 rows, 3/4 as many columns.
template <class Real>
void check_large(Method const& method) {
  for (int rows : {96, 160}) {
    HostMatrix<Real> const A = make_matrix<Real>(MatrixType::uniform01, rows, 3 * rows / 4, 3);
    expect_accurate(method.name, A, run_svd(A, thin_vectors, method.options));
  }
}

TEST_P(SvdMethods, AccurateAtTheStudysSizes) {
  check_large<float>(GetParam());
  check_large<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Old, SvdMethods, ::testing::ValuesIn(plain_methods()),
                         [](auto const& tested) { return std::string(tested.param.name); });

}  // namespace
