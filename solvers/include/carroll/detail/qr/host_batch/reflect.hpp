// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/host_lanes.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/host_batch/work.hpp>
#include <carroll/detail/simd/field.hpp>

/// Householder reflectors of as many matrices as a register has lanes.
namespace carroll::detail::simd {

/// What makes a column's tail v, and its R's diagonal entry: H = I - tau·v·vᴴ, Hᴴ·x = beta·e₁.
template <class Number>
struct Reflector {
  RealPackOf<Number> beta;
  Number tau, inverse;  ///< v's tail is that of x times `inverse`
};

/// From the first entry and the square of the norm of the others, as LAPACK's xLARFG has it. Where
/// that is negligible it counts as zero: the reflector is the identity then.
template <class Pack>
Reflector<Pack> reflector(Pack const& alpha, Pack const& square) {
  using Real = typename Pack::Number;
  Pack const least = carroll::detail::power_of_two<Real>(2 * negligible_part<Real>);
  auto const reflects = square > least;
  Pack const norm = sqrt(accumulate(square, alpha, alpha));
  Pack const beta = select(reflects, select(alpha < Pack(0), norm, -norm), Pack(1));
  return {select(reflects, beta, alpha), select(reflects, (beta - alpha) / beta, Pack(0)),
          select(reflects, Pack(1) / (alpha - beta), Pack(0))};
}

/// Of complex numbers; where the tail is negligible the reflector takes the phase from alpha, of
/// which the square may be too small to be known.
template <class Pack>
Reflector<ComplexPack<Pack>> reflector(ComplexPack<Pack> const& alpha, Pack const& square) {
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  Pack const least = carroll::detail::power_of_two<Real>(2 * negligible_part<Real>);
  auto const reflects = square > least;
  Pack const all = accumulate(accumulate(square, alpha.re, alpha.re), alpha.im, alpha.im);
  Pack const norm = sqrt(all);
  Pack const beta = select(reflects, select(alpha.re < Pack(0), norm, -norm), Pack(1));
  // alpha - beta, and its square, which is no less than that of the norm
  Pack const re = alpha.re - beta;
  Pack const size = select(reflects, accumulate(re * re, alpha.im, alpha.im), Pack(1));
  Reflector<ComplexPack<Pack>> made{
      beta, {-re / beta, -alpha.im / beta}, {re / size, -alpha.im / size}};
  if (!any(~reflects)) return made;
  Pack const largest = max(abs(alpha.re), abs(alpha.im));
  auto const there = largest > Pack(0);
  Ints const exponent = there & Ints(exponent_of(largest));
  Ints const down = -exponent >> 1, up = exponent >> 1;
  Pack const first = Pack::power_of_two(down), second = Pack::power_of_two(-exponent - down);
  Pack const x = alpha.re * first * second, y = alpha.im * first * second;
  Pack const scaled = sqrt(accumulate(x * x, y, y));
  Pack const divisor = select(there, scaled, Pack(1));
  Pack const modulus = scaled * Pack::power_of_two(up) * Pack::power_of_two(exponent - up);
  Pack const phase_re = select(there, x / divisor, Pack(1)),
             phase_im = select(there, y / divisor, Pack(0));
  made.beta = select(reflects, made.beta, modulus);
  made.tau = select(reflects, made.tau, ComplexPack<Pack>{Pack(1) - phase_re, -phase_im});
  made.inverse = select(reflects, made.inverse, ComplexPack<Pack>{Pack(0), Pack(0)});
  return made;
}

/// The reflector of column j.
template <class Number>
void make_reflector(QrWork<Number> const& at, int j) {
  using Pack = RealPackOf<Number>;
  Number* const x = at.col(j);
  Pack square = Pack(0), other = Pack(0);
  int i = j + 1;
  for (; i + 2 <= at.m; i += 2) {
    add_square(square, x[i]);
    add_square(other, x[i + 1]);
  }
  if (i < at.m) add_square(square, x[i]);
  square += other;
  Reflector<Number> const made = reflector(x[j], square);
  at.tau[j] = made.tau;
  at.beta[j] = made.beta;
  for (i = j + 1; i < at.m; ++i) x[i] = x[i] * made.inverse;
}

/// Minus the factor of reflector j, as it takes part in Q·y, `backwards`, or Qᴴ·y.
template <bool backwards, class Number>
Number minus_factor(QrWork<Number> const& at, int j) {
  return backwards ? -at.tau[j] : -conjugate(at.tau[j]);
}

/// y := Hᴴ·y, or, `backwards`, H·y, for C columns whose entries from row j on are y[c]:
/// w = tau·vᴴy, y -= w·v.
template <int C, bool backwards, class Number>
void reflect(QrWork<Number> const& at, int j, Number* const* y) {
  Number const* const v = at.col(j) + j;
  int const rows = at.m - j;
  Number even[C], odd[C];
  for (int c = 0; c < C; ++c) {
    even[c] = y[c][0];
    odd[c] = real_number<Number>(RealPackOf<Number>(0));
  }
  int i = 1;
  for (; i + 2 <= rows; i += 2) {
    Number const first = v[i], second = v[i + 1];
    for (int c = 0; c < C; ++c) {
      add_conjugate_product(even[c], first, y[c][i]);
      add_conjugate_product(odd[c], second, y[c][i + 1]);
    }
  }
  if (i < rows)
    for (int c = 0; c < C; ++c) add_conjugate_product(even[c], v[i], y[c][i]);
  Number const minus_tau = minus_factor<backwards>(at, j);
  Number w[C];
  for (int c = 0; c < C; ++c) {
    w[c] = minus_tau * (even[c] + odd[c]);
    y[c][0] += w[c];
  }
  for (i = 1; i < rows; ++i) {
    Number const vi = v[i];
    for (int c = 0; c < C; ++c) y[c][i].add_product(vi, w[c]);
  }
}

/// v₁ᴴv₀ of reflectors j + 1 and j, for `reflect_twice`.
template <class Number>
void cross_product(QrWork<Number> const& at, int j) {
  Number const *const first = at.col(j), *const second = at.col(j + 1);
  Number sum = first[j + 1];
  for (int i = j + 2; i < at.m; ++i) add_conjugate_product(sum, second[i], first[i]);
  at.cross[j / 2] = sum;
}

/// The same as `reflect` for reflectors j and j + 1, j even: the first one first, or, `backwards`,
/// last. Columns are read and written once for both.
template <int C, bool backwards, class Number>
void reflect_twice(QrWork<Number> const& at, int j, Number* const* y) {
  Number const *const v0 = at.col(j) + j, *const v1 = at.col(j + 1) + j;
  int const rows = at.m - j;
  Number s0[C], s1[C];
  for (int c = 0; c < C; ++c) {
    s0[c] = accumulate_conjugate(y[c][0], v0[1], y[c][1]);
    s1[c] = y[c][1];
  }
  for (int i = 2; i < rows; ++i) {
    Number const a = v0[i], b = v1[i];
    for (int c = 0; c < C; ++c) {
      Number const x = y[c][i];
      add_conjugate_product(s0[c], a, x);
      add_conjugate_product(s1[c], b, x);
    }
  }
  Number const tau0 = minus_factor<backwards>(at, j), tau1 = minus_factor<backwards>(at, j + 1);
  Number const cross = at.cross[j / 2];
  for (int c = 0; c < C; ++c) {
    if (backwards) {
      s1[c] = tau1 * s1[c];
      s0[c] = tau0 * accumulate(s0[c], s1[c], conjugate(cross));
    } else {
      s0[c] = tau0 * s0[c];
      s1[c] = tau1 * accumulate(s1[c], s0[c], cross);
    }
    y[c][0] += s0[c];
    y[c][1] = accumulate(y[c][1] + s1[c], v0[1], s0[c]);
  }
  for (int i = 2; i < rows; ++i) {
    Number const a = v0[i], b = v1[i];
    for (int c = 0; c < C; ++c) {
      Number x = y[c][i];
      x.add_product(a, s0[c]);
      x.add_product(b, s1[c]);
      y[c][i] = x;
    }
  }
}

/// y := H₀⋯H_{count-1}·y, `backwards`, or the same conjugate transposed, for C columns.
template <int C, bool backwards, class Number>
void reflect_by_all(QrWork<Number> const& at, int count, Number* const* columns) {
  auto const from = [&](int row, auto const& f) {
    Number* y[C];
    for (int c = 0; c < C; ++c) y[c] = columns[c] + row;
    f(y);
  };
  int const paired = count & ~1;
  auto const last = [&] {
    if (paired < count)
      from(paired, [&](Number* const* y) { reflect<C, backwards>(at, paired, y); });
  };
  if (backwards) {
    last();
    for (int j = paired - 2; j >= 0; j -= 2)
      from(j, [&](Number* const* y) { reflect_twice<C, true>(at, j, y); });
  } else {
    for (int j = 0; j < paired; j += 2)
      from(j, [&](Number* const* y) { reflect_twice<C, false>(at, j, y); });
    last();
  }
}

/// R and the reflectors of A, strip by strip of columns, which stay in cache while all reflectors
/// before them are applied. 2mn² - 2n³/3 flops.
template <class Number>
void factorise(QrWork<Number> const& at) {
  constexpr int strip = qr_strip<parts_of<Number>>;
  for (int s = 0; s < at.n; s += strip) {
    int const end = std::min(at.n, s + strip), before = std::min(s, at.k);
    for_strips<strip>(s, end, [&]<int C>(int j) {
      Number* y[C];
      for (int c = 0; c < C; ++c) y[c] = at.col(j + c);
      reflect_by_all<C, false>(at, before, y);
    });
    for (int j = s; j < std::min(end, at.k); ++j) {
      make_reflector(at, j);
      if (j % 2 == 1) cross_product(at, j - 1);
      for_strips<strip>(j + 1, end, [&]<int C>(int first) {
        Number* y[C];
        for (int c = 0; c < C; ++c) y[c] = at.col(first + c) + j;
        reflect<C, false>(at, j, y);
      });
    }
  }
}

/// Q's columns [first, first + C), without the signs of R's diagonal, into at.Q.
template <int C, class Number>
void form_columns(QrWork<Number> const& at, int first) {
  using Pack = RealPackOf<Number>;
  Number* y[C];
  for (int c = 0; c < C; ++c) {
    y[c] = at.Q + static_cast<std::ptrdiff_t>(c) * at.m;
    for (int i = 0; i < at.m; ++i) y[c][i] = real_number<Number>(Pack(0));
    y[c][first + c] = real_number<Number>(Pack(1));
  }
  // Later reflectors leave these columns alone.
  reflect_by_all<C, true>(at, std::min(at.k, first + C), y);
}

}  // namespace carroll::detail::simd
