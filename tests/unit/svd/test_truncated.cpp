// SPDX-License-Identifier: BSD-3-Clause
// What a caller of truncated_svd sees: layouts, empty problems, NaN, paths, workspaces, seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/truncated_svd.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/truncated_drivers.hpp"
#include "truncated_svd_instances.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;
using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

/// Singular values 0.8ⁱ.
template <class Real>
HostMatrix<Real> decaying(int rows, int cols) {
  auto const exact = random_with_spectrum(
      rows, cols, geometric_spectrum(std::min(rows, cols), std::pow(0.8, std::min(rows, cols) - 1)),
      7);
  HostMatrix<Real> A(rows, cols);
  std::transform(exact.data.begin(), exact.data.end(), A.data.begin(),
                 [](double x) { return static_cast<Real>(x); });
  return A;
}

template <class Real>
class TruncatedSvd : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TruncatedSvd, Reals);

template <class Real, class ALayout, class ULayout, class SLayout, class VLayout>
void expect_layouts_agree(int rows, int cols, int rank, TruncatedSvdPath path) {
  auto const matrix = decaying<Real>(rows, cols);
  TruncatedSvdOptions const options{.path = path};
  auto const expected = run_truncated_svd(matrix, rank, options);
  auto A = guarded_from<Real, ALayout>(matrix);
  GuardedView<Real, 2, ULayout> U({size(rows), size(rank)});
  GuardedView<Real, 1, SLayout> S({size(rank)});
  GuardedView<Real, 2, VLayout> V({size(cols), size(rank)});
  typename GuardedView<Real, 2, ALayout>::ViewType::const_type const A_view = A.view();
  HostTruncatedSvd<Real> result;
  result.info = carroll::truncated_svd(Exec{}, A_view, U.view(), S.view(), V.view(), options);
  A.to_host();
  U.to_host();
  S.to_host();
  V.to_host();
  result.U = to_host_matrix(U, rows, rank);
  result.V = to_host_matrix(V, cols, rank);
  S.for_each_index([&](std::array<std::size_t, 1> index) { result.S.push_back(S(index)); });
  EXPECT_TRUE(same_result(result, expected))
      << rows << 'x' << cols << " rank " << rank << layout_name<ALayout>;
  EXPECT_TRUE(A.guards_intact() && U.guards_intact() && S.guards_intact() && V.guards_intact());
  EXPECT_TRUE(same_bits(to_host_matrix(A, rows, cols), matrix));
}

TYPED_TEST(TruncatedSvd, EveryLayoutGivesTheSameBitsAndNothingElseIsWritten) {
  for (auto [rows, cols, rank] :
       {std::array{90, 70, 5}, {70, 90, 5}, {80, 80, 3}, {6, 4, 2}, {4, 6, 4}, {5, 5, 0}})
    for (TruncatedSvdPath path : {TruncatedSvdPath::automatic, TruncatedSvdPath::randomized}) {
      expect_layouts_agree<TypeParam, Left, Left, Left, Left>(rows, cols, rank, path);
      expect_layouts_agree<TypeParam, Right, Right, Right, Right>(rows, cols, rank, path);
      expect_layouts_agree<TypeParam, Stride, Stride, Stride, Stride>(rows, cols, rank, path);
      expect_layouts_agree<TypeParam, Right, Left, Stride, Stride>(rows, cols, rank, path);
    }
}

TYPED_TEST(TruncatedSvd, EmptyProblemsSucceed) {
  for (auto [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {80, 70}})
    for (TruncatedSvdPath path :
         {TruncatedSvdPath::automatic, TruncatedSvdPath::randomized, TruncatedSvdPath::full}) {
      auto A = HostMatrix<TypeParam>(rows, cols);
      EXPECT_EQ(run_truncated_svd(A, 0, {.path = path}).info.error, TypeParam(0));
      std::fill(A.data.begin(), A.data.end(), TypeParam(2));
      auto const result = run_truncated_svd(A, 0, {.path = path});
      EXPECT_EQ(result.info.status, Status::success);
      EXPECT_EQ(result.info.residual, TypeParam(0));
      EXPECT_EQ(result.info.error, TypeParam(rows * cols > 0 ? 1 : 0));  // ‖A‖ relative to ‖A‖
    }
}

TYPED_TEST(TruncatedSvd, NonFiniteInputIsReportedAndTheOutputsAreNan) {
  for (TypeParam bad :
       {std::numeric_limits<TypeParam>::quiet_NaN(), std::numeric_limits<TypeParam>::infinity(),
        -std::numeric_limits<TypeParam>::infinity()})
    for (auto [rows, cols] : {std::pair{90, 70}, {70, 90}, {5, 3}})
      for (TruncatedSvdPath path :
           {TruncatedSvdPath::automatic, TruncatedSvdPath::randomized, TruncatedSvdPath::full}) {
        auto A = decaying<TypeParam>(rows, cols);
        A(rows / 2, cols - 1) = bad;
        auto const result = run_truncated_svd_with_workspace(A, 3, {.path = path});
        EXPECT_EQ(result.info.status, Status::non_finite);
        EXPECT_TRUE(std::isnan(result.info.residual) && std::isnan(result.info.error));
        EXPECT_TRUE(all_nan(result.U.data) && all_nan(result.S) && all_nan(result.V.data));
        EXPECT_TRUE(all_nan(result.residuals));
        EXPECT_EQ(run_truncated_svd(A, 0, {.path = path}).info.status, Status::non_finite);
      }
}

/// A is looked at in pieces of 1024 entries of a column or a row.
TYPED_TEST(TruncatedSvd, OneNanIsSeenInEveryPiece) {
  for (auto [rows, cols] : {std::pair{1100, 4}, {4, 1100}})
    for (int const place : {0, 1023, 1024, 1099})
      for (int const line : {0, 3}) {
        auto A = decaying<TypeParam>(rows, cols);
        (rows > cols ? A(place, line) : A(line, place)) =
            std::numeric_limits<TypeParam>::quiet_NaN();
        auto const result = run_truncated_svd(A, 2, {.path = TruncatedSvdPath::randomized});
        EXPECT_EQ(result.info.status, Status::non_finite) << place;
        EXPECT_TRUE(all_nan(result.U.data) && all_nan(result.S) && all_nan(result.V.data));
      }
}

TYPED_TEST(TruncatedSvd, ValuesBeyondTheLargestNumberAreInfinite) {
  HostMatrix<TypeParam> A(90, 80);
  std::fill(A.data.begin(), A.data.end(), std::numeric_limits<TypeParam>::max());
  for (TruncatedSvdPath path : {TruncatedSvdPath::randomized, TruncatedSvdPath::full}) {
    auto const result = run_truncated_svd(A, 2, {.path = path});
    EXPECT_EQ(result.info.status, Status::overflow);
    EXPECT_EQ(result.S[0], std::numeric_limits<TypeParam>::infinity());
    EXPECT_TRUE(all_finite(result.U.data) && all_finite(result.V.data));
  }
}

TYPED_TEST(TruncatedSvd, ExtentsChooseThePath) {
  auto const path = [](std::int64_t rows, std::int64_t cols, std::int64_t rank,
                       TruncatedSvdPath wish = TruncatedSvdPath::automatic) {
    return carroll::truncated_svd_workspace<TypeParam>(
               Exec{}, {.rows = rows, .cols = cols, .rank = rank}, {.path = wish})
        .path();
  };
  EXPECT_EQ(path(300, 200, 10), TruncatedSvdPath::randomized);
  EXPECT_EQ(path(200, 300, 10), TruncatedSvdPath::randomized);
  EXPECT_EQ(path(300, 200, 100), TruncatedSvdPath::full);
  EXPECT_EQ(path(300, 20, 2), TruncatedSvdPath::full);
  EXPECT_EQ(path(300, 20, 2, TruncatedSvdPath::randomized), TruncatedSvdPath::randomized);
  EXPECT_EQ(path(300, 200, 10, TruncatedSvdPath::full), TruncatedSvdPath::full);
}

/// A flat spectrum would take too many power steps: the full decomposition comes instead.
TYPED_TEST(TruncatedSvd, SlowSpectraAreLeftToTheFullDecomposition) {
  auto const A = make_matrix<TypeParam>(MatrixType::random, 120, 120, 3);
  TruncatedSvdOptions const options{.max_power_steps = 6, .tolerance = 1e-5};
  EXPECT_EQ(run_truncated_svd(A, 10, options).info.path, TruncatedSvdPath::full);
  auto const with_workspace = run_truncated_svd_with_workspace(A, 10, options);
  EXPECT_EQ(with_workspace.info.path, TruncatedSvdPath::randomized);
  EXPECT_EQ(with_workspace.info.status, Status::not_converged);
  EXPECT_EQ(with_workspace.info.power_steps, 3);
}

/// Steps are added until the tolerance is met, or the limit is reached.
TYPED_TEST(TruncatedSvd, PowerStepsAreAdded) {
  auto const A = decaying<TypeParam>(120, 100);
  TruncatedSvdOptions options{
      .path = TruncatedSvdPath::randomized, .oversampling = 2, .power_steps = 0, .tolerance = 1e-4};
  auto const result = run_truncated_svd(A, 14, options);
  EXPECT_EQ(result.info.status, Status::success);
  EXPECT_GT(result.info.power_steps, 3);
  EXPECT_LE(double(result.info.residual), 1e-4);
  options.max_power_steps = 2;
  auto const limited = run_truncated_svd(A, 14, options);
  EXPECT_EQ(limited.info.status, Status::not_converged);
  EXPECT_EQ(limited.info.power_steps, 2);
}

TYPED_TEST(TruncatedSvd, SeedsDecideTheBits) {
  auto const A = decaying<TypeParam>(150, 90);
  auto const result = run_truncated_svd(A, 6, {.seed = 3});
  EXPECT_TRUE(same_result(result, run_truncated_svd(A, 6, {.seed = 3})));
  EXPECT_FALSE(same_bits(result.U, run_truncated_svd(A, 6, {.seed = 4}).U));
  auto const high = std::uint64_t{3} | std::uint64_t{1} << 40U;
  EXPECT_FALSE(same_bits(result.U, run_truncated_svd(A, 6, {.seed = high}).U));
}

TYPED_TEST(TruncatedSvd, ResidualsOfTheTripletsAreInTheWorkspace) {
  auto const result =
      run_truncated_svd_with_workspace(decaying<TypeParam>(150, 90), 6, {.power_steps = 0});
  ASSERT_EQ(result.residuals.size(), 6U);
  EXPECT_EQ(*std::max_element(result.residuals.begin(), result.residuals.end()),
            result.info.residual);
  EXPECT_GT(result.residuals[0], TypeParam(0));
}

/// A workspace serves call after call, and leaves nothing of one in the next.
TYPED_TEST(TruncatedSvd, WorkspacesCanBeUsedAgain) {
  auto const A = decaying<TypeParam>(100, 80);
  auto bad = A;
  bad(3, 3) = std::numeric_limits<TypeParam>::quiet_NaN();
  Exec const exec;
  for (TruncatedSvdPath path : {TruncatedSvdPath::randomized, TruncatedSvdPath::full}) {
    TruncatedSvdOptions const options{.path = path};
    auto const expected = run_truncated_svd_with_workspace(A, 6, options);
    auto workspace = carroll::truncated_svd_workspace<TypeParam>(
        exec, {.rows = 100, .cols = 80, .rank = 6}, options);
    EXPECT_GT(workspace.bytes(), 100U * 80U * sizeof(TypeParam));
    GuardedView<TypeParam, 2, Left> U({100, 6}), V({80, 6});
    GuardedView<TypeParam, 1, Left> S({6});
    Kokkos::View<TruncatedSvdInfo<TypeParam>, Memory> const info("carroll_test::info");
    for (bool finite : {false, true, false, true}) {
      auto const view = guarded_from<TypeParam, Left>(finite ? A : bad);
      carroll::truncated_svd_async(exec, view.view(), U.view(), S.view(), V.view(), info,
                                   workspace);
      exec.fence("carroll_test: decomposed");
      auto const host_info = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, info);
      if (!finite) {
        EXPECT_EQ(host_info().status, Status::non_finite);
        continue;
      }
      U.to_host();
      EXPECT_EQ(host_info().status, Status::success);
      EXPECT_EQ(host_info().error, expected.info.error);
      EXPECT_TRUE(same_bits(to_host_matrix(U, 100, 6), expected.U));
    }
  }
}

}  // namespace
