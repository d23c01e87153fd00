// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/solve/host_batch/sizes.hpp>
#include <carroll/detail/solve/host_batch/work.hpp>
#include <cstddef>

/// Elimination with partial pivoting of as many matrices as a register has lanes, each with pivots
/// of its own.
namespace carroll::detail::simd {

template <class Number>
using MaskOf = typename RealPackOf<Number>::Mask;

/// Step k on C columns: rows k and pivots[k] change places, and row k, times the factors of L, is
/// taken from those below. Exchanges are selections on the way; `largest` follows row k, that of U.
template <int C, class Number>
void eliminate(SolveWork<Number> const& at, int k, Number* const* y, RealPackOf<Number>& largest) {
  using Ints = typename RealPackOf<Number>::Ints;
  Ints const pivot = at.pivots[k];
  Number const* const factors = at.col(k);
  Number first[C], by[C];
  for (int c = 0; c < C; ++c) {
    first[c] = y[c][k];
    Number const u = entry_at(y[c], pivot);
    y[c][k] = u;
    by[c] = -u;
    largest = max(part_size(u), largest);
  }
  for (int i = k + 1; i < at.n; ++i) {
    auto const here = pivot == Ints(i);
    Number const factor = factors[i];
    for (int c = 0; c < C; ++c) {
      Number x = select(here, first[c], y[c][i]);
      x.add_product(factor, by[c]);
      y[c][i] = x;
    }
  }
}

/// The pivot of column k, the first of the largest entries, and the factors of L below it.
template <class Number>
void choose_pivot(SolveWork<Number> const& at, int k, MaskOf<Number>& singular,
                  RealPackOf<Number>& largest) {
  using Pack = RealPackOf<Number>;
  using Ints = typename Pack::Ints;
  Number* const y = at.col(k);
  Number const first = y[k];
  Pack best = size_of_pivot(first);
  Ints pivot = Ints(k);
  for (int i = k + 1; i < at.n; ++i) {
    Pack const size = size_of_pivot(y[i]);
    auto const larger = size > best;
    best = select(larger, size, best);
    pivot = select(larger, Ints(i), pivot);
  }
  Number const u = entry_at(y, pivot);
  auto const gone = best <= Pack(0);
  singular = singular | gone;
  largest = max(part_size(u), largest);
  Number const inverse = inverse_of_pivot(select(gone, real_number<Number>(Pack(1)), u));
  at.pivots[k] = pivot;
  at.inverses[k] = inverse;
  y[k] = u;
  for (int i = k + 1; i < at.n; ++i) y[i] = select(pivot == Ints(i), first, y[i]) * inverse;
}

/// L and U, strip by strip of columns, which stay in cache while all steps before them are done.
/// Tells the lanes that are singular, and U's largest entry. 2n³/3 flops.
template <class Number>
void factorise(SolveWork<Number> const& at, MaskOf<Number>& singular, RealPackOf<Number>& largest) {
  constexpr int strip = solve_columns<parts_of<Number>>;
  auto const step = [&]<int C>(int k, int first) {
    Number* y[C];
    for (int c = 0; c < C; ++c) y[c] = at.col(first + c);
    eliminate<C>(at, k, y, largest);
  };
  for (int s = 0; s < at.n; s += strip) {
    int const end = std::min(at.n, s + strip);
    for_strips<strip>(s, end, [&]<int C>(int first) {
      for (int k = 0; k < s; ++k) step.template operator()<C>(k, first);
    });
    for (int k = s; k < end; ++k) {
      choose_pivot(at, k, singular, largest);
      for_strips<strip>(k + 1, end,
                        [&]<int C>(int first) { step.template operator()<C>(k, first); });
    }
  }
}

/// y := A⁻¹·y for C right-hand sides. 2n² flops each.
template <int C, class Number>
void solve(SolveWork<Number> const& at, Number* const* y) {
  RealPackOf<Number> largest(0);
  for (int k = 0; k < at.n; ++k) eliminate<C>(at, k, y, largest);
  for (int j = at.n - 1; j >= 0; --j) {
    Number const* const u = at.col(j);
    Number by[C];
    for (int c = 0; c < C; ++c) {
      Number const x = y[c][j] * at.inverses[j];
      y[c][j] = x;
      by[c] = -x;
    }
    for (int i = 0; i < j; ++i) {
      Number const entry = u[i];
      for (int c = 0; c < C; ++c) y[c][i].add_product(entry, by[c]);
    }
  }
}

/// Σ a[i]·y[i] for begin <= i < end.
template <class Number>
Number product_of(Number const* a, Number const* y, int begin, int end) {
  auto const zero = real_number<Number>(RealPackOf<Number>(0));
  Number sum[4] = {zero, zero, zero, zero};
  int i = begin;
  for (; i + 4 <= end; i += 4)
    for (int k = 0; k < 4; ++k) sum[k].add_product(a[i + k], y[i + k]);
  for (; i < end; ++i) sum[0].add_product(a[i], y[i]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// y := A⁻ᵀ·y.
template <class Number>
void solve_transposed(SolveWork<Number> const& at, Number* y) {
  using Pack = RealPackOf<Number>;
  constexpr int parts = parts_of<Number>;
  for (int j = 0; j < at.n; ++j) y[j] = (y[j] + -product_of(at.col(j), y, 0, j)) * at.inverses[j];
  for (int k = at.n - 2; k >= 0; --k) {
    Number const x = y[k] + -product_of(at.col(k), y, k + 1, at.n);
    // Rows k and pivots[k] change places.
    y[k] = x;
    Number const first = entry_at(y, at.pivots[k]);
    auto* const numbers = at.numbers(y);
    auto const* const own = at.numbers(y + k);
    for (int l = 0; l < Pack::width; ++l)
      for (int part = 0; part < parts; ++part)
        numbers[(at.pivots[k][l] * parts + part) * Pack::width + l] = own[part * Pack::width + l];
    y[k] = first;
  }
}

}  // namespace carroll::detail::simd
