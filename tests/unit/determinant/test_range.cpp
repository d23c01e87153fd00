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

float rounded_to_integers(float x) {
  return std::round(1000 * x);
}
double rounded_to_integers(double x) {
  return std::round(1000 * x);
}
template <class Real>
Kokkos::complex<Real> rounded_to_integers(Kokkos::complex<Real> const& x) {
  return {rounded_to_integers(x.real()), rounded_to_integers(x.imag())};
}

template <class T>
constexpr bool has_row_panels = carroll::detail::has_warps<Exec>&& carroll::RealScalar<T>;

template <class T>
class DeterminantRange : public ::testing::Test {
 protected:
  using Real = RealOf<T>;
  static constexpr double eps = epsilon<Real>;
};
TYPED_TEST_SUITE(DeterminantRange, Scalars);

TYPED_TEST(DeterminantRange, RowsTimesPowersOfTwoChangeNothingButTheExponent) {
  using T = TypeParam;
  constexpr int most = sizeof(RealOf<T>) == 4 ? 100 : 900;
  for (DeterminantMethod const method : all_determinant_methods)
    for (int const n : with_panels<T>({1, 2, 3, 6, 32, 50, 140}, method)) {
      if (method == DeterminantMethod::dodgson && n > 50) continue;
      auto A = random_square<T>(n, 5);
      auto const before = run_determinant(A, {method});
      if (before.status == Status::breakdown) continue;
      std::int64_t sum = 0;
      for (int i = 0; i < n; ++i) {
        int const e = (i * 37) % (2 * most) - most;
        sum += e;
        for (int j = 0; j < n; ++j) A(i, j) = carroll::detail::scale_parts(A(i, j), e);
      }
      auto const after = run_determinant(A, {method});
      EXPECT_EQ(after.value.mantissa(), before.value.mantissa()) << n;
      EXPECT_EQ(after.value.exponent(), before.value.exponent() + sum) << n;
      EXPECT_EQ(after.growth, before.growth);
    }
}

// Rows of the largest and of the smallest numbers go other ways through the kernels.
TYPED_TEST(DeterminantRange, RowsAtTheEndsOfTheRangeChangeNothingButTheExponent) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  constexpr int most = Limits::max_exponent - 20;               // entries have up to 20 bits
  constexpr int least = Limits::min_exponent - Limits::digits;  // and are no fractions
  for (DeterminantMethod const method : all_determinant_methods)
    for (int const n : with_panels<T>({1, 2, 3, 6, 8, 9, 20, 32, 40, 70, 140}, method)) {
      if (method == DeterminantMethod::dodgson && n > 20) continue;
      auto A = random_square<T>(n, 6);
      for (T& x : A.data) x = rounded_to_integers(x);
      auto const before = run_determinant(A, {method});
      if (before.status == Status::breakdown) continue;
      std::int64_t sum = 0;
      for (int i = 0; i < n; ++i) {
        int const e = i % 3 == 0 ? most : i % 3 == 1 ? least : 0;
        sum += e;
        for (int j = 0; j < n; ++j) A(i, j) = carroll::detail::scale_parts(A(i, j), e);
      }
      auto const after = run_determinant(A, {method});
      EXPECT_EQ(after.value.mantissa(), before.value.mantissa())
          << ::testing::PrintToString(method) << ' ' << n;
      EXPECT_EQ(after.value.exponent(), before.value.exponent() + sum) << n;
      EXPECT_EQ(after.growth, before.growth) << ::testing::PrintToString(method) << ' ' << n;
    }
}

// The first entry that is not zero is tiny, and scaling columns does not make it larger.
TYPED_TEST(DeterminantRange, SalemAndSaidGoOnWithATinyPivot) {
  using T = TypeParam;
  constexpr int e = sizeof(RealOf<T>) == 4 ? -100 : -900;
  RealOf<T> const tiny = std::ldexp(RealOf<T>(1), e);
  HostMatrix<T> A(4, 4);  // seen from its last entry
  A(3, 3) = T(tiny);
  A(3, 0) = A(2, 3) = A(0, 0) = T(1);
  A(2, 2) = T(2);
  A(1, 1) = T(3);
  auto const info = run_determinant(A, {DeterminantMethod::salem_said});
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.value, ScaledNumber<T>(T(6), e));
}

TYPED_TEST(DeterminantRange, SurvivesBadlyScaledColumns) {
  using T = TypeParam;
  constexpr int most = sizeof(RealOf<T>) == 4 ? 60 : 500;
  for (int const n : with_panels<T>({2, 3, 5, 32, 40, 140}, DeterminantMethod::blocked)) {
    if (n > 300) continue;  // the reference is slow
    auto A = random_square<T>(n, 6);
    auto const reference = quad_determinant_of(A);
    std::int64_t sum = 0;
    for (int j = 0; j < n; ++j) {
      int const e = j % 2 == 0 ? most : -most;
      sum += e;
      for (int i = 0; i < n; ++i) A(i, j) = carroll::detail::scale_parts(A(i, j), e);
    }
    auto info = run_determinant(A);
    EXPECT_EQ(info.status, Status::success);
    info.value *= ScaledNumber<T>(T(1), -sum);
    EXPECT_LT(relative_error(info, reference), 20.0 * n * n * this->eps) << n;
  }
}

TYPED_TEST(DeterminantRange, GrowthIsReportedAndDoesNotOverflow) {
  using T = TypeParam;
  for (DeterminantMethod const method : elimination_methods)
    for (int const n : {4, 40, 90, 300, 600, 1100}) {
      if (n > 2 * carroll::detail::safe_steps<T> && n > 300) continue;  // scaled often enough
      if (n > 300 && method >= DeterminantMethod::condensation_in_place) break;
      // Wilkinson's matrix, its transpose turned around, so that condensation, which begins at the
      // last row, meets its growth: 2^(n-1), which is its determinant too.
      HostMatrix<T> A(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) A(i, j) = i == 0 || i == j ? T(1) : i > j ? T(-1) : T(0);
      auto const info = run_determinant(A, {method});
      ASSERT_EQ(info.status, Status::success) << n;
      EXPECT_EQ(info.value.abs().mantissa(), 1) << n;
      EXPECT_EQ(info.value.exponent(), n - 1);
      // All entries that are left have the same size. RowPanels of rows leave columns in another
      // order than exchanges do, and may meet other pivots.
      if (method == DeterminantMethod::blocked && has_row_panels<T> && n > 32) continue;
      auto const expected = std::ldexp(1.0, n - 1);
      if (static_cast<double>(static_cast<RealOf<T>>(expected)) == expected)
        EXPECT_EQ(info.growth, expected);
      else
        EXPECT_TRUE(std::isinf(info.growth));
    }
}

TYPED_TEST(DeterminantRange, RowsThatVanishStepByStepLeaveNoNaN) {
  using T = TypeParam;
  // What is left of one row is multiplied by c at each step: after some steps it is subnormal, and
  // its digits are lost, or 0.
  RealOf<T> const c = sizeof(RealOf<T>) == 4 ? RealOf<T>(0.004) : RealOf<T>(1e-20);
  for (int const n : {40, 64, 300}) {
    HostMatrix<T> A(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(i, j) = T(0);
    for (int i = 1; i < n; ++i) {
      A(i, i) = T(1);
      A(i, i - 1) = T(c);
    }
    A(0, n - 1) = T(1);
    auto const info = run_determinant(A);
    EXPECT_FALSE(info.value.is_nan()) << n;
    EXPECT_TRUE(info.status == Status::success || info.status == Status::singular) << n;
  }
}

/// A row of which `remainder` of its largest entry is left when it is its turn, next to which its
/// neighbours have entries of 1: columns cannot be scaled so that it would be more.
template <class T>
HostMatrix<T> with_small_remainder(int n, RealOf<T> remainder) {
  HostMatrix<T> A(n, n);
  for (int i = 0; i < n; ++i) A(i, i) = T(1);
  int const k = (n - 2) / 3;
  A(k + 1, k) = T(1);
  A(k + 1, k + 1) = A(k + 1, k + 2) = T(remainder / 2);
  A(k + 2, k + 1) = T(1);
  A(k + 2, k + 2) = T(-1);
  return A;  // of determinant -remainder
}

TYPED_TEST(DeterminantRange, RemaindersOfRowsCountDownToTheSmallestNumbersButNotInRowPanels) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  constexpr int least = Limits::min_exponent - Limits::digits;  // log2 of the smallest number
  constexpr int row_panels_count = sizeof(RealOf<T>) == 4 ? -141 : -1034;
  for (int const n : {3, 4, 9, 16, 24, 32, 33, 64, 130, 257, 330}) {
    bool const row_panels = has_row_panels<T> && n > 32;
    for (int const e :
         {-20, Limits::min_exponent / 2, Limits::min_exponent + 3, Limits::min_exponent - 3,
          row_panels_count + 2, row_panels_count - 2, least + 2}) {
      auto const info = run_determinant(with_small_remainder<T>(n, std::ldexp(RealOf<T>(1), e)));
      if (row_panels && e < row_panels_count) {
        EXPECT_EQ(info.status, Status::singular) << n << ' ' << e;
        EXPECT_TRUE(info.value.is_zero()) << n << ' ' << e;
      } else {
        EXPECT_EQ(info.status, Status::success) << n << ' ' << e;
        EXPECT_EQ(info.value.mantissa(), T(-1)) << n << ' ' << e;
        EXPECT_EQ(info.value.exponent(), e) << n;
      }
    }
  }
}

TYPED_TEST(DeterminantRange, AColumnOfZerosIsSingularNextToTheLargestNumbers) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  for (int const n : {2, 3, 4, 5, 9, 16, 24, 32, 33, 64, 130, 257}) {
    // What is left of two rows would overflow if they were not scaled.
    HostMatrix<T> A(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        A(i, j) = T((i * j / 2) % 2 == 0 ? Limits::max() : -Limits::max());
    A(0, 0) = T(Limits::min());
    for (int i = 0; i < n; ++i) A(i, 1) = T(0);
    for (DeterminantMethod const method : elimination_methods) {
      auto const info = run_determinant(A, {method});
      EXPECT_EQ(info.status, Status::singular) << n;
      EXPECT_TRUE(info.value.is_zero()) << n;
    }
  }
}

TYPED_TEST(DeterminantRange, RowsOfSubnormalNumbersAreScaledAsAllOthers) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  Random random(31);
  for (int const n : {1, 2, 3, 4, 9, 16, 24, 32, 33, 64, 130, 257}) {
    if (n > 130 && carroll::detail::is_complex<T>) continue;  // the reference is slow
    HostMatrix<T> A = random_square<T>(n, 32);
    for (int j = 0; j < n; ++j) A(n / 2, j) = T(static_cast<RealOf<T>>(random.index(100) + 1));
    auto const reference = quad_determinant_of(A);
    for (int j = 0; j < n; ++j) A(n / 2, j) = A(n / 2, j) * Limits::denorm_min();
    auto info = run_determinant(A);
    ASSERT_EQ(info.status, Status::success) << n;
    info.value *= ScaledNumber<T>(T(1), Limits::digits - Limits::min_exponent);
    EXPECT_LT(relative_error(info, reference), 20.0 * n * n * this->eps) << n;
  }
}

}  // namespace
