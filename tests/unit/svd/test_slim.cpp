// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/svd/launch.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/svd/quad_reference.hpp"
#include "unit/svd/emulated/calls.hpp"

/// The decomposition of small matrices that are longer than wide, or wider than long, rows in the
/// lanes of a warp, on the host.
namespace {

using namespace carroll::test;
using namespace carroll::test::emulated_svd;
using carroll::Status;
using carroll::SvdVectors;
using carroll::detail::EmulatedSpace;
using carroll::detail::QrSlimShapes;
using carroll::detail::SvdBounds;
using carroll::detail::SvdPlan;

struct Slim {
  static constexpr SvdFamily family = SvdFamily::slim;

  template <class Real>
  static void enqueue(SvdBatch<Real> const& batch, SvdPlan const& plan) {
    carroll::detail::enqueue_slim(EmulatedSpace{}, batch, plan, carroll::SvdOptions{},
                                  QrSlimShapes{});
  }
  template <class Real>
  static void run(SvdBatch<Real> const& batch, int count) {
    auto const m = static_cast<int>(batch.a.extents[1]), n = static_cast<int>(batch.a.extents[2]);
    enqueue(batch, SvdPlan::uniform<Real>(family, {count, std::max(m, n), std::min(m, n)}));
  }
};

template <class Real>
class SlimSvd : public ::testing::Test {};
using Reals = carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(SlimSvd, Reals);

template <class Real>
std::vector<HostMatrix<Real>> every_type(int rows, int cols, std::size_t step = 1) {
  std::vector<HostMatrix<Real>> matrices;
  auto const& types = all_matrix_types();
  for (std::size_t k = 0; k < types.size(); k += step)
    matrices.push_back(make_matrix<Real>(types[k], rows, cols, 9));
  return matrices;
}

/// The ends of all classes.
TYPED_TEST(SlimSvd, EveryTypeAndShape) {
  for (auto const& [rows, cols] : std::vector<std::pair<int, int>>{{33, 1},
                                                                   {64, 4},
                                                                   {4, 33},
                                                                   {65, 3},
                                                                   {512, 4},
                                                                   {33, 5},
                                                                   {64, 8},
                                                                   {8, 64},
                                                                   {65, 8},
                                                                   {256, 7},
                                                                   {33, 9},
                                                                   {64, 16},
                                                                   {16, 50},
                                                                   {65, 16},
                                                                   {128, 13}}) {
    auto const matrices = every_type<TypeParam>(rows, cols, rows * cols > 600 ? 4 : 1);
    auto const all = decompose<Slim>(matrices, true, true);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(cols) + ", member " +
                   std::to_string(b));
      EXPECT_FALSE(all[b].left_over);
      auto const ratios = svd_ratios(matrices[b], all[b].U, all[b].S, all[b].V);
      EXPECT_LE(ratios.worst(), ratio_bar) << to_string(ratios);
    }
  }
}

TYPED_TEST(SlimSvd, ValuesDoNotDependOnTheVectorsWanted) {
  check_outputs<Slim>(dependent_members<TypeParam>(40, 4, 16));
  check_outputs<Slim>(dependent_members<TypeParam>(7, 50, 8));
  check_outputs<Slim>(dependent_members<TypeParam>(70, 12, 5));
  check_outputs<Slim>(random_members<TypeParam>(300, 3, 3));
}

/// Columns of U beyond those of R, of members that were factorised in double words, too.
TYPED_TEST(SlimSvd, SquareMatricesOfVectors) {
  for (auto const& [rows, cols] : {std::pair{40, 5}, {3, 70}}) {
    auto const matrices = every_type<TypeParam>(rows, cols, 3);
    auto const thin = decompose<Slim>(matrices, true, true);
    auto const full = decompose<Slim>(matrices, true, true, SvdVectors::full);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(cols) + ", member " +
                   std::to_string(b));
      EXPECT_TRUE(same_values(full[b], thin[b]));
      EXPECT_EQ(full[b].U.cols, rows);
      EXPECT_EQ(full[b].V.cols, cols);
      EXPECT_LE(orthogonality_ratio(full[b].U), ratio_bar);
      EXPECT_LE(orthogonality_ratio(full[b].V), ratio_bar);
      EXPECT_TRUE(std::equal(thin[b].U.data.begin(), thin[b].U.data.end(), full[b].U.data.begin()));
      EXPECT_TRUE(std::equal(thin[b].V.data.begin(), thin[b].V.data.end(), full[b].V.data.begin()));
    }
  }
}

/// A = B·D: also where rounding errors of cond(B)·eps would be too large, which is what double
/// words are for.
TYPED_TEST(SlimSvd, EverySingularValueIsAccurate) {
  double const decades = sizeof(TypeParam) == sizeof(float) ? 15 : 110;
  for (auto const& [rows, cols] :
       {std::pair{33, 2}, {50, 4}, {64, 8}, {100, 6}, {40, 16}, {90, 10}})
    for (double const condition : {1.5, 1e6}) {
      std::vector<HostMatrix<TypeParam>> matrices;
      for (std::uint64_t seed = 0; seed < 4; ++seed)
        matrices.push_back(
            scaled_columns<TypeParam>(rows, cols, condition, decades, seed % 2 == 1, 100 + seed));
      auto const all = decompose<Slim>(matrices, true, true);
      for (std::size_t b = 0; b < matrices.size(); ++b) {
        EXPECT_FALSE(all[b].left_over);
        auto const exact = quad_singular_values(matrices[b]);
        for (std::size_t k = 0; k < exact.size(); ++k)
          EXPECT_LE(std::abs(static_cast<double>(all[b].S[k] / exact[k] - 1)),
                    relative_sigma_tolerance<TypeParam>(cols))
              << rows << 'x' << cols << ", condition " << condition << ", value " << k;
      }
    }
}

/// What is not finite is refused, what is out of range left over, and neighbours do not notice.
TYPED_TEST(SlimSvd, RefusesAndLeavesOver) {
  using Limits = std::numeric_limits<TypeParam>;
  for (auto const& [rows, cols] : {std::pair{40, 4}, {6, 64}, {100, 16}}) {
    auto matrices = random_members<TypeParam>(rows, cols, 6);
    auto const expected = decompose<Slim>(matrices, true, true);
    matrices[1](rows - 1, cols - 1) = Limits::quiet_NaN();
    matrices[2](0, cols / 2) = -Limits::infinity();
    bool const is_tall = rows > cols;
    bool const beyond = sizeof(TypeParam) == sizeof(double);  // floats never are
    for (int k = 0; k < (is_tall ? rows : cols) && beyond; ++k) {
      TypeParam& entry = is_tall ? matrices[4](k, 1) : matrices[4](1, k);
      entry = std::ldexp(entry, -950);
    }
    auto const all = decompose<Slim>(matrices, true, true);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      bool const refused = b == 1 || b == 2;
      EXPECT_EQ(all[b].left_over, b == 4 && beyond);
      EXPECT_EQ(all[b].info.status, refused ? Status::non_finite : Status::success);
      if (refused) {
        auto const is_nan = [](TypeParam x) { return std::isnan(x); };
        EXPECT_TRUE(std::all_of(all[b].S.begin(), all[b].S.end(), is_nan));
        EXPECT_TRUE(std::all_of(all[b].U.data.begin(), all[b].U.data.end(), is_nan));
        EXPECT_TRUE(std::all_of(all[b].V.data.begin(), all[b].V.data.end(), is_nan));
      } else if (!all[b].left_over && b != 4) {
        EXPECT_TRUE(same_values(all[b], expected[b]));
        EXPECT_TRUE(same_bits(all[b].U.data, expected[b].U.data));
        EXPECT_TRUE(same_bits(all[b].V.data, expected[b].V.data));
      }
    }
  }
}

/// Members of several classes, and of one with fewer columns than it has room for.
TYPED_TEST(SlimSvd, SameBitsInRaggedBatches) {
  std::vector<HostMatrix<TypeParam>> matrices;
  for (auto const& [rows, cols] : std::vector<std::pair<int, int>>{
           {40, 4}, {33, 1}, {2, 60}, {64, 8}, {5, 64}, {40, 7}, {200, 4}, {70, 11}, {16, 64}})
    for (MatrixType const type : {MatrixType::random, MatrixType::kahan})
      matrices.push_back(make_matrix<TypeParam>(type, rows, cols, 30));
  auto const ragged = decompose_ragged<Slim>(matrices);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    SCOPED_TRACE(b);
    auto const alone = decompose<Slim, TypeParam>({matrices[b]}, true, true).front();
    EXPECT_TRUE(same_values(ragged[b], alone));
    EXPECT_TRUE(same_bits(ragged[b].U.data, alone.U.data));
    EXPECT_TRUE(same_bits(ragged[b].V.data, alone.V.data));
  }
}

}  // namespace
