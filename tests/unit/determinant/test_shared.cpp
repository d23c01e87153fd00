// SPDX-License-Identifier: BSD-3-Clause
// Matrices that all of a GPU shares: by row panels, and, from order 2560 on (double precision:
// 2304), by outer blocks of row panels.
#include <gtest/gtest.h>

#include <carroll/detail/device/warp.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "support/copy.hpp"
#include "support/determinant/drivers.hpp"
#include "support/tolerance.hpp"
#include "unit/determinant/hartley.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

/// Hosts have no path of their own for the larger ones, and would take long over them.
std::vector<int> shared_orders() {
  if (carroll::detail::has_warps<Exec>) return {350, 700, 1025, 1500, 2700, 4352, 4607};
  return {330};
}

template <class T>
class SharedDeterminant : public ::testing::Test {
 protected:
  static constexpr double eps = epsilon<T>;
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SharedDeterminant, Reals);

/// log|det| of a well-conditioned matrix of order n.
template <class T>
double tolerance(int n) {
  return 4 * n * epsilon<T>;
}

TYPED_TEST(SharedDeterminant, OfOrthogonalMatricesIsOneWhateverTheirRowsAreMultipliedBy) {
  using T = TypeParam;
  for (int const n : shared_orders()) {
    auto A = hartley<T>(n);
    int const sign = sign_of_hartley(A, n);
    auto const check = [&](carroll::DeterminantInfo<T> const& info, std::int64_t exponent) {
      ASSERT_EQ(info.status, Status::success) << n;
      EXPECT_EQ(info.value.sign(), sign) << n;
      EXPECT_NEAR(info.value.log_abs() - double(exponent) * std::numbers::ln2, 0, tolerance<T>(n))
          << n;
    };
    check(run_determinant<Kokkos::LayoutRight>(A), 0);
    check(run_determinant<Kokkos::LayoutLeft>(A), 0);
    check(run_determinant<Kokkos::LayoutStride>(A), 0);
    std::int64_t exponent = 0;
    for (int i = 0; i < n; ++i) {
      int const e = i * 37 % 201 - 100;
      exponent += e;
      for (int j = 0; j < n; ++j) A(i, j) = std::ldexp(A(i, j), e);
    }
    check(run_determinant<Kokkos::LayoutRight>(A), exponent);
  }
}

TYPED_TEST(SharedDeterminant, IsRightWhereOuterBlocksAreTakenOffByTwos) {
  using T = TypeParam;
  if (!carroll::detail::has_warps<Exec>) GTEST_SKIP() << "hosts have no outer_blocks";
  Exec const exec;
  int const n = carroll::detail::least_pair_columns + 1737;
  Kokkos::View<T*, Exec> const cas("cas", n);
  auto const host = Kokkos::create_mirror_view(cas);
  std::int64_t exponent = 0;
  for (int k = 0; k < n; ++k) {
    double const angle = 2 * std::numbers::pi * k / n;
    host(k) = static_cast<T>((std::cos(angle) + std::sin(angle)) / std::sqrt(double(n)));
    exponent += ScaledHartley<T>::exponent(k);
  }
  double trace = 0;
  for (std::int64_t i = 0; i < n; ++i) trace += host(i * i % n);
  carroll::test::deep_copy(cas, host);
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const A(
      Kokkos::view_alloc("A", Kokkos::WithoutInitializing), n, n);
  ScaledHartley<T> const fill{A, cas};
  Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>> const entries(exec, {0, 0}, {n, n});
  carroll::DeterminantInfo<T> before;
  for (int repeat = 0; repeat < 2; ++repeat) {
    Kokkos::parallel_for("fill", entries, fill);
    auto const info = carroll::determinant(exec, A);
    ASSERT_EQ(info.status, Status::success);
    EXPECT_EQ(info.value.sign(), std::lround((n - trace) / 2) % 2 == 0 ? 1 : -1);
    EXPECT_NEAR(info.value.log_abs() - double(exponent) * std::numbers::ln2, 0, tolerance<T>(n));
    EXPECT_TRUE(repeat == 0 || same_bits(info, before));
    before = info;
  }
  Kokkos::parallel_for("fill", entries, fill);
  carroll::test::deep_copy(exec, Kokkos::subview(A, n / 2, Kokkos::ALL), T(0));
  auto const info = carroll::determinant(exec, A);
  EXPECT_EQ(info.status, Status::singular);
  EXPECT_TRUE(info.value.is_zero());
}

TYPED_TEST(SharedDeterminant, IsExactWherePivotsAreFarFromOneAnother) {
  using T = TypeParam;
  for (int const n : shared_orders()) {
    // Twice a permutation, and its sign by its cycles.
    int const step = 2311;
    HostMatrix<T> A(n, n);
    std::vector<int> image(n);
    for (int i = 0; i < n; ++i) {
      image[i] = static_cast<int>((static_cast<long long>(i) * step + 77) % n);
      A(i, image[i]) = T(2);
    }
    int sign = 1;
    std::vector<bool> seen(n);
    for (int i = 0; i < n; ++i)
      for (int k = i, length = 0; !seen[k]; k = image[k], ++length) {
        seen[k] = true;
        if (length > 0) sign = -sign;
      }
    auto const info = run_determinant<Kokkos::LayoutRight>(A);
    EXPECT_EQ(info.status, Status::success) << n;
    EXPECT_EQ(info.value.mantissa(), T(sign)) << n;
    EXPECT_EQ(info.value.exponent(), n) << n;
  }
}

TYPED_TEST(SharedDeterminant, OfUnitTriangularMatricesIsOneHoweverLargeTheirInverses) {
  using T = TypeParam;
  std::vector<int> orders = shared_orders();
  if (carroll::detail::has_warps<Exec>) orders.push_back(carroll::detail::least_fold_columns + 601);
  for (int const n : orders) {
    for (bool const lower : {false, true}) {
      HostMatrix<T> A(n, n);  // of whose inverse the largest entry is 1.5^(n-2)/2
      // Half of the diagonal: a team that leads with one of them for a pivot must give way.
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) A(i, j) = T(i == j ? 1 : (j < i) == lower ? -0.5 : 0);
      auto const info = run_determinant<Kokkos::LayoutRight>(A);
      EXPECT_EQ(info.status, Status::success) << n;
      EXPECT_EQ(info.value.mantissa(), T(1)) << n;
      EXPECT_EQ(info.value.exponent(), 0) << n;
    }
  }
}

TYPED_TEST(SharedDeterminant, OfBandedMatricesIsRight) {
  using T = TypeParam;
  for (int const n : shared_orders()) {
    HostMatrix<T> A(n, n);  // det tri(-1, 2, -1) = n + 1, of condition (2n/π)²
    for (int i = 0; i < n; ++i) {
      A(i, i) = T(2);
      if (i > 0) A(i, i - 1) = A(i - 1, i) = T(-1);
    }
    auto const info = run_determinant<Kokkos::LayoutRight>(A);
    ASSERT_EQ(info.status, Status::success) << n;
    EXPECT_EQ(info.value.sign(), 1) << n;
    double const condition = std::pow(2 * n / std::numbers::pi, 2);
    EXPECT_NEAR(info.value.log_abs(), std::log(n + 1.0), 4 * this->eps * n * condition) << n;
  }
}

TYPED_TEST(SharedDeterminant, SaysWhatIsSingularAndWhatIsNoNumber) {
  using T = TypeParam;
  for (int const n : shared_orders()) {
    auto const A = random_square<T>(n, 5);
    auto zero_row = A, zero_column = A, not_a_number = A;
    for (int j = 0; j < n; ++j) zero_row(n / 2, j) = zero_column(j, n / 3) = T(0);
    not_a_number(n / 2, n / 3) = std::numeric_limits<T>::quiet_NaN();
    for (auto const& singular : {zero_row, zero_column}) {
      auto const info = run_determinant<Kokkos::LayoutRight>(singular);
      EXPECT_EQ(info.status, Status::singular) << n;
      EXPECT_TRUE(info.value.is_zero()) << n;
    }
    EXPECT_EQ((run_determinant<Kokkos::LayoutRight>(not_a_number)).status, Status::non_finite);
  }
}

TYPED_TEST(SharedDeterminant, IsRightOnDevicesWhereFewTeamsRunAtTheSameTime) {
  using T = TypeParam;
  using Access = carroll::detail::AccessTo<carroll::DeterminantWorkspace<Exec, T>>;
  if (!carroll::detail::has_warps<Exec>) GTEST_SKIP() << "hosts have no row_panels";
  Exec const exec;
  for (int const n : {600, 1500, 2304, 5000}) {
    auto const A = hartley<T>(n);
    int const sign = sign_of_hartley(A, n);
    for (int const teams : {2, 4, 8, 20}) {
      // With few of them outer blocks are shared by wide teams, and where these are too many, too,
      // it goes by panels.
      auto workspace = Access::make(exec, "test", {.batch = 1, .n = n}, {}, teams);
      for (int repeat = 0; repeat < 2; ++repeat) {
        auto const B = guarded_from<T, Kokkos::LayoutRight>(A);
        auto const info = carroll::determinant(exec, B.view(), workspace);
        ASSERT_EQ(info.status, Status::success) << n << ", " << teams;
        EXPECT_EQ(info.value.sign(), sign) << n << ", " << teams;
        EXPECT_NEAR(info.value.log_abs(), 0, tolerance<T>(n)) << n << ", " << teams;
      }
    }
  }
}

/// A launch leaves behind what the next one wants to find, whatever it has found out.
TYPED_TEST(SharedDeterminant, AWorkspaceServesAgainAfterWhateverCameOfIt) {
  using T = TypeParam;
  Exec const exec;
  std::vector<int> orders = {33, 100};
  // Hosts have no path of their own for those of row panels.
  if (carroll::detail::has_warps<Exec>)
    orders = {33, 64, 100, 127, 200, 256, 257, 350, 512, 513, 700, 1100};
  for (int const n : orders) {
    auto const regular = random_square<T>(n, 21);
    auto zero_row = regular, late_zero = regular, not_a_number = regular, wide = regular;
    // With z columns of zeros row n - z becomes zero: in the first row panel, some row panel, the
    // last two.
    std::vector<HostMatrix<T>> narrow(5, regular);
    for (int k = 0; k < 5; ++k) {
      int const zeros = k == 0 ? 2 : k == 1 ? 17 : k == 2 ? 31 : k == 3 ? n / 2 : n - 3;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < zeros; ++j) narrow[k](i, n - 1 - j) = T(0);
    }
    for (int j = 0; j < n; ++j) zero_row(n / 3, j) = T(0);
    for (int i = 0; i < n; ++i) late_zero(i, n / 2) = T(0);
    not_a_number(n - 1, 1) = std::numeric_limits<T>::quiet_NaN();
    constexpr int apart = sizeof(T) == 4 ? -35 : -300;
    std::int64_t exponent = 0;  // of the determinant of a matrix with columns that are far apart
    for (int j = 0; j < n; ++j) {
      exponent += j % 3 * apart;
      for (int i = 0; i < n; ++i) wide(i, j) = std::ldexp(regular(i, j), j % 3 * apart);
    }
    auto const alone = run_determinant<Kokkos::LayoutRight>(regular);
    auto workspace = carroll::determinant_workspace<T>(exec, {.batch = 1, .n = n});
    using Matrices = std::initializer_list<HostMatrix<T> const*>;
    for (auto const* matrix :
         Matrices{&regular, &zero_row, &wide, &not_a_number, &late_zero, &regular, &narrow[0],
                  &narrow[1], &regular, &narrow[2], &narrow[3], &narrow[4], &regular}) {
      auto const A = guarded_batch<T, Kokkos::LayoutRight>({*matrix}, n);
      carroll::DeterminantInfo<T> const info = carroll::determinant(
          exec, Kokkos::subview(A.view(), 0, Kokkos::ALL, Kokkos::ALL), workspace);
      if (matrix == &regular) {
        EXPECT_TRUE(same_bits(info, alone)) << n;
      } else if (matrix == &wide) {
        ASSERT_EQ(info.status, Status::success) << n;
        EXPECT_NEAR(info.value.log_abs() - double(exponent) * std::numbers::ln2,
                    alone.value.log_abs(), 1000 * tolerance<T>(n))
            << n;
      } else {
        EXPECT_EQ(info.status, matrix == &not_a_number ? Status::non_finite : Status::singular)
            << n;
      }
    }
  }
}

TYPED_TEST(SharedDeterminant, IsTheSameBitsAloneInBatchesAndWithAKept) {
  using T = TypeParam;
  Exec const exec;
  for (int const n : shared_orders()) {
    if (n == 1025 || n == 4607) continue;  // of each kind one does
    auto const matrix = random_square<T>(n, 9);
    auto const alone = run_determinant<Kokkos::LayoutRight>(matrix);
    auto const batch = guarded_batch<T, Kokkos::LayoutRight>(
        {random_square<T>(n, 10), matrix, random_square<T>(n, 11), matrix}, n);
    for (int repeat = 0; repeat < 2; ++repeat) {
      auto const infos = carroll::determinant_of(exec, batch.view());
      EXPECT_TRUE(same_bits(infos[1], alone)) << n;
      EXPECT_TRUE(same_bits(infos[3], alone)) << n;
    }
  }
}

}  // namespace
