// SPDX-License-Identifier: BSD-3-Clause
// Outer blocks over ranks have the bits of the plain solver, whose kernels they are: of devices
// with warps.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <carroll/distributed/determinant.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "distributed/determinant/shared_rows.hpp"

namespace {

using namespace carroll::test::shared_rows;
using carroll::Status;
namespace distributed = carroll::distributed;

template <class T>
class DistributedOuterBlocks : public ::testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!distributed::detail::has_outer_blocks<Exec, T>)
      GTEST_SKIP() << "only devices with warps have outer blocks";
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DistributedOuterBlocks, Types);

/// Of ranks that share the rows in such blocks, and of the plain solver.
template <class T, class Layout = Kokkos::LayoutRight>
void expect_plain_bits(Host<T> const& A, std::vector<std::int64_t> const& blocks, int more = 0) {
  auto const comm = world();
  auto const n = static_cast<std::int64_t>(A.extent(0));
  SCOPED_TRACE("order " + std::to_string(n));
  auto const alone = distributed::cyclic_layout(n, 256, 1);
  auto const plain = carroll::determinant(comm.exec(), rows_of<T, Layout>(A, alone, 0, more));
  for (std::int64_t const block : blocks) {
    SCOPED_TRACE("blocks of " + std::to_string(block) + " rows");
    auto const info = determinant<T, Layout>(comm, A, block, DeterminantEngine::outer_blocks, more);
    EXPECT_EQ(info.engine, DeterminantEngine::outer_blocks);
    EXPECT_EQ(info.status, plain.status);
    EXPECT_EQ(info.value.is_nan(), plain.value.is_nan());
    if (!plain.value.is_nan()) {
      EXPECT_EQ(info.value, plain.value) << to_string(info.value, 17);
    }
    if (plain.status == Status::success) {
      EXPECT_EQ(info.growth, plain.growth);
    }
  }
}

TYPED_TEST(DistributedOuterBlocks, HaveTheBitsOfThePlainSolver) {
  constexpr std::int64_t least = carroll::detail::least_outer_block_order<TypeParam>;
  for (std::int64_t const n : {least, least + 1, std::int64_t{3333}}) {
    auto const A = random_matrix<TypeParam>(n, static_cast<std::uint64_t>(n));
    expect_plain_bits<TypeParam>(A, {256, 768});
    expect_plain_bits<TypeParam, Kokkos::LayoutLeft>(A, {512}, 3);
  }
  expect_plain_bits<TypeParam>(random_matrix<TypeParam>(3073, 6), {1024});  // a rank's only row
  auto const A = random_matrix<TypeParam>(7001, 1);                         // U⁻¹ goes into V
  expect_plain_bits<TypeParam>(A, {256}, 1);
}

TYPED_TEST(DistributedOuterBlocks, HaveItsBitsWhereTwoAreTakenOffTogether) {
  std::int64_t const n = carroll::detail::least_pair_columns + 700;
  // The two are one rank's, and two ranks'.
  expect_plain_bits<TypeParam>(random_matrix<TypeParam>(n, 2), {512, 256});
}

TYPED_TEST(DistributedOuterBlocks, HaveItsBitsOfRowsThatAreScaled) {
  auto const A = random_matrix<TypeParam>(3000, 3);
  constexpr int most = std::numeric_limits<TypeParam>::max_exponent / 4;
  for (int i = 0; i < 3000; ++i)  // rows of all sizes, and some in which entries are
    for (int j = 0; j < 3000; ++j)
      A(i, j) = std::ldexp(A(i, j), i % 7 * most / 7 - (i % 500 == 0 ? j % 3 * most : 0));
  expect_plain_bits<TypeParam>(A, {256, 512});
}

TYPED_TEST(DistributedOuterBlocks, FindWhatHasNoDeterminant) {
  auto A = random_matrix<TypeParam>(2700, 4);
  A(17, 2000) = std::numeric_limits<TypeParam>::quiet_NaN();
  expect_plain_bits<TypeParam>(A, {256});
  A(17, 2000) = 1;
  for (int j = 0; j < 2700; ++j) A(40, j) = 0;
  expect_plain_bits<TypeParam>(A, {256});
  for (int j = 0; j < 2700; ++j) A(40, j) = A(2600, j);  // in the first outer block, and the last
  expect_plain_bits<TypeParam>(A, {256});
  for (int j = 0; j < 2700; ++j) A(2601, j) = A(2600, j);
  expect_plain_bits<TypeParam>(A, {256});
}

TYPED_TEST(DistributedOuterBlocks, AreForLargeOrders) {
  auto const comm = world();
  auto const A = random_matrix<TypeParam>(600, 5);
  EXPECT_THROW((void)determinant(comm, A, 256, DeterminantEngine::outer_blocks),
               std::invalid_argument);
}

}  // namespace
