// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/host_lanes.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/host_batch/work.hpp>

/// Householder reflectors of as many matrices as a register has lanes.
namespace carroll::detail::simd {

/// The reflector of column j, as LAPACK's xLARFG makes it. What is negligible below the diagonal is
/// dropped: the reflector is the identity then.
template <class Pack>
void make_reflector(QrWork<Pack> const& at, int j) {
  using Real = typename Pack::Number;
  Pack const least = carroll::detail::power_of_two<Real>(2 * negligible_part<Real>);
  Pack* const x = at.col(j);
  Pack const alpha = x[j];
  Pack square = Pack(0), other = Pack(0);
  int i = j + 1;
  for (; i + 2 <= at.m; i += 2) {
    square.add_product(x[i], x[i]);
    other.add_product(x[i + 1], x[i + 1]);
  }
  if (i < at.m) square.add_product(x[i], x[i]);
  square += other;
  auto const reflects = square > least;
  Pack const norm = sqrt(accumulate(square, alpha, alpha));
  Pack const beta = select(reflects, select(alpha < Pack(0), norm, -norm), Pack(1));
  Pack const inverse = select(reflects, Pack(1) / (alpha - beta), Pack(0));
  at.tau[j] = select(reflects, (beta - alpha) / beta, Pack(0));
  at.beta[j] = select(reflects, beta, alpha);
  for (i = j + 1; i < at.m; ++i) x[i] = x[i] * inverse;
}

/// y := H·y for C columns whose entries from row j on are y[c]: w = tau·vᵀy, y -= w·v.
template <int C, class Pack>
void reflect(QrWork<Pack> const& at, int j, Pack* const* y) {
  Pack const* const v = at.col(j) + j;
  int const rows = at.m - j;
  Pack even[C], odd[C];
  for (int c = 0; c < C; ++c) {
    even[c] = y[c][0];
    odd[c] = Pack(0);
  }
  int i = 1;
  for (; i + 2 <= rows; i += 2) {
    Pack const first = v[i], second = v[i + 1];
    for (int c = 0; c < C; ++c) {
      even[c].add_product(first, y[c][i]);
      odd[c].add_product(second, y[c][i + 1]);
    }
  }
  if (i < rows)
    for (int c = 0; c < C; ++c) even[c].add_product(v[i], y[c][i]);
  Pack w[C];
  for (int c = 0; c < C; ++c) {
    w[c] = -at.tau[j] * (even[c] + odd[c]);
    y[c][0] += w[c];
  }
  for (i = 1; i < rows; ++i) {
    Pack const vi = v[i];
    for (int c = 0; c < C; ++c) y[c][i].add_product(vi, w[c]);
  }
}

/// v₁ᵀv₀ of reflectors j + 1 and j, for `reflect_twice`.
template <class Pack>
void cross_product(QrWork<Pack> const& at, int j) {
  Pack const *const first = at.col(j), *const second = at.col(j + 1);
  Pack sum = first[j + 1];
  for (int i = j + 2; i < at.m; ++i) sum.add_product(first[i], second[i]);
  at.cross[j / 2] = sum;
}

/// The same as `reflect` for reflectors j and j + 1, j even: the first one first, or, `backwards`,
/// last. Columns are read and written once for both.
template <int C, bool backwards, class Pack>
void reflect_twice(QrWork<Pack> const& at, int j, Pack* const* y) {
  Pack const *const v0 = at.col(j) + j, *const v1 = at.col(j + 1) + j;
  int const rows = at.m - j;
  Pack s0[C], s1[C];
  for (int c = 0; c < C; ++c) {
    s0[c] = accumulate(y[c][0], v0[1], y[c][1]);
    s1[c] = y[c][1];
  }
  for (int i = 2; i < rows; ++i) {
    Pack const a = v0[i], b = v1[i];
    for (int c = 0; c < C; ++c) {
      Pack const x = y[c][i];
      s0[c].add_product(a, x);
      s1[c].add_product(b, x);
    }
  }
  Pack const tau0 = -at.tau[j], tau1 = -at.tau[j + 1], cross = at.cross[j / 2];
  for (int c = 0; c < C; ++c) {
    if (backwards) {
      s1[c] = tau1 * s1[c];
      s0[c] = tau0 * accumulate(s0[c], s1[c], cross);
    } else {
      s0[c] = tau0 * s0[c];
      s1[c] = tau1 * accumulate(s1[c], s0[c], cross);
    }
    y[c][0] += s0[c];
    y[c][1] = accumulate(y[c][1] + s1[c], v0[1], s0[c]);
  }
  for (int i = 2; i < rows; ++i) {
    Pack const a = v0[i], b = v1[i];
    for (int c = 0; c < C; ++c) {
      Pack x = y[c][i];
      x.add_product(a, s0[c]);
      x.add_product(b, s1[c]);
      y[c][i] = x;
    }
  }
}

/// y := H₀⋯H_{count-1}·y, or the same transposed, for C columns.
template <int C, bool backwards, class Pack>
void reflect_by_all(QrWork<Pack> const& at, int count, Pack* const* columns) {
  auto const from = [&](int row, auto const& f) {
    Pack* y[C];
    for (int c = 0; c < C; ++c) y[c] = columns[c] + row;
    f(y);
  };
  int const paired = count & ~1;
  auto const last = [&] {
    if (paired < count) from(paired, [&](Pack* const* y) { reflect<C>(at, paired, y); });
  };
  if (backwards) {
    last();
    for (int j = paired - 2; j >= 0; j -= 2)
      from(j, [&](Pack* const* y) { reflect_twice<C, true>(at, j, y); });
  } else {
    for (int j = 0; j < paired; j += 2)
      from(j, [&](Pack* const* y) { reflect_twice<C, false>(at, j, y); });
    last();
  }
}

/// R and the reflectors of A, strip by strip of columns, which stay in cache while all reflectors
/// before them are applied. 2mn² - 2n³/3 flops.
template <class Pack>
void factorise(QrWork<Pack> const& at) {
  for (int s = 0; s < at.n; s += qr_strip) {
    int const end = std::min(at.n, s + qr_strip), before = std::min(s, at.k);
    for_strips(s, end, [&]<int C>(int j) {
      Pack* y[C];
      for (int c = 0; c < C; ++c) y[c] = at.col(j + c);
      reflect_by_all<C, false>(at, before, y);
    });
    for (int j = s; j < std::min(end, at.k); ++j) {
      make_reflector(at, j);
      if (j % 2 == 1) cross_product(at, j - 1);
      for_strips(j + 1, end, [&]<int C>(int first) {
        Pack* y[C];
        for (int c = 0; c < C; ++c) y[c] = at.col(first + c) + j;
        reflect<C>(at, j, y);
      });
    }
  }
}

/// Q's columns [first, first + C), without the signs of R's diagonal, into at.Q.
template <int C, class Pack>
void form_columns(QrWork<Pack> const& at, int first) {
  Pack* y[C];
  for (int c = 0; c < C; ++c) {
    y[c] = at.Q + static_cast<std::ptrdiff_t>(c) * at.m;
    for (int i = 0; i < at.m; ++i) y[c][i] = Pack(0);
    y[c][first + c] = Pack(1);
  }
  // Later reflectors leave these columns alone.
  reflect_by_all<C, true>(at, std::min(at.k, first + C), y);
}

}  // namespace carroll::detail::simd
