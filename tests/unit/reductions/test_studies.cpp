// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/reduction_study.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "support/copy.hpp"

namespace carroll::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
constexpr SumStrategy sum_strategies[] = {SumStrategy::one_collects, SumStrategy::tree,
                                          SumStrategy::tree_to_all};
constexpr DotStrategy dot_strategies[] = {DotStrategy::naive, DotStrategy::divergent,
                                          DotStrategy::conflict_free};
constexpr std::int64_t lengths[] = {0, 1, 2, 3, 255, 256, 257, 1023, 1025, 65536, 70001};

template <class T>
class Studies : public ::testing::Test {
 protected:
  using Vector = Kokkos::View<T*, Exec>;

  /// Entries are halves of odd numbers, times `unit`.
  static Vector vector(std::int64_t length, int seed, T unit = 1) {
    Vector const x("x", static_cast<std::size_t>(length));
    auto const host = Kokkos::create_mirror_view(x);
    for (std::int64_t i = 0; i < length; ++i) host(i) = entry(i, seed) * unit;
    carroll::test::deep_copy(x, host);
    return x;
  }
  static T entry(std::int64_t i, int seed) { return T((i * 7 + seed) % 9 - 4) + T(1) / T(2); }
};
using StudyScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Studies, StudyScalars);

/// Sums of such numbers are exact in any order.
TYPED_TEST(Studies, SumsOfHalvesAreExact) {
  using T = TypeParam;
  for (std::int64_t const length : lengths) {
    T expected = 0;
    for (std::int64_t i = 0; i < length; ++i) expected += this->entry(i, 3);
    auto const x = this->vector(length, 3);
    for (SumStrategy const strategy : sum_strategies)
      EXPECT_EQ(sum_by(Exec(), x, strategy), expected)
          << length << " numbers, strategy " << int(strategy);
  }
}

TYPED_TEST(Studies, InnerProductsOfHalvesAreExact) {
  using T = TypeParam;
  for (std::int64_t const length : lengths) {
    T expected = 0;
    for (std::int64_t i = 0; i < length; ++i) expected += this->entry(i, 3) * this->entry(i, 5);
    auto const x = this->vector(length, 3), y = this->vector(length, 5);
    for (DotStrategy const strategy : dot_strategies)
      EXPECT_EQ(dot_by(Exec(), x, y, strategy), expected)
          << length << " numbers, strategy " << int(strategy);
  }
}

TYPED_TEST(Studies, OthersHaveRoundingErrors) {
  using T = TypeParam;
  constexpr std::int64_t length = 20011;
  T const unit = T(0.1L);
  long double sum = 0, product = 0, terms = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    auto const x = static_cast<long double>(T(this->entry(i, 1) * unit));
    auto const y = static_cast<long double>(T(this->entry(i, 6) * unit));
    sum += x;
    product += x * y;
    terms += std::abs(x * y);
  }
  long double const eps = std::numeric_limits<T>::epsilon();
  auto const x = this->vector(length, 1, unit), y = this->vector(length, 6, unit);
  for (SumStrategy const strategy : sum_strategies)
    EXPECT_NEAR(double(sum_by(Exec(), x, strategy)), double(sum),
                double(length * length * eps / 4));
  for (DotStrategy const strategy : dot_strategies)
    EXPECT_NEAR(double(dot_by(Exec(), x, y, strategy)), double(product),
                double(length * eps * terms));
}

TYPED_TEST(Studies, VectorsMayHaveStrides) {
  using T = TypeParam;
  constexpr std::size_t length = 1000;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const rows("rows", length, 3);
  carroll::test::deep_copy(rows, T(100));
  auto const x = Kokkos::subview(rows, Kokkos::ALL, 0), y = Kokkos::subview(rows, Kokkos::ALL, 1);
  carroll::test::deep_copy(x, T(2));
  carroll::test::deep_copy(y, T(3));
  for (SumStrategy const strategy : sum_strategies) EXPECT_EQ(sum_by(Exec(), x, strategy), T(2000));
  for (DotStrategy const strategy : dot_strategies)
    EXPECT_EQ(dot_by(Exec(), x, y, strategy), T(6000));
}

/// What a call leaves behind does not get into the next.
TYPED_TEST(Studies, MemoryServesManyCalls) {
  using T = TypeParam;
  constexpr std::int64_t length = 5000;
  auto const ones = this->vector(length, 0), x = this->vector(length, 2);
  carroll::test::deep_copy(ones, T(1));
  for (SumStrategy const strategy : sum_strategies) {
    ReductionStudy<Exec, T, SumStrategy> const study(Exec(), length, strategy);
    T const first = study.sum(Exec(), x);
    EXPECT_EQ(study.sum(Exec(), ones), T(length));
    EXPECT_EQ(study.sum(Exec(), x), first);
  }
  for (DotStrategy const strategy : dot_strategies) {
    ReductionStudy<Exec, T, DotStrategy> const study(Exec(), length, strategy);
    T const first = study.dot(Exec(), x, x);
    EXPECT_EQ(study.dot(Exec(), ones, ones), T(length));
    EXPECT_EQ(study.dot(Exec(), x, x), first);
  }
}

TYPED_TEST(Studies, MisuseThrows) {
  auto const x = this->vector(10, 0), y = this->vector(11, 0);
  EXPECT_THROW((void)sum_by(Exec(), x, static_cast<SumStrategy>(7)), std::invalid_argument);
  EXPECT_THROW((void)dot_by(Exec(), x, x, static_cast<DotStrategy>(-1)), std::invalid_argument);
  EXPECT_THROW((void)dot_by(Exec(), x, y, DotStrategy::naive), std::invalid_argument);
}

}  // namespace
}  // namespace carroll::test
