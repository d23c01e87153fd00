// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/eigh/divided/launch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/host_matrix.hpp"
#include "support/random.hpp"
#include "support/tolerance.hpp"

/// The last part of `divided`, V = Q·S from reflectors and S, in registers of warps, whose lanes
/// take turns on the host, and by teams.
namespace {

using namespace carroll::test;
using carroll::detail::DividedShape;
using carroll::detail::DividedStorage;
using carroll::detail::EighBatch;
using carroll::detail::EmulatedSpace;

/// Matrices of one order, of which reflectors and S are there.
template <class Real>
struct BackProblem {
  int count, n;
  std::int64_t distance;
  std::vector<Real> reals, V, W;
  std::vector<carroll::EighInfo<Real>> infos;
  EighBatch<Real> batch{};

  BackProblem(int members, int order, std::ptrdiff_t down, std::ptrdiff_t across)
      : count(members),
        n(order),
        distance(DividedStorage<Real>::reals_of(order)),
        reals(static_cast<std::size_t>(members * distance) + 128, nan()),
        V(static_cast<std::size_t>(members) * static_cast<std::size_t>(order) *
              static_cast<std::size_t>(order),
          nan()),
        infos(static_cast<std::size_t>(members)) {
    void* room = reals.data();
    std::size_t bytes = reals.size() * sizeof(Real);
    batch.reals = static_cast<Real*>(std::align(128, bytes - 128, room, bytes));
    batch.distance = distance;
    batch.infos = infos.data();
    batch.info_stride = 1;
    batch.a.extents = batch.v.extents = {count, n, n};
    batch.v.data = V.data();
    batch.v.strides = {std::int64_t{n} * n, down, across};
    Random random(31);
    for (int b = 0; b < count; ++b) fill(random, DividedStorage<Real>(batch(b)), b == 1);
  }

  /// Random reflectors, one of them the identity, and random columns, of which one is zero; above
  /// the reflectors A is not to be looked at.
  void fill(Random& random, DividedStorage<Real> const& at, bool finite_not) {
    using Storage = DividedStorage<Real>;
    at.message[Storage::is_finite] = finite_not ? 0 : 1;
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i) {
        at.A(i, k) = i <= k ? nan() : i == k + 1 ? Real(1) : static_cast<Real>(random.normal());
        at.S(i, k) = k == 3 ? Real(0) : static_cast<Real>(random.normal());
      }
    for (int k = 0; k + 1 < n; ++k) {
      double square = 0;
      for (int i = k + 1; i < n; ++i) square += double(at.A(i, k)) * double(at.A(i, k));
      at.tau[k] = k == 5 ? Real(0) : static_cast<Real>(2 / square);
    }
  }

  static Real nan() { return std::numeric_limits<Real>::quiet_NaN(); }
};

/// Column j of Q·S, its largest entry positive.
template <class Real>
std::vector<long double> expected_column(DividedStorage<Real> const& at, int j) {
  std::vector<long double> x(at.S.col(j), at.S.col(j) + at.n);
  for (int k = at.n - 2; k >= 0; --k) {
    long double sum = 0;
    for (int i = k + 1; i < at.n; ++i)
      sum += static_cast<long double>(at.A(i, k)) * x[std::size_t(i)];
    for (int i = k + 1; i < at.n; ++i) x[std::size_t(i)] -= at.tau[k] * sum * at.A(i, k);
  }
  auto const largest = std::ranges::max_element(
      x, [](long double a, long double b) { return std::abs(a) < std::abs(b); });
  if (largest != x.end() && *largest < 0)
    for (auto& entry : x) entry = -entry;
  return x;
}

/// "" or what is wrong with V.
template <class Real>
void expect_products(BackProblem<Real> const& expected, BackProblem<Real> const& found) {
  int const n = found.n;
  for (int b = 0; b < found.count; ++b) {
    DividedStorage<Real> const at(expected.batch(b));
    auto const v = found.batch(b).v;
    for (int j = 0; j < n; ++j) {
      if (b == 1) {
        EXPECT_TRUE(std::isnan(v(0, j)));
        continue;
      }
      auto const x = expected_column(at, j);
      long double norm = 0, error = 0;
      for (int i = 0; i < n; ++i) {
        norm += x[std::size_t(i)] * x[std::size_t(i)];
        long double const difference = n == 1 ? v(i, j) - 1 : v(i, j) - x[std::size_t(i)];
        error += difference * difference;
      }
      EXPECT_LE(std::sqrt(error), std::sqrt(norm) * n * epsilon<Real>) << n << ' ' << b << ' ' << j;
    }
  }
}

template <class Real>
class EmulatedBack : public ::testing::Test {};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(EmulatedBack, Scalars);

TYPED_TEST(EmulatedBack, ByWarpsAndByTeams) {
  for (int const n : {1, 2, 3, 31, 32, 33, 63, 64, 65, 129, 260}) {
    int const count = n < 60 ? 3 : 1;
    BackProblem<TypeParam> const expected(count, n, 1, n);
    BackProblem<TypeParam> by_warps(count, n, 1, n);
    carroll::detail::enqueue_divided_back(EmulatedSpace{}, by_warps.batch, count, n);
    expect_products(expected, by_warps);
    BackProblem<TypeParam> by_teams(count, n, 1, n);
    Kokkos::DefaultHostExecutionSpace const host;
    carroll::detail::enqueue_divided_back(host, by_teams.batch, count, n);
    host.fence();
    expect_products(expected, by_teams);
  }
}

/// However many rows a warp has room for, columns it has and warps there are, and in which order V
/// is in memory.
TYPED_TEST(EmulatedBack, SameBitsFromEveryShape) {
  for (int const n : {2, 33, 64}) {
    BackProblem<TypeParam> by_columns(2, n, 1, n), by_rows(2, n, n, 1), alone(1, n, 1, n);
    carroll::detail::enqueue_divided_back(EmulatedSpace{}, by_columns.batch, 2, n);
    carroll::detail::enqueue_divided_back_warps<DividedShape<32, 4, 2, 1, 1, 1>>(
        EmulatedSpace{.processors = 100}, by_rows.batch, 2, n);
    carroll::detail::enqueue_divided_back_warps<DividedShape<8, 2, 4, 8, 1, 1>>(
        EmulatedSpace{.processors = 1, .resident = 3}, alone.batch, 1, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        TypeParam const x = by_columns.batch(0).v(i, j);
        EXPECT_EQ(by_rows.batch(0).v(i, j), x);
        EXPECT_EQ(alone.batch(0).v(i, j), x);
      }
  }
}

}  // namespace
