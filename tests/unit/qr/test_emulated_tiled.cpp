// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "support/emulated_types.hpp"
#include "unit/qr/emulated.hpp"

/// QR by tiles of 16 columns, on the host: teams side by side, whose threads take turns.
namespace {

using namespace carroll::test;
using namespace carroll::test::emulated_qr;
using carroll::QrMode;
using carroll::Status;

using Tiles = TileKernels<QrFamily::tiled>;

template <class Real>
class EmulatedTiledQr : public ::testing::Test {};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<double>, ::testing::Types<float>>;
TYPED_TEST_SUITE(EmulatedTiledQr, Scalars);

/// Tiles, blocks of rows and warps more or less by one.
TYPED_TEST(EmulatedTiledQr, EveryTypeAndShape) {
  std::vector<std::pair<int, int>> const shapes{{1, 1},   {16, 16}, {17, 17}, {15, 33},
                                                {33, 15}, {5, 40},  {64, 8},  {65, 20},
                                                {48, 48}, {40, 70}, {129, 33}};
  expect_factors<Tiles, TypeParam>(shapes, false, 100);
}

TYPED_TEST(EmulatedTiledQr, SameBitsInAnyCompanyAndMode) {
  for (auto const& [m, n] : std::vector<std::pair<int, int>>{{33, 3}, {20, 37}, {70, 34}})
    expect_same_bits<Tiles, TypeParam>(m, n, false, 9);
}

TYPED_TEST(EmulatedTiledQr, RefusesWhatIsNotFinite) {
  for (Order const order : {Order::columns, Order::rows})
    expect_refusals<Tiles, TypeParam>(35, 18, {QrMode::full, false, order});
}

/// Teams that share 16 long columns, one of which ends in the chunk's last block.
TYPED_TEST(EmulatedTiledQr, ChunksOfRows) {
  int const chunk = carroll::detail::panel_chunk_rows<TypeParam>;
  for (int const m : {chunk, chunk + 5}) {
    auto const matrices = all_types<TypeParam>(m, 18, 9);
    auto const results = factorise<Tiles>(matrices, {});
    auto const r = factorise<Tiles>(std::vector{matrices[1]}, {QrMode::r, false, Order::rows});
    for (std::size_t b = 0; b < matrices.size(); ++b)
      EXPECT_EQ(what_is_wrong(matrices[b], results[b]), "") << m << " rows, number " << b;
    EXPECT_TRUE(same_result(r[0], results[1]));
  }
}

/// Launches of a part of the members each.
TYPED_TEST(EmulatedTiledQr, ManyLaunches) {
  auto const matrices = all_types<TypeParam>(34, 18, 5);
  auto const results = factorise<Tiles>(matrices, {});
  auto const apart = factorise<TileKernels<QrFamily::tiled, 20>>(matrices, {});
  auto const ragged = factorise_ragged<TileKernels<QrFamily::tiled, 1>>(matrices, {});
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    EXPECT_TRUE(same_result(apart[b], results[b])) << b;
    EXPECT_TRUE(same_result(ragged[b], results[b])) << b;
  }
}

/// R's entries beyond the range are infinite in any tile, Q is what it is of the matrix scaled
/// down.
TYPED_TEST(EmulatedTiledQr, OverflowIsTold) {
  HostMatrix<TypeParam> small(33, 18);
  carroll::test::Random random(11);
  for (TypeParam& x : small.data) x = static_cast<TypeParam>(0.5 + random.uniform() / 4);
  auto large = small;
  int const exponent = std::numeric_limits<TypeParam>::max_exponent;
  for (int i = 0; i < large.rows; ++i) large(i, 17) = std::ldexp(large(i, 17), exponent);
  auto const expected = factorise<Tiles>(std::vector{small}, {})[0];
  auto const results = factorise<Tiles>(std::vector{large, small}, {});
  EXPECT_EQ(results[0].info.status, Status::overflow);
  EXPECT_EQ(results[0].info.rank, -1);
  EXPECT_EQ(results[0].Q.data, expected.Q.data);
  EXPECT_TRUE(std::isinf(results[0].R(0, 17)));
  EXPECT_EQ(results[0].R(0, 16), expected.R(0, 16));
  EXPECT_TRUE(same_result(results[1], expected));
}

TYPED_TEST(EmulatedTiledQr, EmptyAndZero) {
  for (auto const& [m, n] : std::vector<std::pair<int, int>>{{0, 0}, {0, 40}, {40, 0}, {40, 3}}) {
    auto const result =
        factorise<Tiles>(std::vector{HostMatrix<TypeParam>(m, n)}, {QrMode::full})[0];
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rank, -1);
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) EXPECT_EQ(result.Q(i, j), i == j ? 1 : 0);
    for (TypeParam const x : result.R.data) EXPECT_EQ(x, 0);
  }
}

}  // namespace
