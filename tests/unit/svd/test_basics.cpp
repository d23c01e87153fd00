// SPDX-License-Identifier: BSD-3-Clause
// What the documentation of svd.hpp promises, on matrices whose answer is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/ratios.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Placement;
using carroll::Status;
using carroll::SvdMethod;

template <class Real>
class Svd : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Svd, Reals);

std::vector<SvdOptions> all_options() {
  return {{},
          {.method = SvdMethod::cyclic},
          {.method = SvdMethod::round_robin, .placement = Placement::global},
          {.method = SvdMethod::round_robin, .placement = Placement::semi_shared},
          {.method = SvdMethod::round_robin, .placement = Placement::shared}};
}

/// A = [3 0; 4 5] = U·diag(3√5, √5)·Vᵀ with U = [1 −3; 3 1]/√10, V = [1 −1; 1 1]/√2.
TYPED_TEST(Svd, TextbookTwoByTwo) {
  HostMatrix<TypeParam> A(2, 2);
  A.data = {3, 4, 0, 5};
  for (SvdOptions const& options : all_options()) {
    auto const result = run_svd(A, thin_vectors, options);
    double const eps = 8 * epsilon<TypeParam>;
    EXPECT_NEAR(double(result.S[0]), 3 * std::sqrt(5.0), 7 * eps);
    EXPECT_NEAR(double(result.S[1]), std::sqrt(5.0), 7 * eps);
    EXPECT_NEAR(std::abs(double(result.U(0, 0))), 1 / std::sqrt(10.0), eps);
    EXPECT_NEAR(std::abs(double(result.U(1, 0))), 3 / std::sqrt(10.0), eps);
    EXPECT_NEAR(std::abs(double(result.V(0, 1))), 1 / std::sqrt(2.0), eps);
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rank, 2);
    EXPECT_GE(result.info.rotations, 1);
  }
}

TYPED_TEST(Svd, ScalarKeepsItsSignInTheVectors) {
  HostMatrix<TypeParam> A(1, 1);
  A.data = {-2};
  for (SvdOptions const& options : all_options()) {
    auto const result = run_svd(A, thin_vectors, options);
    EXPECT_EQ(result.S[0], TypeParam(2));
    EXPECT_EQ(result.U(0, 0) * result.V(0, 0), TypeParam(-1));
    EXPECT_EQ(std::abs(result.U(0, 0)), TypeParam(1));
    EXPECT_EQ(result.info.rotations, 0);
  }
}

TYPED_TEST(Svd, OrthogonalColumnsNeedNoRotation) {
  auto const A = make_matrix<TypeParam>(MatrixType::identity, 9, 6, 0);
  for (SvdOptions const& options : all_options()) {
    auto const result = run_svd(A, thin_vectors, options);
    EXPECT_EQ(result.S, std::vector<TypeParam>(6, TypeParam(1)));
    EXPECT_EQ(result.info.rotations, 0);
    EXPECT_EQ(result.info.max_cosine, TypeParam(0));
    EXPECT_LE(result.info.sweeps, 1);
    EXPECT_EQ(result.info.rank, 6);
    EXPECT_LE(svd_ratios(A, result.U, result.S, result.V).worst(), ratio_bar);
  }
}

TYPED_TEST(Svd, ZeroMatrixHasOrthonormalVectorsAndRankZero) {
  for (SvdOptions const& options : all_options())
    for (Wanted wanted : {thin_vectors, full_vectors}) {
      HostMatrix<TypeParam> const A(7, 4);
      auto const result = run_svd(A, wanted, options);
      EXPECT_EQ(result.S, std::vector<TypeParam>(4, TypeParam(0)));
      EXPECT_EQ(result.info.status, Status::success);
      EXPECT_EQ(result.info.rank, 0);
      EXPECT_LE(svd_ratios(A, result.U, result.S, result.V).worst(), ratio_bar);
    }
}

TYPED_TEST(Svd, NullSpaceIsCompletedAndRankCounted) {
  for (SvdOptions const& options : all_options())
    for (auto [rows, cols] : {std::pair{12, 8}, {8, 12}, {33, 33}}) {
      // Outer product of integers: rank 1 exactly.
      HostMatrix<TypeParam> A(rows, cols);
      for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows; ++i) A(i, j) = static_cast<TypeParam>((i % 5 - 2) * (j % 3 + 1));
      auto const result = run_svd(A, full_vectors, options);
      EXPECT_EQ(result.info.status, Status::success) << rows << 'x' << cols;
      EXPECT_EQ(result.info.rank, 1) << rows << 'x' << cols;
      EXPECT_LE(svd_ratios(A, result.U, result.S, result.V).worst(), ratio_bar)
          << rows << 'x' << cols << ": " << to_string(svd_ratios(A, result.U, result.S, result.V));
    }
}

/// The terms of a sum over a column are alike: rounding errors of a plain sum would all be, too.
TYPED_TEST(Svd, LongColumnsOfLikeEntriesLoseNoDigits) {
  for (SvdOptions const& options : all_options())
    for (int rows : {300, 955, 3000, 30'000}) {
      HostMatrix<TypeParam> A(rows, 2);
      for (int i = 0; i < rows; ++i) {
        A(i, 0) = TypeParam(i * 7 % 5 < 2 ? -1 : 1);
        A(i, 1) = TypeParam(i * 3 % 7 < 3 ? -1 : 1);
      }
      auto const result = run_svd(A, thin_vectors, options);
      EXPECT_LE(svd_ratios(A, result.U, result.S, result.V).worst(), ratio_bar)
          << rows << ": " << to_string(svd_ratios(A, result.U, result.S, result.V));
    }
}

/// Columns of like length, two of them opposite to two others but for what is tiny. Turned by 45°
/// for the tiny cosines of the rest, no two would be far from orthogonal whenever they met.
TYPED_TEST(Svd, OppositeColumnsAreNotTurnedAwayFromEachOther) {
  for (SvdOptions const& options : all_options())
    for (int exponent : {-20, -40, -50, -60}) {
      auto const tiny = static_cast<TypeParam>(std::ldexp(1.0, exponent));
      HostMatrix<TypeParam> A(4, 4);
      A.data = {tiny,  0,    -tiny, -1, tiny,  1, 0,    -tiny,
                -tiny, tiny, -tiny, 1,  -tiny, 1, tiny, -tiny};
      auto const result = run_svd(A, thin_vectors, options);
      EXPECT_EQ(result.info.status, Status::success);
      EXPECT_LE(svd_ratios(A, result.U, result.S, result.V).worst(), ratio_bar)
          << exponent << ": " << to_string(svd_ratios(A, result.U, result.S, result.V));
    }
}

/// Columns of equal length at a cosine whose square underflows: the angle of the rotation is 45°.
TYPED_TEST(Svd, TinyCosinesBetweenEqualColumns) {
  using Limits = std::numeric_limits<TypeParam>;
  for (SvdOptions options : all_options())
    for (TypeParam tiny : {std::sqrt(Limits::min()) / 16, Limits::min(), Limits::denorm_min()})
      for (double tolerance : {0.0, 1e-300}) {
        HostMatrix<TypeParam> A(2, 2);
        A(0, 0) = A(1, 1) = 1;
        A(0, 1) = tiny;
        options.tolerance = tolerance;
        auto const result = run_svd(A, thin_vectors, options);
        EXPECT_EQ(result.info.status, Status::success);
        EXPECT_EQ(result.S, (std::vector<TypeParam>{1, 1})) << tiny;
        EXPECT_LE(svd_ratios(A, result.U, result.S, result.V).worst(), ratio_bar) << tiny;
      }
}

/// Below the first row everything is so small that its squares underflow; it still has vectors.
TYPED_TEST(Svd, SmallRemaindersHaveOrthogonalVectors) {
  TypeParam const small = sizeof(TypeParam) == sizeof(float) ? TypeParam(1e-23) : TypeParam(1e-164);
  for (SvdOptions const& options : all_options()) {
    HostMatrix<TypeParam> A(3, 3);
    A(0, 0) = A(0, 1) = A(0, 2) = 1;
    A(1, 1) = 8 * small;
    A(1, 2) = 2 * small;
    A(2, 1) = 4 * small;
    A(2, 2) = 9 * small;
    auto const result = run_svd(A, thin_vectors, options);
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_LE(svd_ratios(A, result.U, result.S, result.V).worst(), ratio_bar);
  }
}

TYPED_TEST(Svd, EmptyProblemsSucceed) {
  for (SvdOptions const& options : all_options())
    for (auto [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}})
      for (Wanted wanted : {thin_vectors, full_vectors, only_u, only_v, only_values}) {
        auto const result = run_svd(HostMatrix<TypeParam>(rows, cols), wanted, options);
        EXPECT_EQ(result.info.status, Status::success);
        EXPECT_EQ(result.info.rank, 0);
        EXPECT_TRUE(result.S.empty());
        // Square factors of an empty matrix are still orthogonal matrices.
        EXPECT_LE(orthogonality_ratio(result.U), ratio_bar) << rows << 'x' << cols;
        EXPECT_LE(orthogonality_ratio(result.V), ratio_bar) << rows << 'x' << cols;
      }
}

TYPED_TEST(Svd, UniformBatchEqualsSingleRuns) {
  for (SvdOptions const& options : all_options())
    for (auto [rows, cols] : {std::pair{6, 4}, {4, 6}, {33, 20}, {1, 1}}) {
      std::vector<HostMatrix<TypeParam>> matrices;
      for (std::uint64_t seed = 0; seed < 5; ++seed)
        matrices.push_back(make_matrix<TypeParam>(MatrixType::random, rows, cols, seed));
      for (Wanted wanted : {thin_vectors, full_vectors, only_u, only_v, only_values}) {
        auto const batch = run_svd_batch(matrices, wanted, options);
        auto const ragged = run_svd_ragged(matrices, wanted, options);
        for (std::size_t k = 0; k < matrices.size(); ++k) {
          auto const alone = run_svd(matrices[k], wanted, options);
          EXPECT_TRUE(same_result(batch[k], alone)) << rows << 'x' << cols << ", member " << k;
          EXPECT_TRUE(same_result(ragged[k], alone)) << rows << 'x' << cols << ", member " << k;
        }
      }
    }
}

TYPED_TEST(Svd, BadMemberLeavesItsNeighboursAlone) {
  std::vector<HostMatrix<TypeParam>> matrices;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    matrices.push_back(make_matrix<TypeParam>(MatrixType::random, 10, 7, seed));
  auto const good = run_svd_batch(matrices);
  matrices[1](4, 4) = std::numeric_limits<TypeParam>::quiet_NaN();
  auto const mixed = run_svd_batch(matrices);
  EXPECT_TRUE(same_result(mixed[0], good[0]));
  EXPECT_TRUE(same_result(mixed[2], good[2]));
  EXPECT_EQ(mixed[1].info.status, Status::non_finite);
  EXPECT_TRUE(all_nan(mixed[1].U.data) && all_nan(mixed[1].S) && all_nan(mixed[1].V.data));
}

TYPED_TEST(Svd, InfoIsPlausible) {
  auto const A = make_matrix<TypeParam>(MatrixType::random, 40, 30, 3);
  for (SvdOptions const& options : all_options()) {
    auto const info = run_svd(A, thin_vectors, options).info;
    EXPECT_EQ(info.status, Status::success);
    EXPECT_GE(info.sweeps, 2);
    EXPECT_LE(info.sweeps, 12);  // converges quadratically: half of that is usual
    EXPECT_GE(info.rotations, 30 * 29 / 2 / 2);
    EXPECT_LE(info.rotations, static_cast<std::int64_t>(info.sweeps) * 30 * 29 / 2);
    EXPECT_LE(double(info.max_cosine), 8 * std::sqrt(40.0) * epsilon<TypeParam>);
    EXPECT_EQ(info.rank, 30);
  }
}

/// A loose tolerance stops earlier, and the cosines it leaves are within it.
TYPED_TEST(Svd, LooseToleranceStopsEarlier) {
  auto const A = make_matrix<TypeParam>(MatrixType::random, 64, 48, 4);
  for (SvdOptions options : all_options()) {
    options.path = carroll::SvdPath::team;  // the one that a loose tolerance takes
    auto const tight = run_svd(A, thin_vectors, options).info;
    options.tolerance = 1e-2;
    auto const loose = run_svd(A, thin_vectors, options);
    EXPECT_EQ(loose.info.status, Status::success);
    EXPECT_LT(loose.info.rotations, tight.rotations);
    EXPECT_LE(loose.info.sweeps, tight.sweeps);
    EXPECT_LE(double(loose.info.max_cosine), 1e-2);
    EXPECT_GT(double(loose.info.max_cosine), 0);
    EXPECT_LE(residual_ratio(A, loose.U, loose.S, loose.V), ratio_bar);
  }
}

/// No tolerance is smaller than what rounding leaves: a pair of columns could be rotated for ever.
TYPED_TEST(Svd, ToleranceBelowRoundingIsTheDefault) {
  auto const A = make_matrix<TypeParam>(MatrixType::random, 600, 40, 4);
  for (SvdOptions options : all_options()) {
    auto const usual = run_svd(A, thin_vectors, options);
    for (double tolerance : {double(std::numeric_limits<TypeParam>::epsilon()), 1e-300}) {
      options.tolerance = tolerance;
      auto const tight = run_svd(A, thin_vectors, options);
      EXPECT_EQ(tight.info.status, Status::success);
      EXPECT_EQ(tight.info.sweeps, usual.info.sweeps);
      EXPECT_EQ(tight.info.rotations, usual.info.rotations);
      EXPECT_EQ(tight.S, usual.S);
    }
  }
}

/// At the limit of sweeps the outputs are the best so far: A = U·diag(S)·Vᵀ holds to rounding, S is
/// sorted, one side is orthogonal, and the other is as far from it as max_cosine says.
TYPED_TEST(Svd, SweepLimitIsReportedAndOutputsAreTheBestSoFar) {
  for (SvdOptions options : all_options())
    for (auto [rows, cols] : {std::pair{40, 30}, {30, 40}}) {
      auto const A = make_matrix<TypeParam>(MatrixType::random, rows, cols, 4);
      options.max_sweeps = 1;
      auto const result = run_svd(A, thin_vectors, options);
      EXPECT_EQ(result.info.status, Status::not_converged);
      EXPECT_EQ(result.info.sweeps, 1);
      EXPECT_GT(double(result.info.max_cosine), 1e-3);
      EXPECT_TRUE(is_descending(result.S));
      EXPECT_LE(residual_ratio(A, result.U, result.S, result.V), ratio_bar);
      EXPECT_LE(std::min(orthogonality_ratio(result.U), orthogonality_ratio(result.V)), ratio_bar);
    }
}

TYPED_TEST(Svd, SameCallSameBits) {
  auto const A = make_matrix<TypeParam>(MatrixType::random, 70, 50, 11);
  for (SvdOptions const& options : all_options())
    EXPECT_TRUE(same_result(run_svd(A, full_vectors, options), run_svd(A, full_vectors, options)));
}

}  // namespace
