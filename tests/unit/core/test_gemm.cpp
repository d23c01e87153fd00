// SPDX-License-Identifier: BSD-3-Clause
// The matrix product behind the solvers: extents around the tiles, transposes, cut sums, alpha and
// beta, the flag that skips; and the random numbers.
#include <gtest/gtest.h>

#include <array>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/random.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/random.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::detail::Gemm;
using carroll::detail::StridedMatrix;

template <class Real>
Kokkos::View<Real*, Memory> to_device(std::vector<Real>& host) {
  Kokkos::View<Real*, Memory> device("carroll_test::matrix", host.size());
  carroll::test::deep_copy(device, Kokkos::View<Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                       host.data(), host.size()));
  return device;
}

/// Entry (i, j) at data[i + j·rows], or, turned, at data[i·cols + j].
template <class T>
StridedMatrix<T> matrix(T* data, int rows, int cols, bool turned) {
  if (turned) return {data, cols, 1};
  return {data, 1, rows};
}

template <class Real>
void check(int m, int n, int k, int turned, Real alpha, Real beta, bool with_partial) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " turned " +
               std::to_string(turned));
  Random random(11);
  auto const fill = [&](int rows, int cols) {
    std::vector<Real> x(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    for (Real& entry : x) entry = static_cast<Real>(random.symmetric());
    return x;
  };
  std::vector<Real> a = fill(m, k), b = fill(k, n), c = fill(m, n);
  auto const device_a = to_device(a), device_b = to_device(b), device_c = to_device(c);
  Kokkos::View<Real*, Memory> const partial(
      "carroll_test::partial",
      static_cast<std::size_t>(carroll::detail::gemm_partial_size<Exec, Real>(m, n, k)));
  bool const turn_a = turned & 1, turn_b = turned & 2, turn_c = turned & 4;
  Exec const exec;
  Gemm<Real> gemm{m,
                  n,
                  k,
                  alpha,
                  matrix<Real const>(device_a.data(), m, k, turn_a),
                  matrix<Real const>(device_b.data(), k, n, turn_b),
                  beta,
                  matrix<Real>(device_c.data(), m, n, turn_c)};
  carroll::detail::enqueue_gemm("carroll_test::gemm", exec, gemm,
                                with_partial ? partial.data() : nullptr);
  exec.fence("carroll_test: multiplied");
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, device_c);
  auto const A = matrix<Real const>(a.data(), m, k, turn_a);
  auto const B = matrix<Real const>(b.data(), k, n, turn_b);
  auto const C = matrix<Real const>(c.data(), m, n, turn_c);
  auto const R = matrix<Real const>(result.data(), m, n, turn_c);
  double worst = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      long double sum = 0;
      for (int p = 0; p < k; ++p) sum += static_cast<long double>(A(i, p)) * B(p, j);
      long double const expected = alpha * sum + (beta == Real(0) ? 0 : beta * C(i, j));
      worst = std::max(worst, std::abs(static_cast<double>(expected - R(i, j))));
    }
  EXPECT_LE(worst, 4 * (k + 2) * epsilon<Real>);
}

template <class Real>
class TruncatedGemmTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TruncatedGemmTest, Reals);

TYPED_TEST(TruncatedGemmTest, ExtentsAroundTheTiles) {
  for (auto [m, n, k] : {std::array{1, 1, 1},
                         {3, 2, 0},
                         {64, 64, 16},
                         {63, 65, 17},
                         {65, 31, 15},
                         {64, 32, 33},
                         {129, 33, 130},
                         {10, 10, 1000},
                         {200, 10, 257},
                         {7, 130, 64},
                         {200, 130, 8300}})
    for (bool with_partial : {false, true}) check<TypeParam>(m, n, k, 0, 1, 0, with_partial);
}

TYPED_TEST(TruncatedGemmTest, EveryTranspose) {
  for (int turned = 0; turned < 8; ++turned) {
    check<TypeParam>(70, 45, 300, turned, 1, 0, true);
    check<TypeParam>(70, 20, 300, turned, TypeParam(-0.5), 2, true);
    check<TypeParam>(130, 70, 40, turned, TypeParam(1.5), TypeParam(-1), false);
  }
}

/// With beta = 0 what C holds does not matter, not even a NaN.
TYPED_TEST(TruncatedGemmTest, OutputIsNotReadWithoutBeta) {
  Kokkos::View<TypeParam*, Memory> const a("carroll_test::a", 4), c("carroll_test::c", 4);
  carroll::test::deep_copy(a, TypeParam(1));
  carroll::test::deep_copy(c, std::numeric_limits<TypeParam>::quiet_NaN());
  Gemm<TypeParam> const gemm{2, 2, 2, 1, {a.data(), 1, 2}, {a.data(), 1, 2}, 0, {c.data(), 1, 2}};
  carroll::detail::enqueue_gemm("carroll_test::gemm", Exec{}, gemm);
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(result(i), TypeParam(2));
}

TYPED_TEST(TruncatedGemmTest, SkippedOnRequest) {
  Kokkos::View<TypeParam*, Memory> const a("carroll_test::a", 4096), c("carroll_test::c", 1),
      partial("carroll_test::partial", 64);
  Kokkos::View<int, Memory> const skip("carroll_test::skip");
  carroll::test::deep_copy(a, TypeParam(1));
  for (int flag : {1, 0}) {
    carroll::test::deep_copy(skip, flag);
    Gemm<TypeParam> const gemm{
        1, 1, 4096, 1, {a.data(), 1, 1}, {a.data(), 1, 1}, 0, {c.data(), 1, 1}, skip.data()};
    ASSERT_LE((carroll::detail::gemm_partial_size<Exec, TypeParam>(1, 1, 4096)), 64);
    carroll::detail::enqueue_gemm("carroll_test::gemm", Exec{}, gemm, partial.data());
    auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
    EXPECT_EQ(result(0), flag ? TypeParam(0) : TypeParam(4096));
  }
}

/// Known answers of Philox4x32-10, from the tests of its authors' Random123 library.
TEST(Random123, KnownAnswers) {
  using carroll::detail::philox;
  auto const expect = [](auto const& got, std::array<std::uint32_t, 4> const& wanted) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(got[i], wanted[static_cast<std::size_t>(i)]);
  };
  expect(philox(0, {0, 0, 0, 0}), {0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U});
  constexpr std::uint32_t ones = 0xffffffffU;
  expect(philox(~std::uint64_t{0}, {ones, ones, ones, ones}),
         {0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU});
  expect(philox(0x299f31d0a4093822U, {0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}),
         {0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U});
}

TYPED_TEST(TruncatedGemmTest, RandomNumbersAreNormal) {
  int const count = 20000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < count; ++i) {
    double const x = static_cast<double>(
        carroll::detail::random_normal<TypeParam>(5, 1, static_cast<std::uint64_t>(i)));
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  double const four_sigma = 4 / std::sqrt(double(count));
  EXPECT_NEAR(sum / count, 0, four_sigma);
  EXPECT_NEAR(squares / count, 1, four_sigma * std::sqrt(2.0));
  EXPECT_NEAR(fourth / count, 3, four_sigma * std::sqrt(96.0));
}

}  // namespace
