// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/device/warp.hpp>
#include <limits>

#include "support/copy.hpp"
#include "support/determinant/drivers.hpp"
#include "support/tolerance.hpp"
#include "unit/determinant/orders_and_scalars.hpp"

/// Batches of small matrices, of which a device's warp has several at a time: every order, counts
/// around the sizes of warps, and members that are unlike their neighbours.
namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::Status;
using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

template <class T>
class DeterminantBatches : public ::testing::Test {
 protected:
  using Real = RealOf<T>;
  static constexpr double eps = epsilon<Real>;
};
TYPED_TEST_SUITE(DeterminantBatches, Scalars);

template <class T>
void scale_row(HostMatrix<T>& A, int i, int e) {
  for (int j = 0; j < A.cols; ++j) A(i, j) = carroll::detail::scale_parts(A(i, j), e);
}
template <class T>
void scale_col(HostMatrix<T>& A, int j, int e) {
  for (int i = 0; i < A.rows; ++i) A(i, j) = carroll::detail::scale_parts(A(i, j), e);
}

/// Random members, of which every seventh or so is something else.
template <class T>
std::vector<HostMatrix<T>> mixed_members(int n, int count) {
  using Limits = std::numeric_limits<RealOf<T>>;
  constexpr int far = sizeof(RealOf<T>) == 4 ? 60 : 500;
  std::vector<HostMatrix<T>> members;
  for (int b = 0; b < count; ++b) {
    auto A = random_square<T>(n, 1000 + static_cast<std::uint64_t>(b));
    switch (b % 29) {
      case 2: A(n / 2, n / 3) = Limits::quiet_NaN(); break;
      case 5: A(0, n - 1) = -Limits::infinity(); break;
      case 7:  // a zero row
        for (int j = 0; j < n; ++j) A(n / 2, j) = T(0);
        break;
      case 11:  // a zero column
        for (int i = 0; i < n; ++i) A(i, n / 3) = T(0);
        break;
      case 13:  // wide rows
        for (int j = 0; j < n; ++j) scale_col(A, j, j % 2 == 0 ? far : -far);
        break;
      case 17:  // a row at the upper end of the range
        scale_row(A, 0, Limits::max_exponent - 4);
        break;
      case 18:  // a row at the lower end
        scale_row(A, n - 1, Limits::min_exponent - 6);
        break;
      case 19:  // a cyclic permutation
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) A(i, j) = T(j == (i + 1) % n ? 1 : 0);
        break;
      case 23:  // pivots that are tiny beside their row
        for (int i = 0; i + 1 < n; ++i)
          for (int j = 0; j < n; ++j) A(i, j) = T(i <= j ? 1 : 0);
        for (int j = 0; j < n; ++j) A(n - 1, j) = T(1);
        A(n - 1, n - 1) += T(Limits::epsilon());
        break;
      case 24:  // small integers: equal candidates at every step; small ones may be singular
      case 25:
        if (n <= 33) break;
        for (T& x : A.data) x = T(real_part(x) < 0 ? -1 : 1);
        break;
      default: break;
    }
    members.push_back(A);
  }
  return members;
}

TYPED_TEST(DeterminantBatches, AreRightForEveryOrder) {
  using T = TypeParam;
  Exec const exec;
  for (int n = 1; n <= 33; ++n) {
    auto const members = mixed_members<T>(n, 30);
    auto const infos = carroll::determinant_of(exec, guarded_batch<T, Right>(members, n).view());
    for (std::size_t b = 0; b < members.size(); ++b) {
      if (b == 2 || b == 5) {
        EXPECT_EQ(infos[b].status, Status::non_finite) << n << ' ' << b;
        EXPECT_TRUE(infos[b].value.is_nan()) << n << ' ' << b;
        continue;
      }
      auto const reference = quad_determinant_of(members[b]);
      if (b == 7 || b == 11) {
        EXPECT_EQ(infos[b].status, Status::singular) << n << ' ' << b;
        EXPECT_TRUE(infos[b].value.is_zero()) << n << ' ' << b;
        continue;
      }
      EXPECT_EQ(infos[b].status, Status::success) << n << ' ' << b;
      EXPECT_GE(infos[b].growth, 1) << n << ' ' << b;
      // Members 23 have a condition of n/eps, and exact digits.
      EXPECT_LT(relative_error(infos[b], reference), 200.0 * n * n * this->eps) << n << ' ' << b;
    }
  }
}

template <class T>
void expect_same_bits(int n, std::vector<std::size_t> const& counts) {
  Exec const exec;
  auto const members = mixed_members<T>(n, static_cast<int>(counts.back()));
  std::vector<DeterminantInfo<T>> alone;
  for (auto const& member : members) alone.push_back(run_determinant(member));
  for (std::size_t const count : counts) {
    std::vector<HostMatrix<T>> const some(members.begin(),
                                          members.begin() + static_cast<std::ptrdiff_t>(count));
    auto const check = [&]<class Layout>(Layout) {
      auto const batch = guarded_batch<T, Layout>(some, n);
      auto const infos = carroll::determinant_of(exec, batch.view());
      ASSERT_EQ(infos.size(), count);
      for (std::size_t b = 0; b < count; ++b)
        EXPECT_TRUE(same_bits(infos[b], alone[b])) << n << ' ' << count << ' ' << b;
    };
    check(Left());
    check(Right());
    check(Stride());
  }
}

TYPED_TEST(DeterminantBatches, AreTheSameBitsAloneInAnyNumberAndInAnyLayout) {
  for (int const n : {2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 24, 27, 32, 33})
    expect_same_bits<TypeParam>(n, {1, 2, 31, 33, 61});
}

/// GPUs have up to three ways for these orders: for few matrices, for more, and for many.
TYPED_TEST(DeterminantBatches, AreTheSameBitsInWhateverWayTheyAreFound) {
  expect_same_bits<TypeParam>(129, {2, 16, 17, 30});
  if (!carroll::detail::has_warps<Exec> || carroll::detail::is_complex<TypeParam>) return;
  for (int const n : {40, 64, 65, 100, 128}) expect_same_bits<TypeParam>(n, {16, 17, 30});
  for (int const n : {150, 200, 256}) expect_same_bits<TypeParam>(n, {16, 17, 65});
  for (int const n : {257, 320, 512, 520}) expect_same_bits<TypeParam>(n, {2, 32});
  expect_same_bits<TypeParam>(1024, {9});
}

TYPED_TEST(DeterminantBatches, OfThousandsAreThoseOfTheirMembers) {
  using T = TypeParam;
  Exec const exec;
  for (int const n : {3, 4, 7, 8, 12, 16, 31, 32}) {
    auto const members = mixed_members<T>(n, 29);
    // More than a GPU has at a time, where it goes on with others in the end.
    bool const goes_on = carroll::detail::has_warps<Exec> && (n == 8 || n == 16);
    std::size_t const count = goes_on ? 80'017 : 1000;
    std::vector<HostMatrix<T>> many;
    for (std::size_t b = 0; b < count; ++b) many.push_back(members[b % 29]);
    auto const few = carroll::determinant_of(exec, guarded_batch<T, Right>(members, n).view());
    // Members by rows, and by columns, without gaps.
    auto const by_rows = guarded_batch<T, Right>(many, n);
    Kokkos::LayoutStride const turned(many.size(), n * n, n, 1, n, n);
    Kokkos::View<T***, Kokkos::LayoutStride, Memory> by_cols(
        Kokkos::view_alloc("carroll_test::by_cols"), turned);
    auto const host = Kokkos::create_mirror_view(by_cols);
    for (std::size_t b = 0; b < many.size(); ++b)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) host(b, i, j) = many[b](i, j);
    carroll::test::deep_copy(by_cols, host);
    for (auto const& infos :
         {carroll::determinant_of(exec, by_rows.view()), carroll::determinant_of(exec, by_cols)}) {
      ASSERT_EQ(infos.size(), many.size());
      for (std::size_t b = 0; b < infos.size(); ++b)
        ASSERT_TRUE(same_bits(infos[b], few[b % 29])) << n << ' ' << b;
    }
  }
}

}  // namespace
