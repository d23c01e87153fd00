// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/problem.hpp>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Products of a host's blocks of columns, tile by tile in vector registers. The order of every sum
/// depends on the sizes alone.
namespace carroll::detail::blocks {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// As many numbers as a vector register holds.
template <class Real>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float Type __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
  typedef float Register __attribute__((vector_size(vector_bytes)));
};
template <>
struct VectorOf<double> {
  typedef double Type __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
  typedef double Register __attribute__((vector_size(vector_bytes)));
};
template <class Real>
using Vector = typename VectorOf<Real>::Register;
template <class Real>
inline constexpr int length = vector_bytes / static_cast<int>(sizeof(Real));

template <class Real>
Vector<Real> load(Real const* x) {
  return *reinterpret_cast<typename VectorOf<Real>::Type const*>(x);
}
template <class Real>
void store(Real* x, Vector<Real> v) {
  *reinterpret_cast<typename VectorOf<Real>::Type*>(x) = v;
}

/// f(k) for 0 <= k < n, dealt out to the threads of a team; for functions that are the host's only,
/// which a device compiler does not let Kokkos' own loops call.
template <class Member, class F>
void share_out(Member const& team, int n, F const& f) {
  for (int k = team.team_rank(); k < n; k += team.team_size()) f(k);
}

/// sum + a·b, rounded once where the hardware has it: compilers in strict ISO mode do not fuse.
#if defined(__AVX512F__)
inline Vector<double> accumulate(Vector<double> sum, Vector<double> a, Vector<double> b) {
  return _mm512_fmadd_pd(a, b, sum);
}
inline Vector<float> accumulate(Vector<float> sum, Vector<float> a, Vector<float> b) {
  return _mm512_fmadd_ps(a, b, sum);
}
#elif defined(__FMA__)
inline Vector<double> accumulate(Vector<double> sum, Vector<double> a, Vector<double> b) {
  return _mm256_fmadd_pd(a, b, sum);
}
inline Vector<float> accumulate(Vector<float> sum, Vector<float> a, Vector<float> b) {
  return _mm256_fmadd_ps(a, b, sum);
}
#else
inline Vector<double> accumulate(Vector<double> sum, Vector<double> a, Vector<double> b) {
  return sum + a * b;
}
inline Vector<float> accumulate(Vector<float> sum, Vector<float> a, Vector<float> b) {
  return sum + a * b;
}
#endif

/// The products of N columns with N columns of n entries each: dots[i][j] = x[i]·y[j].
template <int N, class Real>
void dot_tile(Real const* const (&x)[N], Real const* const (&y)[N], int n, Real (&dots)[N][N]) {
  Vector<Real> sums[N][N] = {};
  int k = 0;
  for (; k + length<Real> <= n; k += length<Real>) {
    Vector<Real> a[N];
    for (int i = 0; i < N; ++i) a[i] = load(x[i] + k);
    for (int j = 0; j < N; ++j) {
      Vector<Real> const b = load(y[j] + k);
      for (int i = 0; i < N; ++i) sums[i][j] = accumulate(sums[i][j], a[i], b);
    }
  }
  // By halves, all sums side by side.
  constexpr int L = length<Real>;
  alignas(64) Real parts[L][N * N];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      for (int l = 0; l < L; ++l) parts[l][i * N + j] = sums[i][j][l];
  for (int half = L / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l)
      for (int s = 0; s < N * N; ++s) parts[l][s] += parts[l + half][s];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      Real rest = 0;
      for (int r = k; r < n; ++r) rest += x[i][r] * y[j][r];
      dots[i][j] = parts[0][i * N + j] + rest;
    }
}

/// Rows that are worked on at once by `multiply_rows`.
template <class Real>
inline constexpr int tile_rows = 2 * length<Real>;

/// out(:, j) = in·T(:, j) for N columns j of tile_rows rows; in has `depth` columns without gaps,
/// T has leading dimension ld.
template <int N, class Real>
void multiply_tile(Real const* in, int depth, Real const* T, int ld, Real* const (&out)[N]) {
  Vector<Real> sums[N][2] = {};
  for (int k = 0; k < depth; ++k) {
    Vector<Real> const low = load(in + k * tile_rows<Real>);
    Vector<Real> const high = load(in + k * tile_rows<Real> + length<Real>);
    for (int j = 0; j < N; ++j) {
      Vector<Real> const t = T[k + j * ld] - Vector<Real>{};
      sums[j][0] = accumulate(sums[j][0], low, t);
      sums[j][1] = accumulate(sums[j][1], high, t);
    }
  }
  for (int j = 0; j < N; ++j) {
    store<Real>(out[j], sums[j][0]);
    store<Real>(out[j] + length<Real>, sums[j][1]);
  }
}

}  // namespace carroll::detail::blocks
