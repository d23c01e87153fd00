// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/host_batch/pack.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <utility>

/// Householder QR with column pivoting of `width` matrices at once, and its use.
namespace carroll::detail::simd {

/// Parts of a column whose squared length is below this, where the column's entries are at most 1,
/// are left to the team kernels: 2^-459 of it in length.
inline double negligible_square() {
  return carroll::detail::power_of_two<double>(negligible_exponent<double>);
}

/// start + Σ x[i]·y[i] for begin <= i < end, in four partial sums.
template <class T>
T short_dot(T const* x, T const* y, int begin, int end, T const& start) {
  T sums[4] = {start, T(0.0), T(0.0), T(0.0)};
  int i = begin;
  for (; i + 4 <= end; i += 4)
    for (int u = 0; u < 4; ++u) sums[u].add_product(x[i + u], y[i + u]);
  for (; i < end; ++i) sums[0].add_product(x[i], y[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// The same of any length: by halves, as long as they are long, so that the error grows with the
/// logarithm of the length. See column_sums().
template <class T>
T dot(T const* x, T const* y, int begin, int end, T const& start = T(0.0)) {
  constexpr int stretch = 64;
  if (end - begin <= stretch) return short_dot(x, y, begin, end, start);
  T sum;
  by_itself<T::bytes>([&] {
    int const middle = begin + (end - begin) / 2;
    sum = dot(x, y, begin, middle, start) + dot(x, y, middle, end);
  });
  return sum;
}

/// Column j of a factor stands for F(:, j)·2^exponents[j].
template <class T>
struct Factor {
  using Ints = typename T::Ints;
  PackColumns<T> F;
  int cols;
  Ints* exponents;
  T* norms;
  T* tau;
  Ints* permutation;
};

/// Exchanges columns k and pivot, a different one in every lane.
template <class T>
void exchange_columns(Factor<T> const& A, int k, typename T::Ints const& pivot) {
  constexpr int words = sizeof(T) / sizeof(Leading<T>), width = T::width;
  for (int l = 0; l < width; ++l) {
    auto const p = static_cast<int>(pivot[l]);
    if (p == k) continue;
    auto* const a = reinterpret_cast<double*>(A.F.col(k)) + l;
    auto* const b = reinterpret_cast<double*>(A.F.col(p)) + l;
    for (int i = 0; i < A.F.rows * words; ++i) std::swap(a[i * width], b[i * width]);
    auto const exchange = [l, k, p](auto* x) {
      auto const kept = x[k][l];
      x[k].set(l, x[p][l]);
      x[p].set(l, kept);
    };
    exchange(A.exponents);
    exchange(A.permutation);
    auto* const norms = reinterpret_cast<double*>(A.norms);
    for (int w = 0; w < words; ++w)
      std::swap(norms[(k * words + w) * width + l], norms[(p * words + w) * width + l]);
  }
}

/// The first of the largest norms[j]·2^exponents[j], k <= j.
template <class T>
typename T::Ints largest_column(Factor<T> const& A, int k) {
  using Pack = Leading<T>;
  using Ints = typename T::Ints;
  using Mask = typename T::Mask;
  Ints best = k, best_exponent = -(1 << 30);
  Pack best_mantissa = 0.0;
  for (int j = k; j < A.cols; ++j) {
    Pack const norm = leading(A.norms[j]);
    Ints const e = exponent_of(norm);
    Ints const exponent = e + A.exponents[j];
    Pack const mantissa = norm * Pack::power_of_two(-e);
    Mask const zero = norm <= Pack(0.0);
    Mask const larger = ~zero & ((exponent > best_exponent) |
                                 ((exponent == best_exponent) & (mantissa > best_mantissa)));
    best = select(larger, Ints(j), best);
    best_exponent = select(larger, exponent, best_exponent);
    best_mantissa = select(larger, mantissa, best_mantissa);
  }
  return best;
}

/// A·P = Q·R as `carroll::detail::pivoted_qr` makes it, one thread, a matrix per lane. Returns the
/// lanes that met a column with nothing left; their results are of no use. 3mn² - n³ flops.
template <class T>
typename T::Mask pivoted_qr(Factor<T> const& A) {
  using Pack = Leading<T>;
  using Mask = typename T::Mask;
  int const m = A.F.rows, n = A.cols;
  for (int j = 0; j < n; ++j) A.permutation[j] = j;
  Mask failed = 0;
  by_itself<T::bytes>([&] {
    for (int k = 0; k < n; ++k) {
      exchange_columns(A, k, largest_column(A, k));
      T* const v = A.F.col(k);
      Mask const none = ~(leading(A.norms[k]) > Pack(0.0));
      failed = failed | none;
      T const norm = select(none, T(1.0), A.norms[k]);
      T const alpha = v[k];
      T const beta = select(leading(alpha) < Pack(0.0), norm, -norm);
      T const tau = (beta - alpha) / beta;
      T const inverse = T(1.0) / (alpha - beta);
      v[k] = beta;
      for (int i = k + 1; i < m; ++i) v[i] = v[i] * inverse;
      A.tau[k] = tau;
      for (int j = k + 1; j < n; ++j) {
        T* const x = A.F.col(j);
        T const w = -(tau * dot(v, x, k + 1, m, x[k]));
        x[k] = x[k] + w;
        for (int i = k + 1; i < m; ++i) x[i] = accumulate(x[i], w, v[i]);
        T const square = dot(x, x, k + 1, m);
        Mask const usable = leading(square) > Pack(negligible_square());
        A.norms[j] = select(usable, square_root(select(usable, square, T(1.0))), T(0.0));
      }
    }
  });
  return failed;
}

/// The lanes in which some diagonal entry of R is smaller than 1/(12·n) of its column. Elsewhere
/// rounding in the QR disturbs singular values by a modest multiple of n·eps (A = B·D, cond(B) =
/// 1000, n = 2 to 20: below 25 with this limit, below 50 with half of it).
template <class Pack>
typename Pack::Mask poorly_separated(Factor<Pack> const& A) {
  using Mask = typename Pack::Mask;
  double const least = 1.0 / (12 * A.cols);
  Mask poor = 0;
  for (int k = 1; k < A.cols; ++k) {
    Pack const* const r = A.F.col(k);
    poor = poor | (abs(r[k]) < sqrt(dot(r, r, 0, k + 1)) * Pack(least));
  }
  return poor;
}

/// X := Rᵀ, lower triangular; column i, row i of R, gets its own exponent.
template <class Pack>
void transpose_triangle(Factor<Pack> const& A, PackColumns<Pack> const& X,
                        typename Pack::Ints* x_exponents) {
  using Ints = typename Pack::Ints;
  by_itself<Pack::bytes>([&] {
    int const n = A.cols;
    for (int i = 0; i < n; ++i) {
      Ints top = -(1 << 30);
      for (int j = i; j < n; ++j) {
        Pack const r = A.F(i, j);
        Ints const e = exponent_of(r) + A.exponents[j];
        top = select(abs(r) > Pack(0.0), max(top, e), top);
      }
      x_exponents[i] = top;
      Pack* const x = X.col(i);
      for (int j = 0; j < i; ++j) x[j] = 0.0;
      for (int j = i; j < n; ++j) x[j] = scale(A.F(i, j), A.exponents[j] - top);
    }
  });
}

/// The first `count` columns of B := H₀·H₁⋯H_{n-1}·B with the reflectors of A.
template <class Pack>
void apply_reflectors(Factor<Pack> const& A, PackColumns<Pack> const& B, int count) {
  by_itself<Pack::bytes>([&] {
    int const m = A.F.rows;
    for (int k = A.cols - 1; k >= 0; --k) {
      Pack const* const v = A.F.col(k);
      Pack const tau = A.tau[k];
      for (int j = 0; j < count; ++j) {
        Pack* const x = B.col(j);
        Pack const w = -(tau * dot(v, x, k + 1, m, x[k]));
        x[k] = x[k] + w;
        for (int i = k + 1; i < m; ++i) x[i] = accumulate(x[i], w, v[i]);
      }
    }
  });
}

}  // namespace carroll::detail::simd
