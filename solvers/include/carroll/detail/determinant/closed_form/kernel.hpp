// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/closed_form/triple_sum.hpp>
#include <carroll/detail/determinant/common/store_infos.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// Determinants of orders up to 3: minors (complex numbers: the Leibniz formula) in double words,
/// and exactly where terms cancel; where entries are very large or small, on rows and columns
/// scaled by powers of two, and where that does not help, with an exponent for each term. The value
/// is the determinant to 0.52 units in the last place of T, with the right sign, and 0 if and only
/// if the matrix is singular.
template <class T>
class ClosedForm {
 public:
  using Real = RealOf<T>;
  using Wide = std::conditional_t<is_complex<T>, Kokkos::complex<double>, double>;

  /// `a` holds a matrix of order n, completed to 3×3 by the identity, and is overwritten.
  KOKKOS_FUNCTION static DeterminantInfo<T> determinant(Wide (&a)[9], int n) {
    DeterminantInfo<T> info;
    bool finite = true;
    if (are_moderate(a)) {
      info.value = rounded(ScaledNumber<Wide>(evaluate(a, n)));
    } else if constexpr (sizeof(Real) < sizeof(double)) {
      finite = false;  // all others are moderate
    } else {
      for (int k = 0; k < 9; ++k) finite = finite && Kokkos::isfinite(largest_part(a[k]));
      if (finite) info.value = evaluate_extreme(a, n);
    }
    if (finite) {
      if (info.value.is_zero()) info.status = Status::singular;
    } else {
      info.status = Status::non_finite;
      info.value = ScaledNumber<T>::nan();
      info.growth = quiet_nan<Real>();
    }
    return info;
  }

 private:
  /// Is x 0 or so close to 1 that products of three such numbers, and their rounding errors, are
  /// normal numbers? Entries of single precision all are.
  KOKKOS_FUNCTION static bool is_moderate(double x) {
    constexpr int reach = 200, least = (exponent_bias<double> - reach) << 20;
    return static_cast<unsigned>(magnitude(x) - least) < unsigned{2 * reach << 20} || x == 0;
  }
  KOKKOS_FUNCTION static bool is_moderate(Kokkos::complex<double> const& x) {
    return is_moderate(x.real()) && is_moderate(x.imag());
  }

  KOKKOS_FUNCTION static bool has_lost(double x, double scaled) { return x != 0 && scaled == 0; }
  KOKKOS_FUNCTION static bool has_lost(Kokkos::complex<double> const& x,
                                       Kokkos::complex<double> const& scaled) {
    return has_lost(x.real(), scaled.real()) || has_lost(x.imag(), scaled.imag());
  }

  KOKKOS_FUNCTION static bool are_moderate(Wide const* a) {
    bool moderate = true;
    CARROLL_UNROLL
    for (int k = 0; k < 9; ++k) moderate = moderate && is_moderate(a[k]);
    return moderate;
  }

  KOKKOS_FUNCTION static ScaledNumber<Wide> evaluate_extreme(Wide const* a, int n) {
    Wide scaled[9];
    for (int k = 0; k < 9; ++k) scaled[k] = a[k];
    std::int64_t const exponent = scale_columns_and_rows(scaled);
    bool lost = false;  // entries that are too small now
    for (int k = 0; k < 9; ++k) lost = lost || has_lost(a[k], scaled[k]);
    if (!lost && are_moderate(scaled)) return ScaledNumber<Wide>(evaluate(scaled, n), exponent);
    LongTripleSum<is_complex<T> ? 24 : 6> re, im;
    add_terms(a, n, re, im);
    auto const x = re.value();
    if constexpr (!is_complex<T>) {
      return x;
    } else {
      auto const y = im.value();
      bool const first = y.is_zero() || (!x.is_zero() && x.exponent() >= y.exponent());
      std::int64_t const e = first ? x.exponent() : y.exponent();
      // What is lost is less than 2^-1000 of the larger part.
      auto const part = [&](ScaledNumber<double> const& z) {
        return ScaledNumber<double>(z.mantissa(), z.exponent() - e).to();
      };
      return ScaledNumber<Wide>(Wide(part(x), part(y)), e);
    }
  }

  /// Columns, then rows, by powers of two, in one step, so that what is small after that is small
  /// next to its row. Returns log₂ of what that takes out.
  KOKKOS_FUNCTION static std::int64_t scale_columns_and_rows(Wide* a) {
    constexpr int none = -100000;
    int of_column[3];
    std::int64_t exponent = 0;
    for (int j = 0; j < 3; ++j) {
      double high = 0;
      for (int i = 0; i < 3; ++i) high = Kokkos::max(high, largest_part(a[3 * i + j]));
      of_column[j] = high > 0 ? exponent_of(high) - 1 : 0;
      exponent += of_column[j];
    }
    for (int i = 0; i < 3; ++i) {
      int of_row = none;
      for (int j = 0; j < 3; ++j) {
        double const size = largest_part(a[3 * i + j]);
        if (size > 0) of_row = Kokkos::max(of_row, exponent_of(size) - 1 - of_column[j]);
      }
      if (of_row == none) continue;
      for (int j = 0; j < 3; ++j) {
        Wide& entry = a[3 * i + j];
        entry = scale_parts(entry, -(of_row + of_column[j]));
      }
      exponent += of_row;
    }
    return exponent;
  }

  KOKKOS_FUNCTION static Wide evaluate(Wide const* a, int n) {
    if constexpr (is_complex<T>) {
      TripleSum re, im;
      add_terms(a, n, re, im);
      if (re.is_accurate() && im.is_accurate()) return make(re, im);
    } else {
      MinorSum sum = n < 3 ? MinorSum(a[0], a[1], a[3], a[4]) : MinorSum(a[4], a[5], a[7], a[8]);
      if (n == 3) {
        MinorSum second(a[5], a[3], a[8], a[6]), third(a[3], a[4], a[6], a[7]);
        sum *= a[0];
        sum += second *= a[1];
        sum += third *= a[2];
      }
      if (sum.is_accurate()) return sum.value();
    }
    ExactTripleSum<is_complex<T> ? 24 : 6> exact_re, exact_im;
    add_terms(a, n, exact_re, exact_im);
    return make(exact_re, exact_im);
  }
  template <class Sum>
  KOKKOS_FUNCTION static Wide make(Sum& re, [[maybe_unused]] Sum& im) {
    if constexpr (is_complex<T>)
      return {re.value(), im.value()};
    else
      return re.value();
  }

  template <class Sum>
  KOKKOS_FUNCTION static void add_terms(Wide const* a, int n, Sum& re, Sum& im) {
    if (n < 3) {  // the others are zero
      add_product(a[0], a[4], a[8], re, im);
      return add_product(-a[1], a[3], a[8], re, im);
    }
    for (int j = 0; j < 3; ++j) {
      int const k = (j + 1) % 3, l = (j + 2) % 3;
      add_product(a[j], a[3 + k], a[6 + l], re, im);
      add_product(-a[j], a[3 + l], a[6 + k], re, im);
    }
  }
  template <class Sum>
  KOKKOS_FUNCTION static void add_product(Wide const& x, Wide const& y, Wide const& z, Sum& re,
                                          [[maybe_unused]] Sum& im) {
    if constexpr (is_complex<T>) {
      re.add(x.real(), y.real(), z.real());
      re.add(-x.real(), y.imag(), z.imag());
      re.add(-x.imag(), y.real(), z.imag());
      re.add(-x.imag(), y.imag(), z.real());
      im.add(x.real(), y.real(), z.imag());
      im.add(x.real(), y.imag(), z.real());
      im.add(x.imag(), y.real(), z.real());
      im.add(-x.imag(), y.imag(), z.imag());
    } else {
      re.add(x, y, z);
    }
  }

  KOKKOS_FUNCTION static ScaledNumber<T> rounded(ScaledNumber<Wide> const& wide) {
    return ScaledNumber<T>(T(wide.mantissa()), wide.exponent());
  }
};

/// `blocked` for orders up to 3, a thread per matrix. n² entries read.
template <class ExecSpace, class T>
class DeterminantClosedKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  explicit DeterminantClosedKernel(DeterminantBatch<T> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(int member) const {
    using Wide = typename ClosedForm<T>::Wide;
    StridedMatrix<T const> const A = batch_.source_of(member);
    int const n = batch_.order_of(member);
    Wide a[9];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        a[3 * i + j] = i < n && j < n ? Wide(A(i, j)) : Wide(i == j ? 1.0 : 0.0);
    store_info(batch_.info_of(member), ClosedForm<T>::determinant(a, n));
  }

 private:
  DeterminantBatch<T> batch_;
};

}  // namespace carroll::detail
