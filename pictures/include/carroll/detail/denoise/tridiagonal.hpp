// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/denoise/lane_numbers.hpp>
#include <cstdint>

/// Some of the largest eigenvalues of symmetric tridiagonal matrices, and their vectors: in each
/// lane of a Number a problem of its own, none of which sees the others.
namespace carroll::detail {

/// `order` ≥ 1; a lane's diagonal and what stands beside it: coupling[i] between i and i + 1.
template <class Number>
struct Tridiagonal {
  Number const* diagonal;
  Number const* coupling;
  int order;

  /// No eigenvalue is larger in size (Gershgorin); above 0.
  KOKKOS_INLINE_FUNCTION Number bound() const {
    Number largest(1e-30F), before(0.0F);
    for (int i = 0; i < order; ++i) {
      Number const after = i + 1 < order ? abs(coupling[i]) : Number(0.0F);
      largest = max(largest, abs(diagonal[i]) + before + after);
      before = after;
    }
    return largest * Number(1.0001F);
  }

  /// How many eigenvalues are above each of K numbers: pivots of L·D·Lᵀ − x above 0 (Sylvester's
  /// law of inertia). A pivot of 0 makes the next one −∞, which counts as it should; `least`, below
  /// the square of what rounding makes of couplings, keeps 0/0 away.
  template <int K>
  KOKKOS_INLINE_FUNCTION void counts_above(Number const (&x)[K], Number const& least,
                                           Number (&count)[K]) const {
    Number pivot[K];
    for (int k = 0; k < K; ++k) {
      pivot[k] = diagonal[0] - x[k];
      count[k] = select(pivot[k] > Number(0.0F), Number(1.0F), Number(0.0F));
    }
    for (int i = 1; i < order; ++i) {
      Number const squared = max(coupling[i - 1] * coupling[i - 1], least);
      Number const d = diagonal[i];
      for (int k = 0; k < K; ++k) {
        pivot[k] = d - x[k] - squared / pivot[k];
        count[k] = count[k] + select(pivot[k] > Number(0.0F), Number(1.0F), Number(0.0F));
      }
    }
  }

  /// The K largest eigenvalues from number `first` (0: the largest), of those in (low, high], by
  /// bisection to the last digit of `high`; anything in a lane that has not as many.
  template <int K>
  KOKKOS_INLINE_FUNCTION void eigenvalues(int first, Number const& low, Number const& high,
                                          Number (&value)[K]) const {
    constexpr int bits = 24;
    Number const least = high * high * Number(1e-15F);
    Number below[K], above[K], count[K];
    for (int k = 0; k < K; ++k) {
      below[k] = low;
      above[k] = high;
    }
    for (int step = 0; step < bits; ++step) {
      for (int k = 0; k < K; ++k) value[k] = (below[k] + above[k]) * Number(0.5F);
      counts_above(value, least, count);
      for (int k = 0; k < K; ++k) {
        auto const more = count[k] > Number(static_cast<float>(first + k));
        below[k] = select(more, value[k], below[k]);
        above[k] = select(more, above[k], value[k]);
      }
    }
    for (int k = 0; k < K; ++k) value[k] = (below[k] + above[k]) * Number(0.5F);
  }
};

/// A − x = P·L·U with rows exchanged, L·U of a tridiagonal matrix, for inverse iteration.
/// Five numbers a row.
template <class Number>
struct ShiftedFactors {
  Number* memory;
  int order;
  static KOKKOS_INLINE_FUNCTION std::int64_t numbers(int order) { return std::int64_t{5} * order; }

  /// Pivots are kept from 0 by `least`.
  KOKKOS_INLINE_FUNCTION void factor(Tridiagonal<Number> const& A, Number const& x,
                                     Number const& least) const {
    Number const zero(0.0F), one(1.0F);
    Number p = A.diagonal[0] - x;
    Number q = order > 1 ? A.coupling[0] : zero;
    for (int i = 0; i < order; ++i) {
      Number* const row = memory + 5 * i;
      if (i + 1 == order) {
        row[0] = select(abs(p) < least, least, p);
        return;
      }
      Number const e = A.coupling[i], d = A.diagonal[i + 1] - x;
      Number const f = i + 2 < order ? A.coupling[i + 1] : zero;
      auto const exchange = abs(e) > abs(p);
      Number pivot = select(exchange, e, p);
      pivot = select(abs(pivot) < least, least, pivot);
      Number const l = select(exchange, p, e) / pivot;
      row[0] = pivot;
      row[1] = select(exchange, d, q);
      row[2] = select(exchange, f, zero);
      row[3] = l;
      row[4] = select(exchange, one, zero);
      p = select(exchange, q - l * d, d - l * q);
      q = select(exchange, zero - l * f, f);
    }
  }
  /// x := L⁻¹·Pᵀ·x.
  KOKKOS_INLINE_FUNCTION void solve_lower(Number* x) const {
    Number current = x[0];
    for (int i = 0; i + 1 < order; ++i) {
      Number const* const row = memory + 5 * i;
      Number const next = x[i + 1];
      auto const exchange = row[4] > Number(0.5F);
      Number const first = select(exchange, next, current);
      current = select(exchange, current, next) - row[3] * first;
      x[i] = first;
    }
    x[order - 1] = current;
  }
  /// x := U⁻¹·x.
  KOKKOS_INLINE_FUNCTION void solve_upper(Number* x) const {
    Number one(0.0F), two(0.0F);
    for (int i = order - 1; i >= 0; --i) {
      Number const* const row = memory + 5 * i;
      Number sum = x[i];
      if (i + 1 < order) sum = sum - row[1] * one - row[2] * two;
      two = one;
      one = sum / row[0];
      x[i] = one;
    }
  }
};

inline constexpr int inverse_iterations = 2;

/// Where inverse iteration of vector k begins: numbers from 0.5 to 1 that look random.
template <class Number>
KOKKOS_INLINE_FUNCTION void start_vector(int k, int order, Number* x) {
  std::uint32_t state = 0x9E3779B9U * static_cast<std::uint32_t>(k + 1);
  for (int i = 0; i < order; ++i) {
    state = state * 1664525U + 1013904223U;
    x[i] = Number(0.5F + static_cast<float>(state >> 9U) * 0x1p-24F);
  }
}

/// Solutions grow by as much as a pivot is small.
template <class Number>
KOKKOS_INLINE_FUNCTION void divide_by_largest(int order, Number* x) {
  Number largest(1e-30F);
  for (int i = 0; i < order; ++i) largest = max(largest, abs(x[i]));
  Number const scale = Number(1.0F) / largest;
  for (int i = 0; i < order; ++i) x[i] = x[i] * scale;
}

/// Vectors of the `count` eigenvalues by inverse iteration (Wilkinson; Peters and Wilkinson 1979),
/// each made orthogonal to those before in every step, which is what separates eigenvalues that are
/// close: vectors[k·order + i]. `memory`: of ShiftedFactors.
template <class Number>
KOKKOS_INLINE_FUNCTION void tridiagonal_vectors(Tridiagonal<Number> const& A, int count,
                                                Number const* values, Number const& bound,
                                                Number* memory, Number* vectors) {
  int const n = A.order;
  ShiftedFactors<Number> const factors{memory, n};
  for (int k = 0; k < count; ++k) {
    Number* const x = vectors + std::int64_t{k} * n;
    factors.factor(A, values[k], bound * Number(1e-9F));
    start_vector(k, n, x);
    for (int iteration = 0; iteration < inverse_iterations; ++iteration) {
      if (iteration > 0) factors.solve_lower(x);
      factors.solve_upper(x);
      divide_by_largest(n, x);
      for (int j = 0; j < k; ++j) {
        Number const* const y = vectors + std::int64_t{j} * n;
        Number dot(0.0F);
        for (int i = 0; i < n; ++i) dot = dot + x[i] * y[i];
        for (int i = 0; i < n; ++i) x[i] = x[i] - dot * y[i];
      }
      Number squares(1e-30F);
      for (int i = 0; i < n; ++i) squares = squares + x[i] * x[i];
      Number const normalise = Number(1.0F) / sqrt(squares);
      for (int i = 0; i < n; ++i) x[i] = x[i] * normalise;
    }
  }
}

}  // namespace carroll::detail
