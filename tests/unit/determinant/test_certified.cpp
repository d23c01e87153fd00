// SPDX-License-Identifier: BSD-3-Clause
// The parts of certified_determinant, and what its caller sees: layouts, batches, statuses.
#include <gtest/gtest.h>

#include <carroll/determinant.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "determinant_instances.hpp"
#include "support/determinant/certified_drivers.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"

namespace {

using namespace carroll::test;
using carroll::CertifiedDeterminantInfo;
using carroll::ScaledNumber;
using carroll::Status;
using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

/// Orders on both sides of every border between paths, and of tiles and panels.
constexpr int orders[] = {1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 64, 160, 161, 192, 193};

template <class Real>
HostMatrix<Real> random_matrix(int n, std::uint64_t seed) {
  return make_matrix<Real>(MatrixType::random, n, n, seed);
}

template <class Real>
class CertifiedDeterminant : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CertifiedDeterminant, Reals);

TYPED_TEST(CertifiedDeterminant, OfNothingIsOne) {
  using Real = TypeParam;
  Exec const exec;
  Kokkos::View<Real**, Right, Memory> const A("carroll_test::A", 0, 0);
  auto const info = carroll::certified_determinant(exec, A);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.lower.to(), 1);
  EXPECT_EQ(info.upper.to(), 1);
  Kokkos::View<Real***, Right, Memory> const three("carroll_test::A", 3, 0, 0);
  EXPECT_EQ(carroll::certified_determinant(exec, three).size(), 3U);
  Kokkos::View<Real***, Right, Memory> const none("carroll_test::A", 0, 5, 5);
  EXPECT_TRUE(carroll::certified_determinant(exec, none).empty());
}

TYPED_TEST(CertifiedDeterminant, AgreesWithElimination) {
  using Real = TypeParam;
  for (int const n : orders) {
    auto const A = random_matrix<Real>(n, 3);
    auto const info = run_certified(A);
    ASSERT_EQ(info.status, Status::success) << n;
    EXPECT_LE(info.lower, info.value);
    EXPECT_LE(info.value, info.upper);
    auto const plain = carroll::determinant_of(Exec(), guarded_from<Real, Right>(A).view()).value;
    auto const ratio = static_cast<double>((plain / info.value).to());
    EXPECT_NEAR(ratio, 1, 100.0 * n * std::numeric_limits<Real>::epsilon()) << n;
  }
}

TYPED_TEST(CertifiedDeterminant, IsTheSameBitsForEveryLayoutAndNothingIsWritten) {
  using Real = TypeParam;
  for (int const n : {1, 3, 6, 33, 165}) {
    auto const matrix = random_matrix<Real>(n, 11);
    auto const expected = run_certified<Right>(matrix);
    auto const check = [&]<class Layout>(Layout) {
      auto A = guarded_from<Real, Layout>(matrix);
      EXPECT_TRUE(same_bits(carroll::certified_determinant(Exec(), A.view()), expected)) << n;
      A.to_host();
      EXPECT_TRUE(A.guards_intact());
      EXPECT_EQ(to_host_matrix(A, n, n).data, matrix.data);
    };
    check(Left());
    check(Right());
    check(Stride());
  }
}

/// One entry is enough, wherever it is, and whatever else would make the determinant zero.
TYPED_TEST(CertifiedDeterminant, IsNoneWhereverAnEntryIsNoNumber) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  for (int const n : {1, 2, 3, 4, 7, 33, 161})
    for (Real const bad : {Limits::quiet_NaN(), Limits::infinity()}) {
      auto const last = static_cast<std::size_t>(n * n - 1);
      std::vector<HostMatrix<Real>> members;
      for (std::size_t place = 0; place <= last; place += n > 7 ? last / 16 : 1) {
        auto A = random_matrix<Real>(n, place);
        if (place % 2 == 1)
          for (int k = 0; k < n; ++k) A(n / 2, k) = 0;
        A.data[place] = bad;
        members.push_back(A);
      }
      for (auto const& info : run_certified(members)) {
        EXPECT_EQ(info.status, Status::non_finite) << n;
        EXPECT_TRUE(info.lower.is_nan() && info.value.is_nan() && info.upper.is_nan()) << n;
      }
    }
}

TYPED_TEST(CertifiedDeterminant, IsTheSameBitsInABatchWithoutDisturbingNeighbours) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  for (int const n : {1, 2, 3, 4, 9, 40, 161}) {
    std::vector<HostMatrix<Real>> members;
    for (int b = 0; b < 9; ++b) members.push_back(random_matrix<Real>(n, 100 + std::uint64_t(b)));
    members[2].data[static_cast<std::size_t>(n * n / 2)] = Limits::quiet_NaN();
    members[5].data[static_cast<std::size_t>(n * n - 1)] = -Limits::infinity();
    std::fill(members[7].data.begin(), members[7].data.begin() + n, Real(0));  // a zero column
    for (int j = 0; j < n; ++j) members[8](n - 1, j) = 0;                      // a zero row
    auto const infos = run_certified(members);
    ASSERT_EQ(infos.size(), 9U);
    for (std::size_t b = 0; b < 9; ++b) {
      EXPECT_TRUE(same_bits(infos[b], run_certified(members[b]))) << n << ' ' << b;
      EXPECT_EQ(infos[b].status, b == 2 || b == 5 ? Status::non_finite
                                 : b >= 7         ? Status::singular
                                                  : Status::success)
          << n << ' ' << b;
      EXPECT_EQ(infos[b].lower.is_nan(), b == 2 || b == 5);
      EXPECT_EQ(infos[b].upper.is_nan(), b == 2 || b == 5);
      EXPECT_EQ(infos[b].lower.is_zero(), b >= 7);
      EXPECT_EQ(infos[b].upper.is_zero(), b >= 7);
    }
  }
}

TYPED_TEST(CertifiedDeterminant, OfSmallMatricesIsExactWhereItCanBe) {
  using Real = TypeParam;
  HostMatrix<Real> fibonacci(2, 2);
  fibonacci.data = {832040, 1346269, 1346269, 2178309};  // det 1; exact in single precision too
  EXPECT_EQ(run_certified(fibonacci).lower.to(), -1);
  EXPECT_EQ(run_certified(fibonacci).upper.to(), -1);
  HostMatrix<Real> dependent(3, 3);
  dependent.data = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (Real& x : dependent.data) x /= 1024;  // no integers: zero is zero by exact cancellation
  EXPECT_EQ(run_certified(dependent).status, Status::singular);
}

/// lower and upper are one number or neighbours, and what is known of the determinant, in long
/// doubles or better, is between them.
template <class Real>
void expect_narrowest(CertifiedDeterminantInfo<Real> const& info, std::string const& what) {
  ASSERT_EQ(info.status, Status::success) << what;
  ScaledNumber<Real> const inner = info.lower.sign() > 0 ? info.lower : -info.upper;
  ScaledNumber<Real> const outer = info.lower.sign() > 0 ? info.upper : -info.lower;
  ScaledNumber<Real> const next(std::nextafter(inner.mantissa(), Real(2)), inner.exponent());
  EXPECT_TRUE(outer == inner || outer == next) << what;
  EXPECT_TRUE(info.value == info.lower || info.value == info.upper) << what;
}

TYPED_TEST(CertifiedDeterminant, UpToThreeIsEnclosedByTheNearestNumbers) {
  using Real = TypeParam;
  constexpr int most = std::numeric_limits<Real>::max_exponent - 4;
  Random random(8);
  for (int const n : {1, 2, 3})
    for (int const reach : {0, 20, most}) {
      std::vector<HostMatrix<Real>> members;
      for (int b = 0; b < 200; ++b) {
        auto A = random_matrix<Real>(n, 1000 + static_cast<std::uint64_t>(b));
        for (Real& x : A.data) x = std::ldexp(x, random.index(2 * reach + 1) - reach);
        members.push_back(A);
      }
      auto const infos = run_certified(members);
      for (std::size_t b = 0; b < members.size(); ++b) {
        std::string const what =
            std::to_string(n) + ", 2^±" + std::to_string(reach) + ", " + std::to_string(b);
        expect_narrowest(infos[b], what);
        if (!have_flint()) continue;
        HostMatrix<double> wide(n, n);
        std::copy(members[b].data.begin(), members[b].data.end(), wide.data.begin());
        auto const distance =
            flint_distances(wide, {binary(infos[b].lower), binary(infos[b].upper)});
        EXPECT_GE(distance[0], 0) << what;
        EXPECT_LE(distance[1], 0) << what;
        EXPECT_EQ(infos[b].lower == infos[b].upper, distance[0] == 0 || distance[1] == 0) << what;
      }
    }
}

/// What is left where the large terms cancel is far below them, or below their product's range.
TYPED_TEST(CertifiedDeterminant, UpToThreeIsExactWhereTermsCancel) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  Real const tiny = Limits::denorm_min(), huge = std::ldexp(Real(1), Limits::max_exponent - 1);
  HostMatrix<Real> A(3, 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A(i, j) = huge;
  EXPECT_EQ(run_certified(A).status, Status::singular);
  A(2, 2) = tiny;
  EXPECT_EQ(run_certified(A).status, Status::singular);
  A(1, 1) = tiny;  // huge·(huge - tiny)²
  auto const info = run_certified(A);
  expect_narrowest(info, "three huge ones");
  EXPECT_EQ(info.upper, ScaledNumber<Real>(Real(1), 3 * (Limits::max_exponent - 1)));
  EXPECT_LT(info.lower, info.upper);
  A(0, 0) = A(1, 0) = A(2, 0) = tiny;
  A(0, 1) = A(0, 2) = A(1, 2) = A(2, 1) = Real(0);
  A(1, 1) = A(2, 2) = tiny;
  auto const product = run_certified(A);  // tiny³
  EXPECT_EQ(product.lower, product.upper);
  EXPECT_EQ(product.lower,
            ScaledNumber<Real>(tiny) * ScaledNumber<Real>(tiny) * ScaledNumber<Real>(tiny));
}

/// The interval moves by exactly the powers of two that rows are multiplied by.
TYPED_TEST(CertifiedDeterminant, ScalesExactly) {
  using Real = TypeParam;
  for (int const n : {3, 20, 170}) {
    auto A = random_matrix<Real>(n, 5);
    auto const expected = run_certified(A);
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      int const e = 7 * i % 60 - 20;
      sum += e;
      for (int j = 0; j < n; ++j) A(i, j) = std::ldexp(A(i, j), e);
    }
    ScaledNumber<Real> const factor(Real(1), sum);
    auto const info = run_certified(A);
    EXPECT_EQ(info.lower, expected.lower * factor) << n;
    EXPECT_EQ(info.upper, expected.upper * factor) << n;
  }
}

/// A singular matrix without small integers is not certified, and bounded all the same.
TYPED_TEST(CertifiedDeterminant, OfSingularMatricesIsBounded) {
  using Real = TypeParam;
  for (int const n : {4, 30, 161}) {
    auto A = random_matrix<Real>(n, 6);
    for (int j = 0; j < n; ++j) A(n - 1, j) = A(0, j);
    auto const info = run_certified(A);
    EXPECT_EQ(info.status, Status::not_certified) << n;
    EXPECT_LT(info.lower.sign(), 0);
    EXPECT_GT(info.upper.sign(), 0);
    EXPECT_EQ(info.lower, -info.upper);
    // Hadamard's bound is some 10^12 times larger than what elimination proves.
    double hadamard = 0;
    for (int i = 0; i < n; ++i) {
      double square = 0;
      for (int j = 0; j < n; ++j) square += static_cast<double>(A(i, j)) * A(i, j);
      hadamard += std::log(square) / 2;
    }
    EXPECT_LT(info.upper.log_abs(), hadamard - 20) << n;
  }
}

TYPED_TEST(CertifiedDeterminant, WorkspacesCanBeUsedAgain) {
  using Real = TypeParam;
  Exec const exec;
  for (int const n : {3, 30, 165}) {
    auto workspace = carroll::certified_determinant_workspace<Real>(exec, {.batch = 1, .n = n});
    EXPECT_GT(workspace.bytes(), 0U);
    for (std::uint64_t const seed : {1, 2, 1}) {
      auto const matrix = random_matrix<Real>(n, seed);
      auto const A = guarded_from<Real, Right>(matrix);
      EXPECT_TRUE(same_bits(carroll::certified_determinant(exec, A.view(), workspace),
                            run_certified(matrix)));
    }
  }
}

}  // namespace
