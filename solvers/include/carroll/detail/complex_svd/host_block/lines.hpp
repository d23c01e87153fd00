// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/sums.hpp>

/// Sums and updates down complex columns with real and imaginary parts apart, in a host's vector
/// registers. V is a Pack; their callers are compiled by themselves (simd/choice.hpp).
namespace carroll::detail::complex_blocks {

/// Sums of more rows than these are sums of such sums, whose rounding errors are counted.
inline constexpr int stretch = 256;

template <class Real>
struct StretchSum {
  Real total = 0, lost = 0;
  void add(Real part) {
    Real const sum = total + part, other = sum - total;
    lost += (total - (sum - other)) + (part - other);
    total = sum;
  }
  Real value() const { return total + lost; }
};

/// ‖x‖², ‖y‖² and xᴴ·y.
template <class Real>
struct PairMoments {
  Real x_square, y_square, re, im;
};

/// Of columns of `rows` real parts with as many imaginary ones behind them. 16·rows flops.
template <class V, class Real = typename V::Number>
PairMoments<Real> pair_moments(Real const* x, Real const* y, int rows) {
  StretchSum<Real> xx, yy, re, im;
  for (int first = 0; first < rows; first += stretch) {
    int const end = std::min(rows, first + stretch);
    V sums[8];
    for (V& sum : sums) sum = V(Real(0));
    int i = first;
    for (; i + V::width <= end; i += V::width) {
      V const a = V::load(x + i), b = V::load(x + rows + i);
      V const c = V::load(y + i), d = V::load(y + rows + i);
      sums[0].add_product(a, a);
      sums[1].add_product(b, b);
      sums[2].add_product(c, c);
      sums[3].add_product(d, d);
      sums[4].add_product(a, c);
      sums[5].add_product(b, d);
      sums[6].add_product(a, d);
      sums[7].add_product(b, c);
    }
    Real rest[4] = {};
    for (; i < end; ++i) {
      Real const a = x[i], b = x[rows + i], c = y[i], d = y[rows + i];
      rest[0] += a * a + b * b;
      rest[1] += c * c + d * d;
      rest[2] += a * c + b * d;
      rest[3] += a * d - b * c;
    }
    xx.add(sum_of(sums[0] + sums[1]) + rest[0]);
    yy.add(sum_of(sums[2] + sums[3]) + rest[1]);
    re.add(sum_of(sums[4] + sums[5]) + rest[2]);
    im.add(sum_of(sums[6] - sums[7]) + rest[3]);
  }
  return {xx.value(), yy.value(), re.value(), im.value()};
}

/// x' = x + a·y, y' = y + b·x; with `exchange` x' comes where y was, and y' where x was.
template <class Real>
struct PairTurn {
  Real a_re, a_im, b_re, b_im;
  bool exchange;
};

/// Columns with imaginary parts `pitch` behind the real ones. 16·rows flops.
template <class V, class Real = typename V::Number>
void turn_pair(PairTurn<Real> const& turn, Real* x, Real* y, int rows, int pitch) {
  Real *const to_x = turn.exchange ? y : x, *const to_y = turn.exchange ? x : y;
  V const ar = turn.a_re, ai = turn.a_im, br = turn.b_re, bi = turn.b_im;
  int i = 0;
  for (; i + V::width <= rows; i += V::width) {
    V const xr = V::load(x + i), xi = V::load(x + pitch + i);
    V const yr = V::load(y + i), yi = V::load(y + pitch + i);
    store(to_x + i, subtract_product(accumulate(xr, ar, yr), ai, yi));
    store(to_x + pitch + i, accumulate(accumulate(xi, ar, yi), ai, yr));
    store(to_y + i, subtract_product(accumulate(yr, br, xr), bi, xi));
    store(to_y + pitch + i, accumulate(accumulate(yi, br, xi), bi, xr));
  }
  for (; i < rows; ++i) {
    Real const xr = x[i], xi = x[pitch + i], yr = y[i], yi = y[pitch + i];
    to_x[i] = xr + turn.a_re * yr - turn.a_im * yi;
    to_x[pitch + i] = xi + turn.a_re * yi + turn.a_im * yr;
    to_y[i] = yr + turn.b_re * xr - turn.b_im * xi;
    to_y[pitch + i] = yi + turn.b_re * xi + turn.b_im * xr;
  }
}

/// y -= tau·(vᴴ·y)·v from the row on where v has its 1, which is not stored; v and y point to that
/// row's real part, imaginary ones are `pitch` behind. Returns Σ|y|² of the rows behind it. 20·rows
/// flops.
template <class V, class Real = typename V::Number>
Real reflect(Real const* v, Real* y, int rows, int pitch, Real tau) {
  StretchSum<Real> re{y[0], Real(0)}, im{y[pitch], Real(0)}, squares;
  for (int first = 1; first < rows; first += stretch) {
    int const end = std::min(rows, first + stretch);
    V sums[4];
    for (V& sum : sums) sum = V(Real(0));
    int i = first;
    for (; i + V::width <= end; i += V::width) {
      V const a = V::load(v + i), b = V::load(v + pitch + i);
      V const c = V::load(y + i), d = V::load(y + pitch + i);
      sums[0].add_product(a, c);
      sums[1].add_product(b, d);
      sums[2].add_product(a, d);
      sums[3].add_product(b, c);
    }
    Real rest_re = 0, rest_im = 0;
    for (; i < end; ++i) {
      rest_re += v[i] * y[i] + v[pitch + i] * y[pitch + i];
      rest_im += v[i] * y[pitch + i] - v[pitch + i] * y[i];
    }
    re.add(sum_of(sums[0] + sums[1]) + rest_re);
    im.add(sum_of(sums[2] - sums[3]) + rest_im);
  }
  Real const wr = tau * re.value(), wi = tau * im.value();
  y[0] -= wr;
  y[pitch] -= wi;
  V const vector_wr = wr, vector_wi = wi;
  for (int first = 1; first < rows; first += stretch) {
    int const end = std::min(rows, first + stretch);
    V sums[2];
    for (V& sum : sums) sum = V(Real(0));
    int i = first;
    for (; i + V::width <= end; i += V::width) {
      V const a = V::load(v + i), b = V::load(v + pitch + i);
      V const c = V::load(y + i), d = V::load(y + pitch + i);
      V const zr = accumulate(subtract_product(c, vector_wr, a), vector_wi, b);
      V const zi = subtract_product(subtract_product(d, vector_wr, b), vector_wi, a);
      store(y + i, zr);
      store(y + pitch + i, zi);
      sums[0].add_product(zr, zr);
      sums[1].add_product(zi, zi);
    }
    Real rest = 0;
    for (; i < end; ++i) {
      Real const zr = y[i] - wr * v[i] + wi * v[pitch + i];
      Real const zi = y[pitch + i] - wr * v[pitch + i] - wi * v[i];
      y[i] = zr;
      y[pitch + i] = zi;
      rest += zr * zr + zi * zi;
    }
    squares.add(sum_of(sums[0] + sums[1]) + rest);
  }
  return squares.value();
}

}  // namespace carroll::detail::complex_blocks
