// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/complex_svd/host_batch/work.hpp>
#include <carroll/detail/complex_svd/range.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <utility>

/// Householder QR with column pivoting of as many complex matrices as a register has lanes.
namespace carroll::detail::simd {

/// In every lane columns k and pivot change places.
template <class Pack>
void exchange_complex_columns(ComplexSvdWork<Pack> const& at, int k,
                              typename Pack::Ints const& pivot) {
  using Real = typename Pack::Number;
  for (int l = 0; l < Pack::width; ++l) {
    auto const p = static_cast<int>(pivot[l]);
    if (p == k) continue;
    auto* const x = reinterpret_cast<Real*>(at.f(k)) + l;
    auto* const y = reinterpret_cast<Real*>(at.f(p)) + l;
    for (int i = 0; i < 2 * at.m; ++i) std::swap(x[i * Pack::width], y[i * Pack::width]);
    auto const exchange = [l](auto& a, auto& b) {
      auto const kept = a[l];
      a.set(l, b[l]);
      b.set(l, kept);
    };
    exchange(at.squares[k], at.squares[p]);
    exchange(at.columns[k], at.columns[p]);
  }
}

/// y -= tau·(vᴴ·y)·v with reflector k, whose first entry, 1, is not stored.
template <class Pack>
void reflect_complex(ComplexSvdWork<Pack> const& at, int k, ComplexPack<Pack>* y) {
  ComplexPack<Pack> const* const v = at.f(k);
  ComplexPack<Pack> const product = complex_dot(v, y, k + 1, at.m, y[k]);
  ComplexPack<Pack> const w{-at.tau[k] * product.re, -at.tau[k] * product.im};
  y[k].re += w.re;
  y[k].im += w.im;
  add_multiple(w, v, y, k + 1, at.m);
}

/// B·P = Q·R as `pivoted_complex_qr` makes it. Returns the lanes in which less than range is left
/// of some column; their results are of no use. 12mn² - 4n³ flops.
template <class Pack>
typename Pack::Mask factorise_complex(ComplexSvdWork<Pack> const& at) {
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  Pack const least = carroll::detail::power_of_two<Real>(-2 * complex_svd_range<Real>);
  Mask failed = Mask(0);
  for (int j = 0; j < at.n; ++j) {
    at.columns[j] = Ints(j);
    at.squares[j] = sum_of_squares(at.f(j), 0, at.m);
  }
  for (int k = 0; k < at.n; ++k) {
    Pack longest = at.squares[k];
    Ints pivot = Ints(k);
    for (int j = k + 1; j < at.n; ++j) {
      Mask const longer = at.squares[j] > longest;
      longest = select(longer, at.squares[j], longest);
      pivot = select(longer, Ints(j), pivot);
    }
    exchange_complex_columns(at, k, pivot);
    Mask const fine = longest > least;
    failed = failed | ~fine;
    Pack const norm = sqrt(select(fine, longest, Pack(1)));
    // Its first entry in units of the norm: where its square is not known it is nothing. A phase of
    // another size than 1 would not make a reflector.
    ComplexPack<Pack>* const v = at.f(k);
    Pack const re = v[k].re / norm, im = v[k].im / norm;
    Pack const square = accumulate(re * re, im, im);
    Mask const has_phase =
        square > Pack(carroll::detail::power_of_two<Real>(negligible_exponent<Real>));
    Pack const size = select(has_phase, sqrt(square), Pack(0));
    Pack const divisor = select(has_phase, size, Pack(1));
    Pack const phase_re = select(has_phase, re / divisor, Pack(1)),
               phase_im = select(has_phase, im / divisor, Pack(0));
    Pack const inverse = Pack(1) / ((Pack(1) + size) * norm);
    Pack const fr = phase_re * inverse, fi = -phase_im * inverse;
    at.tau[k] = Pack(1) + size;
    v[k] = {-phase_re * norm, -phase_im * norm};
    for (int i = k + 1; i < at.m; ++i) {
      ComplexPack<Pack> const z = v[i];
      v[i] = {subtract_product(fr * z.re, fi, z.im), accumulate(fr * z.im, fi, z.re)};
    }
    for (int j = k + 1; j < at.n; ++j) {
      reflect_complex(at, k, at.f(j));
      at.squares[j] = sum_of_squares(at.f(j), k + 1, at.m);
    }
  }
  return failed;
}

}  // namespace carroll::detail::simd
