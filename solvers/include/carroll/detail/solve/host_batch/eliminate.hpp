// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/solve/host_batch/work.hpp>
#include <cstddef>

/// Elimination with partial pivoting of as many matrices as a register has lanes, each with pivots
/// of its own.
namespace carroll::detail::simd {

/// In every lane the entry of y in the row that the lane says.
template <class Pack>
Pack entry_at(Pack const* y, typename Pack::Ints const& row) {
  auto const* const numbers = reinterpret_cast<typename Pack::Number const*>(y);
  Pack x;
  for (int l = 0; l < Pack::width; ++l)
    x.set(l, numbers[static_cast<std::ptrdiff_t>(row[l]) * Pack::width + l]);
  return x;
}

/// Step k on C columns: rows k and pivots[k] change places, and row k, times the factors of L, is
/// taken from those below. Exchanges are selections on the way; `largest` follows row k, that of U.
template <int C, class Pack>
void eliminate(SolveWork<Pack> const& at, int k, Pack* const* y, Pack& largest) {
  using Ints = typename Pack::Ints;
  Ints const pivot = at.pivots[k];
  Pack const* const factors = at.col(k);
  Pack first[C], by[C];
  for (int c = 0; c < C; ++c) {
    first[c] = y[c][k];
    Pack const u = entry_at(y[c], pivot);
    y[c][k] = u;
    by[c] = -u;
    largest = max(abs(u), largest);
  }
  for (int i = k + 1; i < at.n; ++i) {
    auto const here = pivot == Ints(i);
    Pack const factor = factors[i];
    for (int c = 0; c < C; ++c) {
      Pack x = select(here, first[c], y[c][i]);
      x.add_product(factor, by[c]);
      y[c][i] = x;
    }
  }
}

/// The pivot of column k, the first of the largest entries, and the factors of L below it.
template <class Pack>
void choose_pivot(SolveWork<Pack> const& at, int k, typename Pack::Mask& singular, Pack& largest) {
  using Ints = typename Pack::Ints;
  Pack* const y = at.col(k);
  Pack const first = y[k];
  Pack best = abs(first);
  Ints pivot = Ints(k);
  for (int i = k + 1; i < at.n; ++i) {
    Pack const size = abs(y[i]);
    auto const larger = size > best;
    best = select(larger, size, best);
    pivot = select(larger, Ints(i), pivot);
  }
  Pack const u = entry_at(y, pivot);
  auto const gone = best <= Pack(0);
  singular = singular | gone;
  largest = max(best, largest);
  Pack const inverse = Pack(1) / select(gone, Pack(1), u);
  at.pivots[k] = pivot;
  at.inverses[k] = inverse;
  y[k] = u;
  for (int i = k + 1; i < at.n; ++i) y[i] = select(pivot == Ints(i), first, y[i]) * inverse;
}

/// L and U, strip by strip of columns, which stay in cache while all steps before them are done.
/// Tells the lanes that are singular, and U's largest entry. 2n³/3 flops.
template <class Pack>
void factorise(SolveWork<Pack> const& at, typename Pack::Mask& singular, Pack& largest) {
  auto const step = [&]<int C>(int k, int first) {
    Pack* y[C];
    for (int c = 0; c < C; ++c) y[c] = at.col(first + c);
    eliminate<C>(at, k, y, largest);
  };
  for (int s = 0; s < at.n; s += host_strip) {
    int const end = std::min(at.n, s + host_strip);
    for_strips(s, end, [&]<int C>(int first) {
      for (int k = 0; k < s; ++k) step.template operator()<C>(k, first);
    });
    for (int k = s; k < end; ++k) {
      choose_pivot(at, k, singular, largest);
      for_strips(k + 1, end, [&]<int C>(int first) { step.template operator()<C>(k, first); });
    }
  }
}

/// y := A⁻¹·y for C right-hand sides. 2n² flops each.
template <int C, class Pack>
void solve(SolveWork<Pack> const& at, Pack* const* y) {
  Pack largest = Pack(0);
  for (int k = 0; k < at.n; ++k) eliminate<C>(at, k, y, largest);
  for (int j = at.n - 1; j >= 0; --j) {
    Pack const* const u = at.col(j);
    Pack by[C];
    for (int c = 0; c < C; ++c) {
      Pack const x = y[c][j] * at.inverses[j];
      y[c][j] = x;
      by[c] = -x;
    }
    for (int i = 0; i < j; ++i) {
      Pack const entry = u[i];
      for (int c = 0; c < C; ++c) y[c][i].add_product(entry, by[c]);
    }
  }
}

/// Σ a[i]·y[i] for begin <= i < end.
template <class Pack>
Pack product_of(Pack const* a, Pack const* y, int begin, int end) {
  Pack sum[4] = {Pack(0), Pack(0), Pack(0), Pack(0)};
  int i = begin;
  for (; i + 4 <= end; i += 4)
    for (int k = 0; k < 4; ++k) sum[k].add_product(a[i + k], y[i + k]);
  for (; i < end; ++i) sum[0].add_product(a[i], y[i]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// y := A⁻ᵀ·y.
template <class Pack>
void solve_transposed(SolveWork<Pack> const& at, Pack* y) {
  using Real = typename Pack::Number;
  for (int j = 0; j < at.n; ++j) y[j] = (y[j] - product_of(at.col(j), y, 0, j)) * at.inverses[j];
  for (int k = at.n - 2; k >= 0; --k) {
    Pack const x = y[k] - product_of(at.col(k), y, k + 1, at.n);
    auto* const numbers = reinterpret_cast<Real*>(y);
    Pack first;
    for (int l = 0; l < Pack::width; ++l) {
      auto const p = static_cast<std::ptrdiff_t>(at.pivots[k][l]);
      first.set(l, p == k ? x[l] : numbers[p * Pack::width + l]);
      numbers[p * Pack::width + l] = x[l];
    }
    y[k] = first;
  }
}

}  // namespace carroll::detail::simd
