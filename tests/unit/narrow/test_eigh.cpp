// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues and vectors of 16-bit matrices are those of the floats that they are, bit by bit.
#include <gtest/gtest.h>

#include <carroll/narrow/eigh.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/narrow/eigh.hpp"

namespace {

using namespace carroll::test;
using carroll::bfloat16;
using carroll::float16;
using carroll::none;
using carroll::Triangle;

template <class T>
class NarrowEigh : public ::testing::Test {
 protected:
  Random random{6};

  template <class Layout>
  void expect_bits_of_floats(std::size_t members, std::size_t n,
                             carroll::EighOptions const& options) {
    auto A = draw_narrow_batch<T, Layout>(random, members, n, n);
    EXPECT_EQ(eigh_difference(A, options), "") << n << ' ' << layout_name<Layout>;
  }
};
using NarrowEighTypes = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(NarrowEigh, NarrowEighTypes);

TYPED_TEST(NarrowEigh, BitsOfFloatsInEveryOrderAndLayout) {
  carroll::EighOptions upper, cholesky;
  upper.triangle = Triangle::upper;
  cholesky.method = carroll::EighMethod::cholesky_jacobi;
  for (std::size_t const n : {0, 1, 2, 3, 8, 17, 32, 33, 130}) {
    this->template expect_bits_of_floats<Kokkos::LayoutLeft>(7, n, {});
    this->template expect_bits_of_floats<Kokkos::LayoutRight>(6, n, upper);
    this->template expect_bits_of_floats<Kokkos::LayoutStride>(6, n, cholesky);
  }
  this->template expect_bits_of_floats<Kokkos::LayoutRight>(0, 4, {});
  this->template expect_bits_of_floats<Kokkos::LayoutRight>(700, 4, {});
}

TYPED_TEST(NarrowEigh, OneMatrixAndValuesAlone) {
  using Left = Kokkos::LayoutLeft;
  Exec const exec;
  std::size_t const n = 12;
  NarrowPair<TypeParam, 2, Left> A({n, n});
  auto const drawn = draw_narrow<TypeParam>(this->random, n * n, NarrowKind::normal);
  A.set([&](auto at) { return drawn[at[0] * n + at[1]]; });
  GuardedView<float, 2, Left> V({n, n});
  GuardedView<TypeParam, 2, Left> V2({n, n});
  GuardedView<float, 1, Left> W({n}), W2({n}), W3({n});
  auto const expected = carroll::eigh(exec, A.wide.view(), W.view(), V.view());
  EXPECT_TRUE(same_eigh_info(expected, carroll::eigh(exec, A.narrow.view(), W2.view(), V2.view())));
  EXPECT_EQ(different_entries(V2, V), 0);
  EXPECT_EQ(different_entries(W2, W), 0);
  EXPECT_EQ(carroll::symmetric_eigenvalues(exec, A.narrow.view(), W3.view()).rank, expected.rank);
  EXPECT_EQ(different_entries(W3, W), 0);
  EXPECT_EQ(different_entries(A.narrow, A.wide), 0);  // as it was
}

/// Members with gaps between them, which nobody writes.
TYPED_TEST(NarrowEigh, Ragged) {
  using Left = Kokkos::LayoutLeft;
  Exec const exec;
  auto members = carroll::eigh_members(std::vector<std::int64_t>{5, 0, 40, 1, 130, 8});
  std::int64_t gap = 0;
  std::size_t entries = 0, values = 0;
  for (auto& at : members) {
    at.a += gap;
    at.w += gap;
    at.v += gap;
    entries = static_cast<std::size_t>(at.a + at.n * at.n + 3);
    values = static_cast<std::size_t>(at.w + at.n + 3);
    gap += 7;
  }
  NarrowPair<TypeParam, 1, Left> A({entries});
  auto const drawn = draw_narrow<TypeParam>(this->random, entries, NarrowKind::normal);
  A.set([&](auto at) { return drawn[at[0]]; });
  GuardedView<float, 1, Left> V({entries}), W({values}), W2({values}), W3({values});
  GuardedView<TypeParam, 1, Left> V2({entries});
  auto const expected = carroll::eigh_ragged(exec, members, A.wide.view(), W.view(), V.view());
  auto const infos = carroll::eigh_ragged(exec, members, A.narrow.view(), W2.view(), V2.view());
  for (std::size_t b = 0; b < members.size(); ++b)
    EXPECT_TRUE(same_eigh_info(expected[b], infos[b])) << b;
  EXPECT_EQ(different_entries(V2, V), 0);
  EXPECT_EQ(different_entries(W2, W), 0);
  auto workspace = carroll::eigh_ragged_workspace<TypeParam>(exec, members, false);
  (void)carroll::eigh_ragged(exec, A.narrow.view(), W3.view(), none, workspace);
  EXPECT_EQ(different_entries(W3, W), 0);
}

}  // namespace
