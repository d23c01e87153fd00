// SPDX-License-Identifier: BSD-3-Clause
// Determinants of 16-bit matrices are those of the floats that they are, bit by bit.
#include <gtest/gtest.h>

#include <carroll/narrow/determinant.hpp>
#include <cstdint>
#include <vector>

#include "support/narrow/determinant.hpp"

namespace {

using namespace carroll::test;
using carroll::bfloat16;
using carroll::float16;

template <class T>
class NarrowDeterminant : public ::testing::Test {
 protected:
  Random random{7};

  template <class Layout>
  void expect_bits_of_floats(std::size_t members, std::size_t n,
                             carroll::DeterminantOptions const& options = {}) {
    auto A = draw_narrow_batch<T, Layout>(random, members, n, n);
    EXPECT_EQ(determinant_difference(A, options), "") << n << ' ' << layout_name<Layout>;
  }
};
using NarrowDeterminantTypes = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(NarrowDeterminant, NarrowDeterminantTypes);

TYPED_TEST(NarrowDeterminant, BitsOfFloatsInEveryOrderAndLayout) {
  for (std::size_t const n : {0, 1, 2, 3, 4, 8, 12, 13, 32, 33, 70}) {
    this->template expect_bits_of_floats<Kokkos::LayoutLeft>(7, n);
    this->template expect_bits_of_floats<Kokkos::LayoutRight>(18, n);
    this->template expect_bits_of_floats<Kokkos::LayoutStride>(6, n);
  }
  this->template expect_bits_of_floats<Kokkos::LayoutRight>(3, 270);
  this->template expect_bits_of_floats<Kokkos::LayoutRight>(0, 4);
  this->template expect_bits_of_floats<Kokkos::LayoutRight>(700, 8);
  carroll::DeterminantOptions dodgson;
  dodgson.method = carroll::DeterminantMethod::dodgson;
  this->template expect_bits_of_floats<Kokkos::LayoutRight>(7, 9, dodgson);
}

TYPED_TEST(NarrowDeterminant, OneMatrix) {
  using Left = Kokkos::LayoutLeft;
  Exec const exec;
  for (std::size_t const n : {std::size_t{3}, std::size_t{20}, std::size_t{260}}) {
    NarrowPair<TypeParam, 2, Left> A({n, n});
    auto const drawn = draw_narrow<TypeParam>(this->random, n * n, NarrowKind::normal);
    A.set([&](auto at) { return drawn[at[0] * n + at[1]]; });
    EXPECT_TRUE(same_determinant(carroll::determinant_of(exec, A.wide.view()),
                                 carroll::determinant_of(exec, A.narrow.view())));
  }
}

/// Members with gaps between them, and such that share entries.
TYPED_TEST(NarrowDeterminant, Ragged) {
  using Left = Kokkos::LayoutLeft;
  Exec const exec;
  std::vector<carroll::DeterminantMember> const members{{3, 2},   {40, 30}, {0, 5},   {70, 1700},
                                                        {30, 40}, {1, 0},   {8, 7000}};
  std::size_t const entries = 7070;
  NarrowPair<TypeParam, 1, Left> A({entries});
  auto const drawn = draw_narrow<TypeParam>(this->random, entries, NarrowKind::normal);
  A.set([&](auto at) { return drawn[at[0]]; });
  auto const expected = carroll::determinant_of_ragged(exec, members, A.wide.view());
  auto const infos = carroll::determinant_of_ragged(exec, members, A.narrow.view());
  auto workspace = carroll::determinant_ragged_workspace<TypeParam>(exec, members);
  EXPECT_EQ(workspace.batch(), static_cast<std::int64_t>(members.size()));
  EXPECT_EQ(workspace.entries(), 7064);
  auto const again = carroll::determinant_of_ragged(exec, A.narrow.view(), workspace);
  for (std::size_t b = 0; b < members.size(); ++b) {
    EXPECT_TRUE(same_determinant(expected[b], infos[b])) << b;
    EXPECT_TRUE(same_determinant(expected[b], again[b])) << b;
  }
}

}  // namespace
