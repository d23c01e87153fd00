// SPDX-License-Identifier: BSD-3-Clause
// The decomposition of 16-bit matrices is that of the floats that they are, bit by bit: of every
// shape, in every layout, with vectors of floats and of 16 bits, one by one, in batches, ragged.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/narrow/svd.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/narrow/svd.hpp"

namespace {

using namespace carroll::test;
using carroll::bfloat16;
using carroll::float16;
using carroll::none;
using carroll::SvdVectors;

template <class T>
class NarrowSvd : public ::testing::Test {
 protected:
  Random random{5};

  template <class Layout>
  void expect_bits_of_floats(std::size_t members, std::size_t m, std::size_t n, bool full) {
    auto A = draw_narrow_batch<T, Layout>(random, members, m, n);
    EXPECT_EQ(svd_difference(A, full), "") << m << "x" << n << ' ' << layout_name<Layout>;
  }
};
using NarrowSvdTypes = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(NarrowSvd, NarrowSvdTypes);

TYPED_TEST(NarrowSvd, BitsOfFloatsInEveryShapeAndLayout) {
  std::pair<std::size_t, std::size_t> const shapes[] = {
      {1, 1}, {3, 2}, {2, 5}, {8, 8}, {9, 17}, {32, 32}, {40, 33}, {5, 130}, {0, 3}, {4, 0}};
  for (auto const& [m, n] : shapes) {
    this->template expect_bits_of_floats<Kokkos::LayoutLeft>(7, m, n, false);
    this->template expect_bits_of_floats<Kokkos::LayoutRight>(6, m, n, true);
    this->template expect_bits_of_floats<Kokkos::LayoutStride>(6, m, n, n % 2 == 0);
  }
  this->template expect_bits_of_floats<Kokkos::LayoutRight>(0, 4, 4, false);
  this->template expect_bits_of_floats<Kokkos::LayoutRight>(700, 4, 3, false);
}

/// One matrix; V in 16 bits beside U of floats; values alone.
TYPED_TEST(NarrowSvd, OneMatrixAndWhatIsWanted) {
  using Left = Kokkos::LayoutLeft;
  Exec const exec;
  for (std::size_t const n : {std::size_t{6}, std::size_t{50}}) {
    std::size_t const m = n + 3;
    NarrowPair<TypeParam, 2, Left> A({m, n});
    auto const drawn = draw_narrow<TypeParam>(this->random, m * n, NarrowKind::normal);
    A.set([&](auto at) { return drawn[at[0] * n + at[1]]; });
    GuardedView<float, 2, Left> U({m, n}), V({n, n}), U2({m, n}), U3({m, n});
    GuardedView<TypeParam, 2, Left> V2({n, n}), V3({n, n});
    GuardedView<float, 1, Left> S({n}), S2({n}), S3({n}), S4({n});
    auto const expected = carroll::svd(exec, A.wide.view(), U.view(), S.view(), V.view());
    auto const info = carroll::svd(exec, A.narrow.view(), U2.view(), S2.view(), V2.view());
    EXPECT_TRUE(same_svd_info(expected, info));
    EXPECT_EQ(different_entries(U2, U), 0);
    EXPECT_EQ(different_entries(V2, V), 0);
    EXPECT_EQ(different_entries(S2, S), 0);
    (void)carroll::svd(exec, A.narrow.view(), none, S3.view(), V3.view());
    EXPECT_EQ(different_entries(V3, V), 0);
    EXPECT_EQ(different_entries(S3, S), 0);
    EXPECT_EQ(carroll::singular_values(exec, A.narrow.view(), S4.view()).rank, expected.rank);
    EXPECT_EQ(different_entries(S4, S), 0);
    // A is as it was.
    EXPECT_EQ(different_entries(A.narrow, A.wide), 0);
  }
}

/// Members with gaps between them, which nobody writes.
TYPED_TEST(NarrowSvd, Ragged) {
  using Left = Kokkos::LayoutLeft;
  Exec const exec;
  std::vector<std::pair<std::int64_t, std::int64_t>> const extents{{4, 4},   {7, 3}, {0, 5},
                                                                   {33, 40}, {1, 1}, {90, 70}};
  auto members = carroll::svd_members(extents, SvdVectors::full, SvdVectors::thin);
  std::int64_t gap = 0;
  std::size_t a = 0, u = 0, s = 0, v = 0;
  for (auto& at : members) {
    at.a += gap;
    at.u += 2 * gap;
    at.s += gap;
    at.v += gap;
    std::int64_t const least = std::min(at.rows, at.cols);
    a = static_cast<std::size_t>(at.a + at.rows * at.cols + 3);
    u = static_cast<std::size_t>(at.u + at.rows * at.rows + 3);
    s = static_cast<std::size_t>(at.s + least + 3);
    v = static_cast<std::size_t>(at.v + at.cols * least + 3);
    gap += 5;
  }
  NarrowPair<TypeParam, 1, Left> A({a});
  auto const drawn = draw_narrow<TypeParam>(this->random, a, NarrowKind::normal);
  A.set([&](auto at) { return drawn[at[0]]; });
  GuardedView<float, 1, Left> U({u}), V({v}), S({s}), U2({u}), S2({s}), S3({s});
  GuardedView<TypeParam, 1, Left> V2({v}), V3({v});
  auto const expected = carroll::svd_ragged(exec, members, A.wide.view(), U.view(), S.view(),
                                            V.view(), {}, SvdVectors::full, SvdVectors::thin);
  auto const infos = carroll::svd_ragged(exec, members, A.narrow.view(), U2.view(), S2.view(),
                                         V2.view(), {}, SvdVectors::full, SvdVectors::thin);
  for (std::size_t b = 0; b < members.size(); ++b)
    EXPECT_TRUE(same_svd_info(expected[b], infos[b])) << b;
  EXPECT_EQ(different_entries(U2, U), 0);
  EXPECT_EQ(different_entries(V2, V), 0);
  EXPECT_EQ(different_entries(S2, S), 0);
  auto workspace =
      carroll::svd_ragged_workspace<TypeParam>(exec, members, SvdVectors::none, SvdVectors::thin);
  (void)carroll::svd_ragged(exec, A.narrow.view(), none, S3.view(), V3.view(), workspace);
  EXPECT_EQ(different_entries(V3, V), 0);
  EXPECT_EQ(different_entries(S3, S), 0);
}

TYPED_TEST(NarrowSvd, RaggedOfNothing) {
  Exec const exec;
  Kokkos::View<TypeParam*, Memory> const A("carroll_test::A", 10), V("carroll_test::V", 10);
  Kokkos::View<float*, Memory> const S("carroll_test::S", 10);
  EXPECT_TRUE(carroll::svd_ragged(exec, std::vector<carroll::SvdMember>{}, A, none, S, V).empty());
}

}  // namespace
