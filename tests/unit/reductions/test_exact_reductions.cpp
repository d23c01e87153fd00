// SPDX-License-Identifier: BSD-3-Clause
// How far sums are from what they should be: exact ones not at all, others as far as they say; and
// what they say of numbers that are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/tolerance.hpp"
#include "unit/reductions/drawn_vectors.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;
using carroll::Summation;

template <class T>
class ReductionErrors : public ::testing::Test {};
TYPED_TEST_SUITE(ReductionErrors, ReductionScalars);

/// Of vectors on the host.
template <Reduction R, class T>
auto of(std::vector<T> const& x, std::vector<T> const& y, Summation summation,
        bool conjugate = true) {
  int const n = static_cast<int>(x.size());
  PlacedVectors<T> const xs({x}, Placement::rows(n)), ys({y}, Placement::rows(n));
  return reduced<R>(Exec(), xs.member(0), ys.member(0), summation, conjugate);
}

TYPED_TEST(ReductionErrors, ExactOnesAreTheNearestNumbers) {
  using T = TypeParam;
  if (!have_mpfr()) GTEST_SKIP() << "without MPFR";
  for (int const n : {0, 1, 2, 3, 31, 33, 64, 127, 512, 1023, 1024, 1025, 2049, 5000, 33000})
    for (int k = 0; k < int(vector_kinds.size()); ++k) {
      if (n > 4000 && k % 6 != n / 1000 % 6) continue;
      for (std::uint64_t seed = 0; seed < (n < 200 ? 4 : 1); ++seed) {
        SCOPED_TRACE(std::to_string(n) + " " +
                     std::string(vector_kinds[static_cast<std::size_t>(k)]) + " " +
                     std::to_string(seed));
        DrawnVectors<T> const drawn(static_cast<VectorKind>(k), n, 10 + seed);
        for_each_reduction([&](auto chosen) {
          SCOPED_TRACE(name_of(chosen()));
          bool const conjugate = (n + k) % 2 == 0;
          expect_same(of<chosen(), T>(drawn.x, drawn.y, Summation::exact, conjugate),
                      HostReduction<chosen(), T>(drawn.x, drawn.y, conjugate).exact());
        });
      }
    }
}

// Against what everyone can work out.
TYPED_TEST(ReductionErrors, ExactSumsThatAreKnown) {
  using T = TypeParam;
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  constexpr Real tiny = Limits::denorm_min(), most = Limits::max(), eps = Limits::epsilon();
  auto const check = [&](std::vector<Real> const& terms, Real sum, Status status) {
    std::vector<T> const x(terms.begin(), terms.end());
    auto const info = of<Reduction::sum, T>(x, x, Summation::exact);
    expect_same(info, {status, T(sum)});
  };
  check({1, tiny, -1}, tiny, Status::success);
  check({most, most, -most}, most, Status::success);
  check({most, most, -most, -most, 3 * tiny}, 3 * tiny, Status::success);
  check({most, most}, Limits::infinity(), Status::overflow);
  check({-most, -most}, -Limits::infinity(), Status::overflow);
  // Half a unit above the largest number is the next one, which is not there; below it is not.
  Real const half_unit = std::ldexp(eps, Limits::max_exponent - 2);
  check({most, half_unit}, Limits::infinity(), Status::overflow);
  check({most, half_unit, -tiny}, most, Status::success);
  // Of two that are equally near the even one.
  check({1, eps / 2}, 1, Status::success);
  check({1, eps / 2, tiny}, 1 + eps, Status::success);
  check({1 + eps, eps / 2}, 1 + 2 * eps, Status::success);
  check({1 + eps, eps / 2, -tiny}, 1 + eps, Status::success);
  check({Limits::min(), -tiny}, Limits::min() - tiny, Status::success);
  check({Real(-0.0), Real(-0.0)}, 0, Status::success);
}

// Where TwoSum overflows and the sum does not.
TYPED_TEST(ReductionErrors, CompensatedSumsNextToTheLargestNumber) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  auto const unit = std::ldexp(Limits::epsilon(), Limits::max_exponent - 1);
  std::vector<T> x(1500, T(0));
  for (std::size_t const second : {64U, 1400U}) {  // of the same lane, and of another chunk
    x.assign(x.size(), T(0));
    x[0] = T(unit * RealOf<T>(-1.5));
    x[second] = T(Limits::max());
    expect_same(of<Reduction::sum, T>(x, x, Summation::compensated),
                {Status::success, T(Limits::max() - unit)});
  }
}

TYPED_TEST(ReductionErrors, ExactProductsThatAreKnown) {
  using T = TypeParam;
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  constexpr Real tiny = Limits::denorm_min(), most = Limits::max();
  auto const check = [&](std::vector<Real> const& as, std::vector<Real> const& bs, Real sum,
                         Status status) {
    std::vector<T> const x(as.begin(), as.end()), y(bs.begin(), bs.end());
    expect_same(of<Reduction::dot, T>(x, y, Summation::exact), {status, T(sum)});
  };
  check({most, most, 1}, {most, -most, tiny}, tiny, Status::success);
  check({most}, {most}, Limits::infinity(), Status::overflow);
  check({tiny, 1, -1}, {tiny, tiny, tiny}, 0, Status::success);
  check({tiny}, {-tiny}, 0, Status::success);
  // Half of the smallest number, and a little more.
  check({tiny, 0}, {Real(0.5), 0}, 0, Status::success);
  check({tiny, tiny}, {Real(0.5), tiny}, tiny, Status::success);
  check({Real(1) + Limits::epsilon(), -1}, {Real(1) - Limits::epsilon() / 2, 1},
        Limits::epsilon() / 2 - Limits::epsilon() * Limits::epsilon() / 2, Status::success);
}

/// Errors of the canonical and the compensated tree are within what they promise.
TYPED_TEST(ReductionErrors, AreWithinTheirBounds) {
  using T = TypeParam;
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  if (!have_mpfr()) GTEST_SKIP() << "without MPFR";
  for (int const n : {1, 2, 33, 1024, 3000, 20000})
    for (VectorKind const kind : {VectorKind::uniform, VectorKind::graded, VectorKind::cancelling,
                                  VectorKind::subnormal, VectorKind::equal}) {
      if (n > 10000 && kind != VectorKind::graded) continue;
      SCOPED_TRACE(std::to_string(n) + " " + std::string(name_of(kind)));
      DrawnVectors<T> const drawn(kind, n, 20);
      for_each_reduction([&](auto chosen) {
        constexpr Reduction R = chosen();
        if constexpr (R == Reduction::max_abs) return;
        HostReduction<R, T> const host(drawn.x, drawn.y);
        for (Summation const summation : {Summation::canonical, Summation::compensated}) {
          SCOPED_TRACE(std::string(name_of(R)) + " " + name_of(summation));
          auto const info = of<R, T>(drawn.x, drawn.y, summation);
          if (info.status != Status::success) continue;
          auto const values = parts_of(info.value);
          for (std::size_t s = 0; s < values.size(); ++s) {
            auto const terms = host.terms(static_cast<int>(s));
            auto const count = static_cast<double>(terms.size());
            long double allowed = 4 * count * static_cast<long double>(Limits::denorm_min());
            SumDistance found;
            if constexpr (R == Reduction::norm2) {
              found = distance_to_root(values[s], terms);
              allowed = 2 * Limits::denorm_min();
              found.magnitude = found.sum;  // all terms are positive
            } else {
              found = distance_to_sum(values[s], terms);
            }
            if (summation == Summation::canonical)
              allowed += canonical_sum_tolerance<Real>(count) * found.magnitude;
            else
              allowed += (R == Reduction::norm2 ? 1.01 : 0.5) * epsilon<Real> * found.sum +
                         compensated_sum_tolerance<Real>(count) * found.magnitude;
            EXPECT_LE(found.error, allowed) << text_of(info);
          }
        }
      });
    }
}

// 3·2^k and 4·2^k, in one chunk or in two, at both ends of the range.
TYPED_TEST(ReductionErrors, NormsOfAllMagnitudes) {
  using T = TypeParam;
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  std::vector<int> exponents;
  for (int k = Limits::min_exponent - Limits::digits; k < Limits::max_exponent - 2; k += 13)
    exponents.push_back(k);
  exponents.push_back(Limits::max_exponent - 3);
  for (int const k : exponents)
    for (int const n : {2, 1024, 3000})
      for (Summation const summation : all_summations) {
        SCOPED_TRACE(std::to_string(k) + " " + std::to_string(n) + " " + name_of(summation));
        std::vector<T> x(static_cast<std::size_t>(n), T(0));
        x.front() = T(std::ldexp(Real(-3), k));
        x.back() = T(std::ldexp(Real(4), k));
        expect_same(of<Reduction::norm2, T>(x, x, summation),
                    {Status::success, std::ldexp(Real(5), k)});
      }
  for (Summation const summation : all_summations) {
    SCOPED_TRACE(name_of(summation));
    // As many as it takes for the squares, and then for the root, to leave the range.
    std::vector<T> x(4096, T(Limits::max() / 128));
    expect_same(of<Reduction::norm2, T>(x, x, summation), {Status::success, Limits::max() / 2});
    std::fill(x.begin(), x.end(), T(Limits::max() / 32));
    expect_same(of<Reduction::norm2, T>(x, x, summation), {Status::overflow, Limits::infinity()});
    std::fill(x.begin(), x.end(), T(Limits::denorm_min()));
    expect_same(of<Reduction::norm2, T>(x, x, summation),
                {Status::success, 64 * Limits::denorm_min()});
    x[3000] = T(Limits::max());
    expect_same(of<Reduction::norm2, T>(x, x, summation), {Status::success, Limits::max()});
  }
}

TYPED_TEST(ReductionErrors, OfWhatIsNoNumber) {
  using T = TypeParam;
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  constexpr Real nan = Limits::quiet_NaN(), inf = Limits::infinity(), most = Limits::max();
  for (Summation const summation : all_summations)
    for (int const n : {2, 1500}) {
      SCOPED_TRACE(std::string(name_of(summation)) + " " + std::to_string(n));
      auto const pair = [&](Real a, Real b) {
        std::vector<T> x(static_cast<std::size_t>(n), T(0));
        x.front() = T(a);
        x.back() = T(b);
        return x;
      };
      std::vector<T> const ones = pair(1, 1);
      auto const sum = [&](Real a, Real b) {
        return of<Reduction::sum, T>(pair(a, b), ones, summation);
      };
      auto const bad = Status::non_finite;
      expect_same(sum(nan, 1), {bad, T(nan)});
      expect_same(sum(-nan, inf), {bad, T(nan)});
      expect_same(sum(inf, 1), {bad, T(inf)});
      expect_same(sum(-inf, -inf), {bad, T(-inf)});
      expect_same(sum(inf, -inf), {bad, T(nan)});
      expect_same(sum(most, most),
                  {summation == Summation::exact ? Status::overflow : bad, T(inf)});
      auto const real = [&](auto chosen, Real a, Real b, Real value) {
        expect_same(of<chosen(), T>(pair(a, b), ones, summation), {bad, value});
      };
      for_each_reduction([&](auto chosen) {
        if constexpr (chosen() == Reduction::asum || chosen() == Reduction::norm2 ||
                      chosen() == Reduction::max_abs) {
          real(chosen, -inf, 3, inf);
          real(chosen, nan, inf, nan);
          real(chosen, inf, nan, nan);
        }
      });
      auto const dot = [&](Real a, Real b) {
        return of<Reduction::dot, T>(pair(a, 1), pair(b, 1), summation, false);
      };
      auto const re = [](T const& value) { return parts_of(value)[0]; };
      EXPECT_EQ(dot(inf, 0).status, bad);
      EXPECT_TRUE(std::isnan(re(dot(inf, 0).value)));
      EXPECT_TRUE(std::isnan(re(dot(nan, 0).value)));
      EXPECT_EQ(re(dot(inf, -2).value), -inf);
      EXPECT_EQ(re(dot(most, most).value), inf);
      EXPECT_EQ(dot(most, most).status, summation == Summation::exact ? Status::overflow : bad);
    }
}

}  // namespace
