// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/field.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstddef>
#include <cstdint>

/// Complex matrices side by side, one per lane of a host's vector registers, and what a thread
/// needs for as many of them as there are lanes.
namespace carroll::detail::simd {

/// Σ |x|² over begin <= i < end.
template <class Pack>
Pack sum_of_squares(ComplexPack<Pack> const* x, int begin, int end) {
  Pack re = Pack(0), im = Pack(0);
  for (int i = begin; i < end; ++i) {
    re.add_product(x[i].re, x[i].re);
    im.add_product(x[i].im, x[i].im);
  }
  return re + im;
}

/// start + Σ conj(x)·y over begin <= i < end.
template <class Pack>
ComplexPack<Pack> complex_dot(ComplexPack<Pack> const* x, ComplexPack<Pack> const* y, int begin,
                              int end, ComplexPack<Pack> start) {
  Pack re = Pack(0), im = Pack(0);
  for (int i = begin; i < end; ++i) {
    start.re.add_product(x[i].re, y[i].re);
    start.im.add_product(x[i].re, y[i].im);
    re.add_product(x[i].im, y[i].im);
    im.add_product(x[i].im, y[i].re);
  }
  return {start.re + re, start.im - im};
}

/// y += a·x over begin <= i < end.
template <class Pack>
void add_multiple(ComplexPack<Pack> const& a, ComplexPack<Pack> const* x, ComplexPack<Pack>* y,
                  int begin, int end) {
  for (int i = begin; i < end; ++i) {
    ComplexPack<Pack> const v = x[i];
    y[i].re = subtract_product(accumulate(y[i].re, a.re, v.re), a.im, v.im);
    y[i].im = accumulate(accumulate(y[i].im, a.re, v.im), a.im, v.re);
  }
}

/// Packs of a working set for m×n matrices.
constexpr std::size_t complex_svd_room(std::int64_t m, std::int64_t n) {
  return static_cast<std::size_t>(2 * (m * n + 2 * n * n + m) + 6 * n);
}

/// The working set of a group, m >= n, column by column.
template <class Pack>
struct ComplexSvdWork {
  using Complex = ComplexPack<Pack>;
  using Ints = typename Pack::Ints;

  int m, n;
  Complex* F;     ///< B, then the reflectors and R
  Complex* X;     ///< Rᴴ, its columns made orthogonal
  Complex* J;     ///< the rotations' product
  Complex* left;  ///< a column of the left vectors
  Pack *tau, *squares, *sigma;
  Ints* columns;  ///< of B, where they are in R
  Ints* places;   ///< of singular values, descending
  Ints* exponents;

  ComplexSvdWork(int rows, int cols, Pack* room) : m(rows), n(cols) {
    auto const take = [&room](int count) {
      Pack* const taken = room;
      room += count;
      return taken;
    };
    auto const complex = [&](int count) { return reinterpret_cast<Complex*>(take(2 * count)); };
    F = complex(m * n);
    X = complex(n * n);
    J = complex(n * n);
    left = complex(m);
    tau = take(n);
    squares = take(n);
    sigma = take(n);
    columns = reinterpret_cast<Ints*>(take(n));
    places = reinterpret_cast<Ints*>(take(n));
    exponents = reinterpret_cast<Ints*>(take(n));
  }
  Complex* f(int j) const { return F + static_cast<std::ptrdiff_t>(j) * m; }
  Complex* x(int j) const { return X + static_cast<std::ptrdiff_t>(j) * n; }
  Complex* j(int k) const { return J + static_cast<std::ptrdiff_t>(k) * n; }
};

}  // namespace carroll::detail::simd
