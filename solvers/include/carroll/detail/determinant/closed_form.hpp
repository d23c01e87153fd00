// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/register_pivots.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// Σ ±x·y·z of double precision numbers, in double words, with the sum of |x·y·z|.
struct TripleSum {
  DoubleWord<double> sum{0.0};
  double size = 0;

  KOKKOS_FUNCTION void add(double x, double y, double z) {
    DoubleWord<double> const term = DoubleWord<double>::product(x, y) * DoubleWord<double>(z);
    sum += term;
    size += Kokkos::abs(term.high);
  }
  /// Is the leading word right to its last digits? All errors together are below 2^-98·size.
  KOKKOS_FUNCTION bool is_accurate() const { return Kokkos::abs(sum.high) > 0x1p-40 * size; }
  KOKKOS_FUNCTION double value() const { return sum.high; }
};

/// The same, exact: the terms are kept as sums of four numbers, which are added without errors.
template <int Terms>
struct ExactTripleSum {
  double part[4 * Terms];
  int count = 0;

  KOKKOS_FUNCTION void add(double x, double y, double z) {
    auto const xy = DoubleWord<double>::product(x, y);
    auto const high = DoubleWord<double>::product(xy.high, z);
    auto const low = DoubleWord<double>::product(xy.low, z);
    part[count++] = low.low;
    part[count++] = low.high;
    part[count++] = high.low;
    part[count++] = high.high;
  }
  /// Passes of error-free additions (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26(6), 2005) until
  /// they change nothing: then no two numbers overlap, and adding from the small ones on rounds
  /// once.
  KOKKOS_FUNCTION double value() {
    bool changed = true;
    for (int pass = 0; changed && pass < count; ++pass) {
      changed = false;
      for (int k = 1; k < count; ++k) {
        auto const pair = DoubleWord<double>::sum(part[k], part[k - 1]);
        changed = changed || pair.high != part[k] || pair.low != part[k - 1];
        part[k] = pair.high;
        part[k - 1] = pair.low;
      }
    }
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += part[k];
    return sum;
  }
};

/// The same for real numbers, from x·(p·s - q·r): products exactly, sums in double words.
class MinorSum {
 public:
  KOKKOS_FUNCTION MinorSum(double p, double q, double r, double s) {
    auto const ps = DoubleWord<double>::product(p, s), qr = DoubleWord<double>::product(q, r);
    sum_ = DoubleWord<double>::sum(ps.high, -qr.high);
    sum_.low += ps.low - qr.low;
    size_ = Kokkos::abs(ps.high) + Kokkos::abs(qr.high);
  }
  KOKKOS_FUNCTION MinorSum& operator*=(double x) {
    auto const product = DoubleWord<double>::product(sum_.high, x);
    sum_ = {product.high, Kokkos::fma(sum_.low, x, product.low)};
    size_ *= Kokkos::abs(x);
    return *this;
  }
  KOKKOS_FUNCTION MinorSum& operator+=(MinorSum const& other) {
    auto const sum = DoubleWord<double>::sum(sum_.high, other.sum_.high);
    sum_ = {sum.high, sum.low + (sum_.low + other.sum_.low)};
    size_ += other.size_;
    return *this;
  }
  /// As TripleSum::is_accurate.
  KOKKOS_FUNCTION bool is_accurate() const { return Kokkos::abs(sum_.high) > 0x1p-40 * size_; }
  KOKKOS_FUNCTION double value() const { return sum_.high + sum_.low; }

 private:
  DoubleWord<double> sum_;
  double size_;
};

/// Determinants of orders up to 3: the Leibniz formula in double words, and exactly where terms
/// cancel; where entries are very large or small, on rows and columns scaled by powers of two. The
/// value is the determinant rounded to T, with the right sign, and 0 if and only if the matrix is
/// singular, unless entries of one matrix differ by factors beyond double precision's range.
template <class T>
class ClosedForm {
 public:
  using Real = RealOf<T>;
  using Wide = std::conditional_t<is_complex<T>, Kokkos::complex<double>, double>;

  /// `a` holds a matrix of order n, completed to 3×3 by the identity, and is overwritten.
  KOKKOS_FUNCTION static DeterminantInfo<T> determinant(Wide (&a)[9], int n) {
    DeterminantInfo<T> info;
    std::int64_t exponent = 0;
    bool moderate = true, finite = true;
    CARROLL_UNROLL
    for (int k = 0; k < 9; ++k) moderate = moderate && is_moderate(a[k]);
    if (!moderate) {
      for (int k = 0; k < 9; ++k) finite = finite && Kokkos::isfinite(largest_part(a[k]));
      if (finite) exponent = scale_columns_and_rows(a);
    }
    if (finite) {
      info.value = rounded(evaluate(a, n), exponent);
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

  KOKKOS_FUNCTION static std::int64_t scale_columns_and_rows(Wide* a) {
    return scale_lines(a, 1, 3) + scale_lines(a, 3, 1);
  }
  /// Three lines, `to_line` apart, of three entries, `to_entry` apart.
  KOKKOS_FUNCTION static std::int64_t scale_lines(Wide* a, int to_line, int to_entry) {
    std::int64_t exponent = 0;
    for (int line = 0; line < 3; ++line) {
      double high = 0;
      for (int k = 0; k < 3; ++k)
        high = Kokkos::max(high, largest_part(a[line * to_line + k * to_entry]));
      if (high == 0) continue;
      int const e = exponent_of(high) - 1;
      for (int k = 0; k < 3; ++k) {
        Wide& entry = a[line * to_line + k * to_entry];
        entry = scale_parts(entry, -e);
      }
      exponent += e;
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

  KOKKOS_FUNCTION static ScaledNumber<T> rounded(Wide const& value, std::int64_t exponent) {
    ScaledNumber<Wide> const wide(value, exponent);
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
