// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "support/emulated_types.hpp"
#include "unit/qr/emulated.hpp"

/// QR of long columns by blocks of rows, on the host: teams side by side, whose threads take turns.
namespace {

using namespace carroll::test;
using namespace carroll::test::emulated_qr;
using carroll::QrMode;
using carroll::Status;

using Tall = TileKernels<QrFamily::tall>;

template <class Real>
class EmulatedTallQr : public ::testing::Test {};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<double>, ::testing::Types<float>>;
TYPED_TEST_SUITE(EmulatedTallQr, Scalars);

/// Two blocks and three.
TYPED_TEST(EmulatedTallQr, EveryTypeAndShape) {
  expect_factors<Tall, TypeParam>({{1025, 5}, {1100, 16}, {2049, 3}}, false, 100);
}

TYPED_TEST(EmulatedTallQr, SameBitsInAnyCompanyAndMode) {
  auto const matrices = all_types<TypeParam>(1030, 7, 9);
  auto const results = factorise<Tall>(matrices, {});
  auto company = matrices;
  company.push_back(all_types<TypeParam>(2060, 12, 100)[0]);
  auto const ragged = factorise_ragged<TileKernels<QrFamily::tall, 1>>(company, {});
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    std::vector const alone{matrices[b]};
    EXPECT_TRUE(same_result(factorise<Tall>(alone, {})[0], results[b])) << b;
    EXPECT_TRUE(same_result(factorise<Tall>(alone, {QrMode::r, false, Order::rows})[0], results[b]))
        << b;
    EXPECT_TRUE(same_result(ragged[b], results[b])) << b;
  }
}

/// Every column of a whole basis, of which the blocks' triangles know the first 32.
TYPED_TEST(EmulatedTallQr, WholeBasis) {
  HostMatrix<TypeParam> A(1026, 3);
  Random random(3);
  for (TypeParam& x : A.data) x = static_cast<TypeParam>(random.normal());
  auto const thin = factorise<Tall>(std::vector{A}, {})[0];
  auto const full = factorise<Tall>(std::vector{A}, {QrMode::full})[0];
  EXPECT_TRUE(same_result(full, thin));
  ASSERT_EQ(full.R.rows, 1026);
  for (int i = 3; i < 1026; ++i)
    for (int j = 0; j < 3; ++j) ASSERT_EQ(full.R(i, j), 0);
  // Each column is a unit vector, orthogonal to those that could be near it.
  for (int const j : {0, 2, 3, 15, 16, 31, 32, 33, 528, 529, 530, 1024, 1025})
    for (int k = 0; k < 1026; k += j % 2 == 0 ? 1 : 7) {
      long double sum = 0;
      for (int i = 0; i < 1026; ++i) sum += static_cast<long double>(full.Q(i, j)) * full.Q(i, k);
      EXPECT_NEAR(static_cast<double>(sum), j == k ? 1 : 0,
                  32 * std::numeric_limits<TypeParam>::epsilon())
          << j << " and " << k;
    }
}

TYPED_TEST(EmulatedTallQr, RefusesWhatIsNotFinite) {
  expect_refusals<Tall, TypeParam>(1030, 4, {QrMode::thin, false, Order::columns});
}

/// Where a block of a column is zero, the others' powers of two are what counts.
TYPED_TEST(EmulatedTallQr, BlocksOfZerosAndFarApart) {
  HostMatrix<TypeParam> A(1030, 3);
  Random random(5);
  int const down = std::numeric_limits<TypeParam>::min_exponent + 30;
  int const up = std::numeric_limits<TypeParam>::max_exponent;
  for (int i = 0; i < A.rows; ++i) {
    auto const drawn = [&] { return static_cast<TypeParam>(0.5 + random.uniform() / 4); };
    A(i, 0) = i < 515 ? TypeParam(0) : std::ldexp(drawn(), down);
    A(i, 1) = i < 515 ? std::ldexp(drawn(), down) : TypeParam(0);
    A(i, 2) = i < 515 ? drawn() : std::ldexp(drawn(), -up / 2);
  }
  auto const result = factorise<Tall>(std::vector{A}, {})[0];
  EXPECT_EQ(what_is_wrong(A, result), "");
  EXPECT_GT(result.R(0, 0), 0);
  EXPECT_GT(result.R(1, 1), 0);
  for (int i = 0; i < A.rows; ++i) A(i, 2) = std::ldexp(A(i, 2), up);
  auto const large = factorise<Tall>(std::vector{A}, {})[0];
  EXPECT_EQ(large.info.status, Status::overflow);
  EXPECT_EQ(large.Q.data, result.Q.data);
}

/// So many blocks that several teams share their triangles, too.
TYPED_TEST(EmulatedTallQr, ChunksOfTriangles) {
  int const rows = carroll::detail::panel_chunk_rows<TypeParam> / 16 * 1024 + 1;
  HostMatrix<TypeParam> A(rows, 2);
  Random random(7);
  for (TypeParam& x : A.data) x = static_cast<TypeParam>(random.normal());
  auto const results = factorise<Tall>(std::vector{A, A}, {});
  EXPECT_EQ(what_is_wrong(A, results[0]), "");
  EXPECT_TRUE(same_result(results[1], results[0]));
  auto const r = factorise<Tall>(std::vector{A}, {QrMode::r, false, Order::rows});
  EXPECT_TRUE(same_result(r[0], results[0]));
}

TYPED_TEST(EmulatedTallQr, WithoutColumns) {
  auto const result = factorise<Tall>(std::vector{HostMatrix<TypeParam>(1025, 0)}, {})[0];
  EXPECT_EQ(result.info.status, Status::success);
}

}  // namespace
