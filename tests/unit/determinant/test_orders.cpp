// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/determinant/drivers.hpp"
#include "support/tolerance.hpp"
#include "unit/determinant/orders_and_scalars.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::DeterminantMethod;
using carroll::ScaledNumber;
using carroll::Status;
using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

/// Orders on both sides of every border between paths, and of the tiles.
constexpr int border_orders[] = {1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17,
                                 31, 32, 33, 63, 64, 65, 97, 128, 129, 150, 193};

template <class T>
class Determinant : public ::testing::Test {
 protected:
  using Real = RealOf<T>;
  static constexpr double eps = epsilon<Real>;
};
TYPED_TEST_SUITE(Determinant, Scalars);

TYPED_TEST(Determinant, OfNothingIsOne) {
  using T = TypeParam;
  Exec const exec;
  for (DeterminantMethod const method : all_determinant_methods) {
    Kokkos::View<T**, Right, Memory> const A("carroll_test::A", 0, 0);
    auto const info = carroll::determinant(exec, A, {method});
    EXPECT_EQ(info.status, Status::success);
    EXPECT_EQ(info.value.to(), T(1));
    Kokkos::View<T***, Right, Memory> const three("carroll_test::A", 3, 0, 0);
    auto const infos = carroll::determinant_of(exec, three, {method});
    ASSERT_EQ(infos.size(), 3U);
    EXPECT_EQ(infos[2].value.to(), T(1));
    Kokkos::View<T***, Right, Memory> const none("carroll_test::A", 0, 5, 5);
    EXPECT_TRUE(carroll::determinant(exec, none, {method}).empty());
  }
}

TYPED_TEST(Determinant, OfRandomMatricesWithEveryMethod) {
  using T = TypeParam;
  for (int const n : border_orders) {
    auto const A = random_square<T>(n, 7 + static_cast<std::uint64_t>(n));
    auto const reference = quad_determinant_of(A);
    for (DeterminantMethod const method : elimination_methods) {
      auto const info = run_determinant(A, {method});
      EXPECT_EQ(info.status, Status::success);
      EXPECT_GE(info.growth, 1);
      // Random matrices have a condition of order n.
      EXPECT_LT(relative_error(info, reference), 20.0 * n * n * this->eps) << n;
    }
    if (n > 20) continue;  // the others lose digits from step to step
    for (DeterminantMethod const method :
         {DeterminantMethod::salem_said, DeterminantMethod::dodgson}) {
      auto const info = run_determinant(A, {method});
      if (method == DeterminantMethod::dodgson && info.status == Status::breakdown) continue;
      ASSERT_EQ(info.status, Status::success) << n;
      EXPECT_LT(relative_error(info, reference), 1e5 * this->eps)
          << n << ' ' << ::testing::PrintToString(method);
    }
  }
}

TYPED_TEST(Determinant, IsTheSameBitsForEveryLayoutAndNothingElseIsWritten) {
  using T = TypeParam;
  Exec const exec;
  for (DeterminantMethod const method : all_determinant_methods)
    for (int const n : with_panels<T>({1, 3, 6, 33, 131}, method)) {
      auto const matrix = random_square<T>(n, 11);
      auto const expected = run_determinant<Right>(matrix, {method});
      auto const check = [&]<class Layout>(Layout) {
        auto A = guarded_from<T, Layout>(matrix);
        EXPECT_TRUE(same_bits(carroll::determinant_of(exec, A.view(), {method}), expected)) << n;
        A.to_host();
        EXPECT_TRUE(same_bits(to_host_matrix(A, n, n), matrix));
        EXPECT_TRUE(same_bits(carroll::determinant(exec, A.view(), {method}), expected)) << n;
        A.to_host();
        EXPECT_TRUE(A.guards_intact());
      };
      check(Left());
      check(Right());
      check(Stride());
    }
}

TYPED_TEST(Determinant, IsTheSameBitsInABatchWithoutDisturbingNeighbours) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  Exec const exec;
  for (DeterminantMethod const method : all_determinant_methods)
    for (int const n : with_panels<T>({1, 2, 3, 4, 9, 40, 135}, method)) {
      std::vector<HostMatrix<T>> members;
      for (int b = 0; b < 9; ++b) members.push_back(random_square<T>(n, 100 + std::uint64_t(b)));
      members[2].data[static_cast<std::size_t>(n * n / 2)] = Limits::quiet_NaN();
      members[5].data[static_cast<std::size_t>(n * n - 1)] = Limits::infinity();
      std::fill(members[7].data.begin(), members[7].data.begin() + n, T(0));  // a zero column
      auto const batch = guarded_batch<T, Left>(members, n);
      auto const infos = carroll::determinant_of(exec, batch.view(), {method});
      ASSERT_EQ(infos.size(), 9U);
      for (std::size_t b = 0; b < 9; ++b) {
        EXPECT_TRUE(same_bits(infos[b], run_determinant(members[b], {method}))) << n << ' ' << b;
        bool const bad = b == 2 || b == 5;
        EXPECT_EQ(infos[b].status == Status::non_finite, bad) << n << ' ' << b;
        EXPECT_EQ(infos[b].value.is_nan(),
                  infos[b].status == Status::non_finite || infos[b].status == Status::breakdown);
        // Dodgson cannot tell zero minors of a singular matrix from those of another one.
        if (b == 7 && infos[b].status != Status::breakdown) {
          EXPECT_TRUE(infos[b].value.is_zero());
          EXPECT_EQ(infos[b].status, Status::singular);
        }
      }
    }
}

/// Small matrices share vector registers: each with all neighbours that it can have, among them
/// some that are treated apart, in groups of any size.
TYPED_TEST(Determinant, OfSmallMatricesIsTheSameBitsBesideAllOthers) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  constexpr int most = sizeof(RealOf<T>) == 4 ? 60 : 500;
  Exec const exec;
  for (int const n : {1, 2, 3, 4, 5, 8, 17, 32}) {
    std::vector<HostMatrix<T>> members;
    std::vector<DeterminantInfo<T>> expected;
    for (int b = 0; b < 70; ++b) {
      auto A = random_square<T>(n, 300 + std::uint64_t(b));
      if (b % 9 == 4) A(n - 1, 0) = Limits::quiet_NaN();
      if (b % 7 == 2)  // columns that differ too much for scaling by rows
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i)
            A(i, j) = carroll::detail::scale_parts(A(i, j), j % 2 == 0 ? most : -most);
      if (b % 11 == 5) A = HostMatrix<T>(n, n);
      if (b % 13 == 6)
        for (T& entry : A.data) entry = carroll::detail::scale_parts(entry, -2 * most);
      expected.push_back(run_determinant(A));
      members.push_back(A);
    }
    auto const check = [&]<class Layout>(Layout) {
      for (std::size_t const count : {70, 33, 16, 5}) {
        auto const batch = guarded_batch<T, Layout>({members.begin(), members.begin() + count}, n);
        auto const infos = carroll::determinant_of(exec, batch.view());
        ASSERT_EQ(infos.size(), count);
        for (std::size_t b = 0; b < count; ++b)
          EXPECT_TRUE(same_bits(infos[b], expected[b])) << n << ' ' << b << " of " << count;
      }
    };
    check(Left());
    check(Right());
  }
}

TYPED_TEST(Determinant, WorkspacesCanBeUsedAgain) {
  using T = TypeParam;
  Exec const exec;
  for (DeterminantMethod const method : all_determinant_methods)
    for (int const n : with_panels<T>({3, 30, 140}, method)) {
      auto workspace =
          carroll::determinant_workspace<T>(exec, {.batch = 1, .n = n, .keep = true}, {method});
      EXPECT_GT(workspace.bytes(), 0U);
      for (std::uint64_t seed : {1, 2, 1}) {
        auto const matrix = random_square<T>(n, seed);
        auto const A = guarded_from<T, Right>(matrix);
        auto const expected = run_determinant(matrix, {method});
        EXPECT_TRUE(same_bits(carroll::determinant_of(exec, A.view(), workspace), expected));
        EXPECT_TRUE(same_bits(carroll::determinant(exec, A.view(), workspace), expected));
      }
    }
}

TYPED_TEST(Determinant, OfSingularMatricesIsExactlyZero) {
  using T = TypeParam;
  for (DeterminantMethod const method : elimination_methods)
    for (int const n : with_panels<T>({1, 2, 3, 4, 10, 64, 140}, method)) {
      auto const check = [&](HostMatrix<T> const& A) {
        auto const info = run_determinant(A, {method});
        EXPECT_EQ(info.status, Status::singular) << n;
        EXPECT_TRUE(info.value.is_zero()) << n;
      };
      check(HostMatrix<T>(n, n));
      auto A = random_square<T>(n, 3);
      for (int j = 0; j < n; ++j) A(n / 2, j) = T(0);
      check(A);
      check(transposed(A));
      // Equal columns vanish together when every term is subtracted by itself.
      if (n == 1 || (n > 3 && method == DeterminantMethod::blocked)) continue;
      A = random_square<T>(n, 4);
      for (int i = 0; i < n; ++i) A(i, 0) = A(i, n - 1);
      check(A);
    }
}

template <class Real>
HostMatrix<Real> from_rows(int n, std::vector<Real> const& rows) {
  HostMatrix<Real> A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = rows[static_cast<std::size_t>(i * n + j)];
  return A;
}

TEST(DeterminantClosedForms, AreTheExactValueRounded) {
  auto const value = [](int n, std::vector<double> const& rows) {
    return run_determinant(from_rows(n, rows)).value;
  };
  EXPECT_EQ(value(3, {2, 0, 0, 0, 2, 0, 0, 0, 2}).to(), 8);
  EXPECT_EQ(value(3, {1, 2, 3, 4, 5, 6, 7, 8, 9}).to(), 0);
  EXPECT_EQ(value(2, {63245986, 102334155, 102334155, 165580141}).to(), 1);
  EXPECT_EQ(value(1, {-0x1p-1074}).to(), -0x1p-1074);
  EXPECT_EQ(value(2, {1e300, 1, 1, 1e-300}),
            value(2, {1e300 * 0x1p-20, 0x1p-20, 0x1p20, 0x1p20 * 1e-300}));
  EXPECT_EQ(value(2, {0x1p1000, 1, 1, 0x1p1000}).exponent(), 2000);
  EXPECT_EQ(value(3, {0x1p-1000, 0, 0, 0, 0x1p-1000, 0, 0, 0, 0x1p-1000}).exponent(), -3000);
  // Rows that are nearly dependent: the terms cancel in all but their last digits.
  double const x = 0.1, y = 0.7, z = 1.3;
  EXPECT_EQ(value(3, {x, y, z, 2 * x, 2 * y, 2 * z, 0.3, 0.4, 0.5}).to(), 0);
  Random random(17);
  for (int repeat = 0; repeat < 300; ++repeat)
    for (int n : {2, 3}) {
      auto A = random_square<double>(n, 1000 + std::uint64_t(repeat));
      // The last row almost a combination of the others.
      for (int j = 0; j < n; ++j) A(n - 1, j) = A(0, j) * 0.3 + (n == 3 ? A(1, j) * 0.7 : 0.0);
      auto const reference = quad_determinant(A);
      // It is the reference that is good to cond·2^-112 only.
      EXPECT_LE(relative_error(run_determinant(A), reference), 1e-13) << repeat;
      HostMatrix<float> F(n, n);
      for (std::size_t k = 0; k < F.data.size(); ++k) F.data[k] = static_cast<float>(A.data[k]);
      EXPECT_LE(relative_error(run_determinant(F), quad_determinant(F)), epsilon<float>);
    }
}

TEST(DeterminantMethods, DodgsonBreaksDownInsteadOfDividingByZero) {
  auto const A = from_rows<double>(4, {2, -1, 1, 3,  //
                                       1, 0, 1, 2,   //
                                       3, 1, 5, 1,   //
                                       1, 2, 1, 4});
  auto const info = run_determinant(A, {DeterminantMethod::dodgson});
  EXPECT_EQ(info.status, Status::breakdown);
  EXPECT_TRUE(info.value.is_nan());
  auto const sound = run_determinant(A);
  EXPECT_LT(relative_error(sound, quad_determinant(A)), 1e-15);
  // Carroll's own example.
  auto const B = from_rows<double>(4, {-2, -1, -1, -4, -1, -2, -1, -6, -1, -1, 2, 4, 2, 1, -3, -8});
  EXPECT_EQ(run_determinant(B, {DeterminantMethod::dodgson}).value.to(), -8);
}

TEST(DeterminantMethods, AgreeOnTheSignOfPermutations) {
  Random random(23);
  for (int const n : {1, 2, 3, 4, 9, 33, 140}) {
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
    random.shuffle(order);
    HostMatrix<double> P(n, n);
    int inversions = 0;
    for (int i = 0; i < n; ++i) {
      P(i, order[static_cast<std::size_t>(i)]) = 1;
      for (int j = 0; j < i; ++j)
        if (order[static_cast<std::size_t>(j)] > order[static_cast<std::size_t>(i)]) ++inversions;
    }
    int const sign = inversions % 2 == 0 ? 1 : -1;
    EXPECT_EQ(run_determinant(P, {DeterminantMethod::salem_said}).value.to(), sign) << n;
    for (DeterminantMethod const method : elimination_methods)
      EXPECT_EQ(run_determinant(P, {method}).value.to(), sign) << n;
  }
}

}  // namespace
