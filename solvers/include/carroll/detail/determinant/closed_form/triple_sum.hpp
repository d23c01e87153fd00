// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/scaled_number.hpp>

/// Sums of products of three numbers, for determinants in closed form.
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

/// Passes of error-free additions (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26(6), 2005) until
/// they change nothing: then no two numbers overlap, the largest is the last but for zeros, and
/// adding from the small ones on errs by hardly more than half a unit in the last place.
KOKKOS_INLINE_FUNCTION void distill(double* part, int count) {
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
}

/// x·y·z as a sum of four numbers, in ascending order.
KOKKOS_INLINE_FUNCTION void split_product(double x, double y, double z, double* part) {
  auto const xy = DoubleWord<double>::product(x, y);
  auto const high = DoubleWord<double>::product(xy.high, z);
  auto const low = DoubleWord<double>::product(xy.low, z);
  part[0] = low.low;
  part[1] = low.high;
  part[2] = high.low;
  part[3] = high.high;
}

/// The same, exact.
template <int Terms>
struct ExactTripleSum {
  double part[4 * Terms];
  int count = 0;

  KOKKOS_FUNCTION void add(double x, double y, double z) {
    split_product(x, y, z, part + count);
    count += 4;
  }
  KOKKOS_FUNCTION double value() {
    distill(part, count);
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += part[k];
    return sum;
  }
};

/// The same for numbers of any size, whose products would over- or underflow: each term has an
/// exponent of its own. Terms are added from the largest on, exactly, in a window that follows them
/// down as long as larger ones have cancelled.
template <int Terms>
class LongTripleSum {
 public:
  KOKKOS_FUNCTION void add(double x, double y, double z) {
    if (x == 0 || y == 0 || z == 0) return;
    int const of_x = exponent_of(x), of_y = exponent_of(y), of_z = exponent_of(z);
    int at = count_++;  // in descending order
    for (; at > 0 && exponent_[at - 1] < of_x + of_y + of_z; --at) {
      exponent_[at] = exponent_[at - 1];
      for (int k = 0; k < 4; ++k) term_[at][k] = term_[at - 1][k];
    }
    exponent_[at] = of_x + of_y + of_z;
    split_product(scale(x, -of_x), scale(y, -of_y), scale(z, -of_z), term_[at]);
  }
  KOKKOS_FUNCTION ScaledNumber<double> value() const {
    double part[4 * Terms];
    int count = 0;
    int base = 0;  // parts are to be multiplied by 2^base
    for (int t = 0; t < count_; ++t) {
      int const e = exponent_[t];
      // All that is to come is less than 2^-110 of the sum.
      if (count > 0 && base + exponent_of(part[count - 1]) > e + 120) break;
      if (count == 0 || e < base - reach) {
        // Parts are at least 2^-(reach + 170), and together less than 2^120 now.
        for (int k = 0; k < count; ++k) part[k] = scale(part[k], base - e);
        base = e;
      }
      for (int k = 0; k < 4; ++k) part[count++] = scale(term_[t][k], e - base);
      distill(part, count);
      int left = 0;
      for (int k = 0; k < count; ++k)
        if (part[k] != 0) part[left++] = part[k];
      count = left;
    }
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += part[k];
    return ScaledNumber<double>(sum, base);
  }

 private:
  static constexpr int reach = 700;
  double term_[Terms][4];
  int exponent_[Terms];
  int count_ = 0;
};

/// What TripleSum is, for sums of x·(p·s - q·r): products exactly, sums in double words.
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

}  // namespace carroll::detail
