// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/qr/host_batch/reflect.hpp>
#include <carroll/detail/qr/host_batch/work.hpp>
#include <utility>

/// Column pivoting of as many matrices as a register has lanes, each with an order of its own.
namespace carroll::detail::simd {

/// Σ |x|² from row `begin` on.
template <class Number>
RealPackOf<Number> square_of_rest(QrWork<Number> const& at, int j, int begin) {
  RealPackOf<Number> sum(0);
  for (int i = begin; i < at.m; ++i) add_square(sum, at.col(j)[i]);
  return sum;
}

/// Norms and weights of the columns of A, of which the powers of two have been taken out. Columns
/// of zeros, whose exponents mean nothing, do not count for what the others are compared with.
template <class Number>
void start_pivoting(QrWork<Number> const& at) {
  using Pack = RealPackOf<Number>;
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  constexpr int farthest = -(exponent_bias<Real> / 2);
  Ints most = Ints(-4 * exponent_bias<Real>);
  for (int j = 0; j < at.n; ++j) {
    at.order[j] = Ints(j);
    at.norms[j] = square_of_rest(at, j, 0);
    most = select(at.norms[j] > Pack(0), max(most, at.exponents[j]), most);
  }
  for (int j = 0; j < at.n; ++j) {
    Ints const down = min(max(at.exponents[j] - most, Ints(farthest)), Ints(0));
    at.weights[j] = Pack::power_of_two(down << 1);
    at.norms[j] = at.norms[j] * at.weights[j];
  }
}

/// In every lane the column that is left longest, the first of equals, becomes column k.
template <class Number>
void choose_pivot(QrWork<Number> const& at, int k) {
  using Pack = RealPackOf<Number>;
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  Pack best = at.norms[k];
  Ints pivot = Ints(k);
  for (int j = k + 1; j < at.n; ++j) {
    auto const longer = at.norms[j] > best;
    best = select(longer, at.norms[j], best);
    pivot = select(longer, Ints(j), pivot);
  }
  for (int l = 0; l < Pack::width; ++l) {
    auto const p = static_cast<int>(pivot[l]);
    if (p == k) continue;
    auto const exchange = [l](auto& x, auto& y) {
      auto const a = x[l];
      x.set(l, y[l]);
      y.set(l, a);
    };
    auto* const x = reinterpret_cast<Real*>(at.col(k)) + l;
    auto* const y = reinterpret_cast<Real*>(at.col(p)) + l;
    for (int i = 0; i < parts_of<Number> * at.m; ++i)
      std::swap(x[i * Pack::width], y[i * Pack::width]);
    exchange(at.norms[k], at.norms[p]);
    exchange(at.weights[k], at.weights[p]);
    exchange(at.exponents[k], at.exponents[p]);
    exchange(at.order[k], at.order[p]);
  }
}

/// R and the reflectors of A·P, column by column. 3mn² - n³ flops, of which a third for norms.
template <class Number>
void factorise_pivoted(QrWork<Number> const& at) {
  start_pivoting(at);
  for (int k = 0; k < at.k; ++k) {
    choose_pivot(at, k);
    make_reflector(at, k);
    if (k % 2 == 1) cross_product(at, k - 1);
    for_strips<qr_strip<parts_of<Number>>>(k + 1, at.n, [&]<int C>(int first) {
      Number* y[C];
      for (int c = 0; c < C; ++c) y[c] = at.col(first + c) + k;
      reflect<C, false>(at, k, y);
      for (int c = 0; c < C; ++c)
        at.norms[first + c] = square_of_rest(at, first + c, k + 1) * at.weights[first + c];
    });
  }
}

}  // namespace carroll::detail::simd
