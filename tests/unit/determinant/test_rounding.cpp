// SPDX-License-Identifier: BSD-3-Clause
// What proofs about determinants are made of: rounded numbers, intervals, exact sums.
#include <gtest/gtest.h>

#include <carroll/certified_determinant.hpp>
#include <cmath>
#include <limits>

#include "support/random.hpp"

namespace {

using carroll::ScaledNumber;
using carroll::Status;
using carroll::detail::DoubleWord;
using carroll::test::Random;

TEST(Rounding, NextNumbers) {
  using carroll::detail::next_down;
  using carroll::detail::next_up;
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (double const x :
       {1.0, -1.0, 0.75, 2.0, 0.0, 1e300, -5e-324, 5e-324, 2.2250738585072014e-308}) {
    EXPECT_EQ(next_up(x), std::nextafter(x, inf)) << x;
    EXPECT_EQ(next_down(x), std::nextafter(x, -inf)) << x;
  }
  EXPECT_EQ(next_up(1.0F), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(carroll::detail::round_up<float>(1 + 0x1p-40), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(carroll::detail::round_up<float>(-1 - 0x1p-40), -1.0F);
  EXPECT_EQ(carroll::detail::round_up<float>(0.5), 0.5F);
}

TEST(Rounding, SumsFromAbove) {
  using carroll::detail::sum_above;
  EXPECT_EQ(sum_above({1.0, 0.0}, 0), 1);
  EXPECT_EQ(sum_above({1.0, 0x1p-80}, 0), 1 + 0x1p-52);
  EXPECT_EQ(sum_above({1.0, -0x1p-80}, 0), 1);
  EXPECT_EQ(sum_above({1.0, -0x1p-80}, 0x1p-79), 1 + 0x1p-52);
  EXPECT_EQ(sum_above({-1.0, 0x1p-80}, 0), -1 + 0x1p-53);
}

/// Against long doubles, whose rounding errors are far smaller than what is tested.
TEST(Rounding, IntervalsContainAllNumbersWithinTheRadius) {
  Random random(1);
  for (int k = 0; k < 2000; ++k) {
    double const high = std::ldexp(random.symmetric(), random.index(60) - 30);
    auto const x = DoubleWord<double>::sum(high, high * 0x1p-54 * random.symmetric());
    double const radius =
        k % 3 == 0 ? 0 : std::ldexp(random.uniform(), random.index(80) - 70) * std::abs(high);
    auto const info = carroll::detail::enclose<double>(x, radius, 7, false);
    long double const middle = std::ldexp(static_cast<long double>(x.high) + x.low, 7);
    long double const reach = std::ldexp(static_cast<long double>(radius), 7);
    long double const least = std::abs(middle) * 0x1p-60L;
    EXPECT_LE(info.lower.to(), middle - reach + least);
    EXPECT_GE(info.upper.to(), middle + reach - least);
    EXPECT_LE(info.upper.to() - info.lower.to(), 2 * reach + (std::abs(middle) + reach) * 0x1p-49L);
    EXPECT_EQ(info.status == Status::success, info.lower.to() * info.upper.to() > 0);
    auto const single = carroll::detail::enclose<float>(x, radius, 7, false);
    EXPECT_LE(single.lower.to<double>(), info.lower.to());
    EXPECT_GE(single.upper.to<double>(), info.upper.to());
  }
}

TEST(Rounding, IntegersWithinAnInterval) {
  using carroll::detail::enclose;
  auto const one = enclose<double>({7.3}, 0.4, 0, true);
  EXPECT_EQ(one.lower.to(), 7);
  EXPECT_EQ(one.upper.to(), 7);
  auto const zero = enclose<double>({0.0}, 0.75, 0, true);
  EXPECT_EQ(zero.status, Status::singular);
  EXPECT_TRUE(zero.lower.is_zero() && zero.upper.is_zero() && zero.value.is_zero());
  EXPECT_EQ(enclose<double>({0.0}, 1.0, 0, true).status, Status::not_certified);
  EXPECT_EQ(enclose<double>({0.0}, 0.75, 0, false).status, Status::not_certified);
  // Too large to be an integer of its own in single precision.
  auto const large = enclose<float>({16777217.0}, 0.25, 0, true);
  EXPECT_EQ(large.lower.to(), 16777216.0F);
  EXPECT_EQ(large.upper.to(), 16777218.0F);
}

TEST(Splitting, HeadsAndTailsAreTheNumber) {
  using namespace carroll::detail;
  Random random(2);
  for (int const n : {4, 40, 1000, 4096, 4097}) {
    int const bits = head_bits(n);
    EXPECT_LE(2 * bits + std::ceil(std::log2(n)), 53);
    EXPECT_GE(2 * bits + std::log2(n), 51);
    double const unit = head_unit(3.5, bits);
    EXPECT_EQ(unit, std::ldexp(4.0, -bits));
    for (int k = 0; k < 100; ++k) {
      double const x = 3.5 * random.symmetric();
      double const head = head_of(x, unit);
      EXPECT_EQ(std::fmod(head, unit), 0);
      EXPECT_LE(std::abs(x - head), unit / 2);
    }
  }
  EXPECT_TRUE(std::isnan(head_unit(std::numeric_limits<double>::infinity(), 20)));
  EXPECT_TRUE(std::isnan(head_unit(std::numeric_limits<double>::quiet_NaN(), 20)));
}
TEST(ExactSums, OfPartsThatOverlapAndCancel) {
  using carroll::detail::ExactSummation;
  auto const of = [](double a, double b, double c, double d) {
    double part[] = {a, b, c, d};
    auto const sum = ExactSummation<4, double>::of(part);
    carroll::detail::LongDouble far[] = {{a, 5000}, {b, 5000}, {c, 5000}, {d, 5000}};
    auto const same = ExactSummation<4, carroll::detail::LongDouble>::of(far);
    EXPECT_EQ(ScaledNumber<double>(same.top, same.exponent),
              ScaledNumber<double>(sum.top, sum.top == 0 ? 0 : 5000));
    EXPECT_EQ(same.rest, sum.rest);
    return sum;
  };
  EXPECT_EQ(of(1, -1, 2, -2).top, 0);
  EXPECT_EQ(of(1, 0x1p-100, -1, 0).top, 0x1p-100);
  EXPECT_EQ(of(1, 0x1p-100, -1, 0).rest, 0);
  EXPECT_EQ(of(0x1p-1000, 1, 0x1p-60, 0).rest, 1);
  EXPECT_EQ(of(-0x1p-1000, 1, 0, 0).rest, -1);
  // Half a unit, and then more or less: the number next to it, and on which side it is.
  EXPECT_EQ(of(0x1p-53, 1, 0, 0).top, 1);
  EXPECT_EQ(of(0x1p-53, 1, 0x1p-900, 0).top, 1 + 0x1p-52);
  EXPECT_EQ(of(0x1p-53, 1, 0x1p-900, 0).rest, -1);
  EXPECT_EQ(of(0x1p-53, 1, -0x1p-900, 0).top, 1);
  EXPECT_EQ(of(0x1p-53, 1, -0x1p-900, 0).rest, 1);
  EXPECT_EQ(of(-0x1p-54, 1, -0x1p-900, 0).top, 1 - 0x1p-53);
  EXPECT_EQ(of(-0x1p-54, 1, -0x1p-900, 0).rest, 1);
}

}  // namespace
