// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/field.hpp>
#include <carroll/matrix_op.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "hostile/blas/laid_array.hpp"
#include "hostile/blas/product_draws.hpp"

/// What entries must be: the formulas that promise bits, and sums in long double.
namespace carroll::test {

template <class T>
bool same_bits(T const& a, T const& b) {
  return std::memcmp(static_cast<void const*>(&a), static_cast<void const*>(&b), sizeof(T)) == 0;
}

/// f of the real and of the imaginary parts.
template <class T, class F>
T by_parts(F const& f, T const& x) {
  if constexpr (detail::is_complex<T>)
    return {f(x.real()), f(x.imag())};
  else
    return f(x);
}
template <class T>
T with_one_nan(T const& x) {
  using Real = detail::RealOf<T>;
  return by_parts([](Real r) { return r == r ? r : std::numeric_limits<Real>::quiet_NaN(); }, x);
}
/// Where nothing is promised of which NaN it is.
template <class T>
bool same_but_nan(T const& a, T const& b) {
  return same_bits(with_one_nan(a), with_one_nan(b));
}

/// a·x, each product rounded.
template <class T>
T plain_product(T const& a, T const& x) {
  if (a == T(1)) return x;
  if constexpr (detail::is_complex<T>) {
    using Real = detail::RealOf<T>;
    Real volatile const rr = a.real() * x.real(), ii = a.imag() * x.imag();
    Real volatile const ri = a.real() * x.imag(), ir = a.imag() * x.real();
    return T(rr - ii, ri + ir);
  } else {
    T volatile const product = a * x;
    return product;
  }
}
/// alpha·x + beta·y by its promise; the first is left out, not added, where x is not read.
template <class T>
T plain_combination(bool reads_x, T const& alpha, T const& x, T const& beta, T const& y) {
  T const of_y = beta == T(0) ? T(0) : plain_product(beta, y);
  if (reads_x) return with_one_nan(T(plain_product(alpha, x) + of_y));
  return beta == T(1) ? y : with_one_nan(of_y);  // which is left as it is
}

template <class T>
long double real_part(T const& x) {
  if constexpr (detail::is_complex<T>)
    return x.real();
  else
    return x;
}
template <class T>
long double imaginary_part(T const& x) {
  if constexpr (detail::is_complex<T>)
    return x.imag();
  else
    return 0;
}

/// alpha·Σ a·b + beta·c in long double, and the size of what was added.
template <class T>
class LongSum {
  using Real = detail::RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  static constexpr bool complex = detail::is_complex<T>;
  struct Number {
    long double re = 0, im = 0;
  };

 public:
  void add(T const& a, bool conjugate_a, T const& b, bool conjugate_b) {
    Number const x = of(a, conjugate_a), y = of(b, conjugate_b);
    some_ = plus(some_, times(x, y));
    long double const of_term =
        (std::abs(x.re) + std::abs(x.im)) * (std::abs(y.re) + std::abs(y.im));
    if (of_term < std::numeric_limits<long double>::infinity())
      some_size_ += of_term;
    else
      finite_ = false;
    if (++terms_ % 256 == 0) flush();
  }
  /// `c` is not looked at with beta = 0.
  void finish(T const& alpha, T const& beta, T const& c) {
    flush();
    Number const factor = of(alpha, false);
    long double const of_factor = std::abs(factor.re) + std::abs(factor.im);
    largest_ = std::max(size_, of_factor * size_);
    added_ = of_factor * static_cast<long double>(terms_ + 1) + 4;
    if (terms_ > 0) sum_ = alpha == T(1) ? sum_ : times(factor, sum_);
    size_ *= of_factor;
    if (beta == T(0)) return;
    Number const y = of(c, false), by = of(beta, false);
    sum_ = plus(sum_, beta == T(1) ? y : times(by, y));
    long double const more =
        (std::abs(by.re) + std::abs(by.im)) * (std::abs(y.re) + std::abs(y.im));
    if (more < std::numeric_limits<long double>::infinity()) {
      rest_ = more;
      largest_ = std::max(largest_, size_ + more);
    } else {
      finite_ = false;
    }
  }

  /// What is wrong with `found`, if something is. `factor`: |error| <= factor·eps·Σ|a·b|.
  [[nodiscard]] std::string complaint(T const& found, bool exact, long double factor) const {
    Number const x = of(found, false);
    if (exact) return x.re == sum_.re && x.im == sum_.im ? "" : text(found, 0);
    if (!(largest_ < Limits::max() / 16)) return "";  // may overflow, in any order
    if (!finite_) {
      bool const fine = complex ? !(std::isfinite(x.re) && std::isfinite(x.im))
                                : x.re == sum_.re || (std::isnan(x.re) && std::isnan(sum_.re));
      return fine ? "" : text(found, 0);
    }
    long double const eps = Limits::epsilon(), parts = complex ? 2 : 1;
    long double const allowed =
        parts * (eps * ((factor + 3) * size_ + 3 * rest_) +
                 2 * added_ * static_cast<long double>(Limits::denorm_min()));
    bool const fine = std::abs(x.re - sum_.re) <= allowed && std::abs(x.im - sum_.im) <= allowed;
    return fine ? "" : text(found, allowed);
  }

 private:
  static Number of(T const& x, bool conjugate) {
    return {real_part(x), conjugate ? -imaginary_part(x) : imaginary_part(x)};
  }
  static Number plus(Number const& a, Number const& b) { return {a.re + b.re, a.im + b.im}; }
  static Number times(Number const& a, Number const& b) {
    if constexpr (complex)
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    else
      return {a.re * b.re, 0};
  }
  /// Some terms at a time, so that errors are few.
  void flush() {
    sum_ = plus(sum_, some_);
    size_ += some_size_;
    some_ = {};
    some_size_ = 0;
  }
  [[nodiscard]] std::string text(T const& found, long double allowed) const {
    std::string text = number_text(found) + ", must be (" + number_text(double(sum_.re)) + "," +
                       number_text(double(sum_.im)) + ")";
    if (allowed > 0) text += ", allowed is an error of " + number_text(double(allowed));
    return text;
  }

  Number sum_, some_;
  long double size_ = 0, some_size_ = 0, rest_ = 0, largest_ = 0, added_ = 0;
  std::int64_t terms_ = 0;
  bool finite_ = true;
};

/// Where entry (i, j) of op(X) of a member is in X.
template <class T>
T const& entry_of(LaidArray<T> const& X, MatrixOp op, int b, int i, int j) {
  int const member = X.extent(0) == 1 ? 0 : b;
  return op == MatrixOp::identity ? X(member, i, j) : X(member, j, i);
}

}  // namespace carroll::test
