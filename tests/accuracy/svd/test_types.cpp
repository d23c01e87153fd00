// SPDX-License-Identifier: BSD-3-Clause
// The preconditioned method on every type of matrix, job and shape, against LAPACK's ratios (bar
// 10; LAPACK's own threshold is 50) and a quad-precision reference.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "accuracy/svd/checks.hpp"
#include "support/svd/quad_reference.hpp"

namespace {

using namespace carroll::test;

/// 0, 1, 2, odd, a warp and its neighbours, tall, wide.
std::vector<std::pair<int, int>> small_extents() {
  std::vector<std::pair<int, int>> extents;
  for (int rows : {0, 1, 2, 3, 5, 8, 16, 31, 32, 33})
    for (int cols : {0, 1, 2, 3, 5, 8, 16, 31, 32, 33}) extents.emplace_back(rows, cols);
  for (auto [longer, shorter] : {std::pair{40, 7},
                                 {64, 20},
                                 {63, 31},
                                 {65, 33},
                                 {129, 32},
                                 {300, 1},
                                 {300, 2},
                                 {100, 3},
                                 {65, 64},
                                 {64, 63}}) {
    extents.emplace_back(longer, shorter);
    extents.emplace_back(shorter, longer);
  }
  return extents;
}

template <class Real>
std::vector<HostMatrix<Real>> matrices_of(MatrixType type,
                                          std::vector<std::pair<int, int>> const& extents) {
  std::vector<HostMatrix<Real>> matrices;
  std::uint64_t seed = 1000;
  for (auto [rows, cols] : extents) matrices.push_back(make_matrix<Real>(type, rows, cols, seed++));
  return matrices;
}

class SvdTypes : public ::testing::TestWithParam<MatrixType> {
 protected:
  void record() {
    for (char const* precision : {"float", "double"}) {
      auto const& worst = Summary::instance().of(to_string(GetParam()) + ", " + precision);
      RecordProperty(std::string("worst_ratio_") + precision, std::to_string(worst.ratios.worst()));
    }
  }
};

template <class Real>
void check_thin(MatrixType type) {
  std::vector<HostMatrix<Real>> const matrices = matrices_of<Real>(type, small_extents());
  auto const results = run_svd_ragged(matrices);
  for (std::size_t k = 0; k < matrices.size(); ++k)
    expect_accurate(to_string(type), matrices[k], results[k]);
}

TEST_P(SvdTypes, ThinFactors) {
  check_thin<float>(GetParam());
  check_thin<double>(GetParam());
  record();
}

/// Square U and V: the completed columns count in the ratios as well.
template <class Real>
void check_full(MatrixType type) {
  std::vector<HostMatrix<Real>> const matrices = matrices_of<Real>(type, small_extents());
  auto const thin = run_svd_ragged(matrices);
  auto const full = run_svd_ragged(matrices, full_vectors);
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    ASSERT_EQ(full[k].U.cols, matrices[k].rows);
    ASSERT_EQ(full[k].V.cols, matrices[k].cols);
    expect_accurate(to_string(type), matrices[k], full[k]);
    EXPECT_LE(sigma_difference(full[k].S, thin[k].S), 1) << extents_name(matrices[k]);
  }
}

TEST_P(SvdTypes, FullFactors) {
  check_full<float>(GetParam());
  check_full<double>(GetParam());
}

/// U alone, V alone and S alone say the same as all three together.
template <class Real>
void check_parts(MatrixType type) {
  std::vector<HostMatrix<Real>> const matrices = matrices_of<Real>(type, small_extents());
  auto const thin = run_svd_ragged(matrices);
  auto const u = run_svd_ragged(matrices, only_u);
  auto const v = run_svd_ragged(matrices, only_v);
  auto const values = run_svd_ragged(matrices, only_values);
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    HostMatrix<Real> const& A = matrices[k];
    SCOPED_TRACE(to_string(type) + ", " + precision_name<Real> + ", " + extents_name(A));
    EXPECT_LE(sigma_difference(u[k].S, thin[k].S), 1);
    EXPECT_LE(sigma_difference(v[k].S, thin[k].S), 1);
    EXPECT_LE(sigma_difference(values[k].S, thin[k].S), 1);
    EXPECT_TRUE(is_descending(u[k].S) && is_descending(v[k].S) && is_descending(values[k].S));
    EXPECT_LE(orthogonality_ratio(u[k].U), ratio_bar);
    EXPECT_LE(orthogonality_ratio(v[k].V), ratio_bar);
    EXPECT_LE(one_factor_ratio(A, u[k].U, u[k].S), ratio_bar);
    EXPECT_LE(one_factor_ratio(transposed(A), v[k].V, v[k].S), ratio_bar);
    EXPECT_EQ(u[k].info.status, carroll::Status::success);
    EXPECT_EQ(v[k].info.status, carroll::Status::success);
    EXPECT_EQ(values[k].info.status, carroll::Status::success);
  }
}

TEST_P(SvdTypes, PartsAgree) {
  check_parts<float>(GetParam());
  check_parts<double>(GetParam());
}

/// Absolute accuracy of S by itself, and the rank that follows from it.
template <class Real>
void check_quad(MatrixType type) {
  std::vector<std::pair<int, int>> extents;
  for (int rows : {1, 2, 3, 5, 8, 13})
    for (int cols : {1, 2, 3, 5, 8, 13}) extents.emplace_back(rows, cols);
  std::vector<HostMatrix<Real>> const matrices = matrices_of<Real>(type, extents);
  auto const results = run_svd_ragged(matrices, only_values);
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    std::vector<long double> const reference = quad_singular_values(matrices[k]);
    std::vector<Real> const& S = results[k].S;
    auto const least = static_cast<int>(S.size());
    for (std::size_t i = 0; i < S.size(); ++i) {
      double const difference =
          static_cast<double>(std::abs(static_cast<long double>(S[i]) - reference[i]));
      EXPECT_LE(difference, ratio_bar * absolute_sigma_tolerance<Real>(
                                            least, static_cast<double>(reference.front())) +
                                static_cast<double>(std::numeric_limits<Real>::denorm_min()))
          << to_string(type) << ", " << precision_name<Real> << ", " << extents_name(matrices[k])
          << ", value " << i << ": " << S[i] << " instead of " << reference[i];
    }
  }
}

TEST_P(SvdTypes, ValuesAgreeWithQuadReference) {
  check_quad<float>(GetParam());
  check_quad<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, SvdTypes, ::testing::ValuesIn(all_matrix_types()),
                         [](auto const& tested) { return to_string(tested.param); });

}  // namespace
