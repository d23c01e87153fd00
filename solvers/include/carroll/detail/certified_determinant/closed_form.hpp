// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/certified_determinant/exact_sum.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>

namespace carroll::detail {

/// Orders up to 3, a thread per matrix: the terms of Leibniz' formula as sums of two or four
/// numbers without error, and the exact sum of all of them. So the interval is one number or two
/// neighbours, whatever the entries are, and {0} for a singular matrix. Entries whose products
/// would over- or underflow are given exponents beside their own. n² entries read.
template <class ExecSpace, class Real>
class CertifiedClosedKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  explicit CertifiedClosedKernel(CertifiedBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(int member) const {
    CertifiedDeterminantInfo<Real> info;
    double a[9];
    bool finite = true, moderate = true;
    auto const A = batch_.source_of(member);
    int const n = batch_.n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        auto const x = static_cast<double>(A(i, j));
        finite = finite && Kokkos::abs(x) <= Kokkos::Experimental::finite_max_v<double>;
        moderate = moderate && is_moderate(x);
        a[n * i + j] = x;
      }
    if (!finite) {
      info.status = Status::non_finite;
      info.lower = info.upper = info.value = ScaledNumber<Real>::nan();
    } else if (sizeof(Real) < sizeof(double) || moderate) {
      info = enclose<Real>(evaluate<double>(a, n));
    } else if constexpr (sizeof(Real) == sizeof(double)) {
      info = enclose<Real>(evaluate<LongDouble>(a, n));
    }
    batch_.info_of(member) = info;
  }

 private:
  /// Is x 0 or so close to 1 that products of three such numbers, and all their bits, are in the
  /// normal range? In single precision all are.
  KOKKOS_FUNCTION static bool is_moderate(double x) {
    double const size = Kokkos::abs(x);
    return (size >= 0x1p-200 && size <= 0x1p200) || x == 0;
  }

  /// A factor, and the exponent that is kept beside it.
  KOKKOS_FUNCTION static double split(double x, double&) { return x; }
  KOKKOS_FUNCTION static double split(double x, LongDouble& rest) {
    LongDouble const number(x, 0);
    rest.exponent += number.exponent;
    return number.mantissa;
  }
  KOKKOS_FUNCTION static void put(double& part, double x, double const&) { part = x; }
  KOKKOS_FUNCTION static void put(LongDouble& part, double x, LongDouble const& rest) {
    part = LongDouble(x, rest.exponent);
  }

  template <class Part>
  KOKKOS_FUNCTION static ExactSum evaluate(double const* a, int n) {
    if (n == 0) return {1, 0, 0};
    if (n == 1) return {a[0], 0, 0};
    return n == 2 ? of_order_two<Part>(a) : of_order_three<Part>(a);
  }

  template <class Part>
  KOKKOS_FUNCTION static ExactSum of_order_two(double const* a) {
    Part part[4];
    for (int t = 0; t < 2; ++t) {
      Part rest{};
      double const x = split(t == 0 ? a[0] : -a[1], rest), y = split(t == 0 ? a[3] : a[2], rest);
      auto const product = DoubleWord<double>::product(x, y);
      put(part[t], product.low, rest);
      put(part[2 + t], product.high, rest);
    }
    return ExactSummation<4, Part>::of(part);
  }

  template <class Part>
  KOKKOS_FUNCTION static ExactSum of_order_three(double const* a) {
    constexpr int terms = 6;
    Part part[4 * terms];
    for (int t = 0; t < terms; ++t) {
      int const j = t / 2, k = (j + 1 + t % 2) % 3, l = 3 - j - k;
      Part rest{};
      double const x = split(t % 2 == 0 ? a[j] : -a[j], rest);
      double const y = split(a[3 + k], rest), z = split(a[6 + l], rest);
      auto const xy = DoubleWord<double>::product(x, y);
      auto const high = DoubleWord<double>::product(xy.high, z);
      auto const low = DoubleWord<double>::product(xy.low, z);
      put(part[t], low.low, rest);
      put(part[terms + t], low.high, rest);
      put(part[2 * terms + t], high.low, rest);
      put(part[3 * terms + t], high.high, rest);
    }
    return ExactSummation<4 * terms, Part>::of(part);
  }

  CertifiedBatch<Real> batch_;
};

}  // namespace carroll::detail
