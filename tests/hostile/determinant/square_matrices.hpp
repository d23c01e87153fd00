// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <carroll/detail/field.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/random.hpp"

/// Square matrices that nobody chose, for the testers of determinants.
namespace carroll::test {

inline constexpr std::array<std::string_view, 20> square_kinds{"normal",
                                                               "integers",
                                                               "rows of any size",
                                                               "columns of any size",
                                                               "rows and columns",
                                                               "any exponents",
                                                               "rank-deficient",
                                                               "zero row or column",
                                                               "permuted triangle",
                                                               "sparse",
                                                               "subnormal",
                                                               "huge",
                                                               "not finite",
                                                               "signed zeros",
                                                               "Vandermonde",
                                                               "powers of two",
                                                               "signs",
                                                               "growing",
                                                               "nearly singular",
                                                               "spoilt subnormal rows"};

/// One of them: kinds by their place in square_kinds.
template <class T>
class SquareMatrix {
 public:
  SquareMatrix(Random& random, int n) : random_(random), n_(n), A_(n, n) {}

  HostMatrix<T> of_kind(int kind) {
    fill([&](int, int) { return normal(); });
    switch (kind) {
      case 1: integers(); break;
      case 2: scale(true, false); break;
      case 3: scale(false, true); break;
      case 4: scale(true, true); break;
      case 5: each_entry([&](T& x) { x = times_power(x, exponent(most_)); }); break;
      case 6: depend(); break;
      case 7: zero_line(); break;
      case 8: triangle(); break;
      case 9: each_entry([&](T& x) { x = random_.chance(0.6) ? zero() : x; }); break;
      case 10: each_entry([&](T& x) { x = times_power(x, least_ + random_.index(8)); }); break;
      case 11:
        each_entry([&](T& x) { x = times_power(x, most_finite_ - random_.index(3)); });
        break;
      case 12: spoil(); break;
      case 13: each_entry([&](T& x) { x = random_.chance(0.4) ? zero() : x; }); break;
      case 14: vandermonde(); break;
      case 15: powers(); break;
      case 16: each_entry([&](T& x) { x = T(static_cast<Real>(random_.sign())); }); break;
      case 17: growing(); break;
      case 18: depend(), perturb(); break;
      case 19: subnormal_rows(); break;
      default: break;
    }
    return A_;
  }

 private:
  using Real = detail::RealOf<T>;
  static constexpr bool is_complex = !std::is_same_v<T, Real>;

  template <class F>
  void fill(F const& f) {
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_; ++i) A_(i, j) = f(i, j);
  }
  template <class F>
  void each_entry(F const& f) {
    for (T& x : A_.data) f(x);
  }
  T normal() {
    auto const re = static_cast<Real>(random_.normal());
    if constexpr (is_complex) {
      auto const im = static_cast<Real>(random_.normal());
      int const which = random_.index(8);  // real and imaginary ones among them
      return {which == 0 ? Real(0) : re, which == 1 ? Real(0) : im};
    } else {
      return re;
    }
  }
  T zero() { return T(random_.chance(0.5) ? Real(0) : -Real(0)); }
  int exponent(int most) { return random_.index(2 * most + 1) - most; }
  static T times_power(T const& x, int e) {
    if constexpr (is_complex)
      return {std::ldexp(x.real(), e), std::ldexp(x.imag(), e)};
    else
      return std::ldexp(x, e);
  }

  void integers() {
    int const most = random_.chance(0.5) ? 3 : 1 << (1 + random_.index(20));
    each_entry([&](T& x) {
      auto const part = [&] { return static_cast<Real>(random_.index(2 * most + 1) - most); };
      if constexpr (is_complex) {
        Real const re = part();
        x = T(re, part());
      } else {
        x = part();
      }
    });
  }
  void scale(bool rows, bool columns) {
    int const reach = random_.chance(0.3) ? most_ : random_.chance(0.5) ? most_ / 5 : 12;
    std::vector<int> row, column;
    for (int k = 0; k < n_; ++k) {
      row.push_back(rows ? exponent(rows && columns ? reach / 2 : reach) : 0);
      column.push_back(columns ? exponent(rows && columns ? reach / 2 : reach) : 0);
    }
    fill([&](int i, int j) {
      return times_power(A_(i, j),
                         row[static_cast<std::size_t>(i)] + column[static_cast<std::size_t>(j)]);
    });
  }
  /// A row or a column is a power of two times another one, or the sum of two.
  void depend() {
    if (n_ < 2) return A_ = HostMatrix<T>(n_, n_), void();
    if (random_.chance(0.5)) integers();
    int const to = random_.index(n_), from = (to + 1 + random_.index(n_ - 1)) % n_;
    int const other = random_.index(n_);
    bool const sum = n_ > 2 && other != to && other != from && random_.chance(0.5);
    int const e = exponent(3);
    bool const row = random_.chance(0.5);
    for (int k = 0; k < n_; ++k) {
      T const& x = row ? A_(from, k) : A_(k, from);
      T const& y = row ? A_(other, k) : A_(k, other);
      (row ? A_(to, k) : A_(k, to)) = sum ? T(x + y) : T(-times_power(x, e));
    }
  }
  void perturb() {
    if (n_ == 0) return;
    T& x = A_(random_.index(n_), random_.index(n_));
    if constexpr (is_complex)
      x = T(std::nextafter(x.real(), Real(1000)), x.imag());
    else
      x = std::nextafter(x, Real(1000));
  }
  void zero_line() {
    if (n_ == 0) return;
    int const k = random_.index(n_);
    bool const row = random_.chance(0.5);
    for (int l = 0; l < n_; ++l) (row ? A_(k, l) : A_(l, k)) = zero();
  }
  void triangle() {
    bool const lower = random_.chance(0.5);
    std::vector<int> order;
    for (int k = 0; k < n_; ++k) order.push_back(k);
    random_.shuffle(order);
    HostMatrix<T> const full = A_;
    bool const rows = random_.chance(0.5);
    fill([&](int i, int j) {
      int const to = order[static_cast<std::size_t>(rows ? i : j)];
      int const row = rows ? to : i, col = rows ? j : to;
      return (lower ? col <= row : col >= row) ? full(row, col) : T(0);
    });
  }
  void spoil() {
    if (n_ == 0) return;
    constexpr Real values[] = {std::numeric_limits<Real>::quiet_NaN(),
                               std::numeric_limits<Real>::infinity(),
                               -std::numeric_limits<Real>::infinity()};
    if (random_.chance(0.3)) zero_line();
    for (int count = 1 + random_.index(3); count > 0; --count) {
      Real const value = values[random_.index(3)];
      T& x = A_(random_.index(n_), random_.index(n_));
      if constexpr (is_complex)
        x = random_.chance(0.5) ? T(value, x.imag()) : T(x.real(), value);
      else
        x = value;
    }
  }
  void vandermonde() {
    bool const hilbert = random_.chance(0.5);
    fill([&](int i, int j) {
      return hilbert ? T(Real(1) / static_cast<Real>(i + j + 1))
                     : T(std::pow(static_cast<Real>(i + 1) / static_cast<Real>(n_), j));
    });
  }
  void powers() {
    int const reach = random_.chance(0.5) ? 2 : 40;
    each_entry(
        [&](T& x) { x = T(static_cast<Real>(std::ldexp(random_.sign(), exponent(reach)))); });
  }
  /// Wilkinson's, turned or not, on which elimination grows.
  void growing() {
    bool const turned = random_.chance(0.5);
    fill([&](int i, int j) {
      int const r = turned ? n_ - 1 - j : i, c = turned ? n_ - 1 - i : j;
      return T(static_cast<Real>(r == c || c == n_ - 1 ? 1 : r > c ? -1 : 0));
    });
    if (random_.chance(0.5)) scale(true, false);
  }
  void subnormal_rows() {
    for (int i = 0; i < n_; ++i) {
      int const e = random_.chance(0.5) ? least_ + random_.index(4) : exponent(20);
      for (int j = 0; j < n_; ++j) A_(i, j) = times_power(A_(i, j), e);
    }
  }

  static constexpr int most_finite_ = std::numeric_limits<Real>::max_exponent - 3;
  static constexpr int most_ = std::numeric_limits<Real>::max_exponent - 8;
  static constexpr int least_ = std::numeric_limits<Real>::min_exponent - 10;

  Random& random_;
  int n_;
  HostMatrix<T> A_;
};

/// Orders, mostly small.
inline int hostile_order(Random& random, int largest) {
  double const which = random.uniform();
  int const n = which < 0.4    ? random.index(5)
                : which < 0.72 ? random.index(14)
                : which < 0.92 ? random.index(36)
                : which < 0.99 ? random.index(131)
                               : random.index(401);
  return std::min(n, largest);
}

}  // namespace carroll::test
