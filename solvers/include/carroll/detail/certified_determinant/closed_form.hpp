// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/certified_determinant/enclose.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <cstdint>

namespace carroll::detail {

/// Orders up to 3, a thread per matrix: Leibniz' formula on columns and rows scaled by powers of
/// two, its six terms as sums of four numbers without error. Passes of error-free additions (Ogita,
/// Rump and Oishi, SIAM J. Sci. Comput. 26(6), 2005) leave the sum as it is and gather it in its
/// last part; what the others still hold bounds the error. Where no product underflows the interval
/// is one number or two neighbours, and {0} for a singular matrix. n² entries read.
template <class ExecSpace, class Real>
class CertifiedClosedKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  explicit CertifiedClosedKernel(CertifiedBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(int member) const {
    CertifiedDeterminantInfo<Real> info;
    double a[9];
    bool finite = true, integer = true;
    auto const A = batch_.source_of(member);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double x = i == j ? 1 : 0;  // completed by the identity
        if (i < batch_.n && j < batch_.n) x = static_cast<double>(A(i, j));
        finite = finite && Kokkos::abs(x) <= Kokkos::Experimental::finite_max_v<double>;
        integer = integer && x == Kokkos::floor(x);
        a[3 * i + j] = x;
      }
    if (finite) {
      bool exact = true;
      std::int64_t const exponent = balance(a, exact);
      double radius = 0;
      auto const det = evaluate(a, radius);
      info = enclose<Real>(det, radius + (exact ? 0 : underflow_allowance), exponent, integer);
    } else {
      info.status = Status::non_finite;
      info.lower = info.upper = info.value = ScaledNumber<Real>::nan();
    }
    batch_.info_of(member) = info;
  }

 private:
  /// Columns, then rows scaled into [1/2, 1), in one step, so that what underflows is small next to
  /// its row. Returns log₂ of what that takes out. `exact`: products of three entries, and their
  /// errors, are normal numbers.
  KOKKOS_FUNCTION static std::int64_t balance(double* a, bool& exact) {
    constexpr int none = -100000;
    int of_column[3], sum = 0;
    for (int j = 0; j < 3; ++j) {
      double high = 0;
      for (int i = 0; i < 3; ++i) high = Kokkos::max(high, Kokkos::abs(a[3 * i + j]));
      of_column[j] = high > 0 ? exponent_of(high) : 0;
      sum += of_column[j];
    }
    for (int i = 0; i < 3; ++i) {
      int of_row = none;
      for (int j = 0; j < 3; ++j)
        if (a[3 * i + j] != 0)
          of_row = Kokkos::max(of_row, exponent_of(a[3 * i + j]) - of_column[j]);
      if (of_row == none) of_row = 0;
      sum += of_row;
      for (int j = 0; j < 3; ++j) {
        double& entry = a[3 * i + j];
        bool const zero = entry == 0;
        entry = scale(entry, -(of_row + of_column[j]));
        exact = exact && (zero || Kokkos::abs(entry) >= 0x1p-300);
      }
    }
    return sum;
  }

  KOKKOS_FUNCTION static DoubleWord<double> evaluate(double const* a, double& radius) {
    constexpr int terms = 6, parts = 4 * terms;
    double part[parts];
    int count = 0;
    auto const add = [&](double x, double y, double z) {
      auto const xy = DoubleWord<double>::product(x, y);
      auto const high = DoubleWord<double>::product(xy.high, z);
      auto const low = DoubleWord<double>::product(xy.low, z);
      part[count++] = low.low;
      part[count++] = low.high;
      part[count++] = high.low;
      part[count++] = high.high;
    };
    for (int j = 0; j < 3; ++j) {
      int const k = (j + 1) % 3, l = (j + 2) % 3;
      add(a[j], a[3 + k], a[6 + l]);
      add(-a[j], a[3 + l], a[6 + k]);
    }
    double const& top = part[parts - 1];
    for (int pass = 0; pass < parts; ++pass) {
      double rest = 0;
      for (int k = 1; k < parts; ++k) {
        auto const pair = DoubleWord<double>::sum(part[k], part[k - 1]);
        part[k] = pair.high;
        part[k - 1] = pair.low;
        rest += Kokkos::abs(pair.low);
      }
      radius = rest * bound_inflation;
      if (radius <= Kokkos::abs(top) * 0x1p-53) break;
    }
    // The two largest parts are the result; the others are its error.
    DoubleWord<double> const result = DoubleWord<double>::sum(top, part[parts - 2]);
    radius = 0;
    for (int k = 0; k < parts - 2; ++k) radius += Kokkos::abs(part[k]);
    radius *= bound_inflation;
    return result;
  }

  CertifiedBatch<Real> batch_;
};

}  // namespace carroll::detail
