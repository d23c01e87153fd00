// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <utility>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Products of a host's columns, tile by tile in vector registers. The order of every sum depends
/// on the sizes alone. Columns begin at vector boundaries and are filled up with zeros to whole
/// tiles of rows: no loop has a remainder.
namespace carroll::detail::blocks {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr int registers = 32;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
inline constexpr int registers = 16;
#else
inline constexpr int vector_bytes = 16;
inline constexpr int registers = 16;
#endif

/// As many numbers as a vector register holds.
template <class Real>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float Type __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
  typedef float Register __attribute__((vector_size(vector_bytes)));
  typedef std::int32_t Ints __attribute__((vector_size(vector_bytes)));
};
template <>
struct VectorOf<double> {
  typedef double Type __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
  typedef double Register __attribute__((vector_size(vector_bytes)));
  typedef std::int64_t Ints __attribute__((vector_size(vector_bytes)));
};
template <class Real>
using Vector = typename VectorOf<Real>::Register;
/// Whole numbers, one per lane; as the result of a comparison all bits of a lane or none.
template <class Real>
using IntVector = typename VectorOf<Real>::Ints;
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
/// x in every lane.
template <class Real>
Vector<Real> broadcast(Real x) {
  return x - Vector<Real>{};
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

/// √x lane by lane; the compiler may not use the vector instruction by itself, as a root may set
/// errno.
template <class Real>
Vector<Real> square_root(Vector<Real> x) {
#if defined(__AVX512F__)  // masked, because the plain ones make g++ 12 warn
  if constexpr (sizeof(Real) == 8)
    return Vector<Real>(_mm512_maskz_sqrt_pd(0xff, x));
  else
    return Vector<Real>(_mm512_maskz_sqrt_ps(0xffff, x));
#elif defined(__AVX__)
  if constexpr (sizeof(Real) == 8)
    return Vector<Real>(_mm256_sqrt_pd(x));
  else
    return Vector<Real>(_mm256_sqrt_ps(x));
#elif defined(__SSE2__)
  if constexpr (sizeof(Real) == 8)
    return Vector<Real>(_mm_sqrt_pd(x));
  else
    return Vector<Real>(_mm_sqrt_ps(x));
#else
  for (int l = 0; l < length<Real>; ++l) x[l] = Kokkos::sqrt(x[l]);
  return x;
#endif
}

/// Are all bits of a mask 0?
template <class Real>
bool none(IntVector<Real> m) {
  std::int64_t bits = 0;
  for (int l = 0; l < length<Real>; ++l) bits |= m[l];
  return bits == 0;
}

/// Rows of a tile.
template <class Real>
inline constexpr int tile_rows = 2 * length<Real>;

/// `rows` rounded up to whole tiles.
template <class Real>
constexpr int whole_tiles_of(int rows) {
  return (rows + tile_rows<Real> - 1) / tile_rows<Real> * tile_rows<Real>;
}

/// Distance between columns of `rows` entries: whole tiles, an odd number of them, so that the
/// columns of a block do not meet in the same cache sets.
template <class Real>
constexpr int padded_rows(int rows) {
  return (whole_tiles_of<Real>(rows) / tile_rows<Real> | 1) * tile_rows<Real>;
}

/// Σ of the lanes, by halves.
template <class Real>
Real lane_total(Vector<Real> v) {
  Real parts[length<Real>];
  store(parts, v);
  for (int half = length<Real> / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) parts[l] += parts[l + half];
  return parts[0];
}

#if defined(__AVX512F__)
/// The lower, or upper, half of a register; masked, because the plain ones make g++ 12 warn.
template <int upper>
__m256d half_of(__m512d v) {
  return _mm512_maskz_extractf64x4_pd(0xf, v, upper);
}
template <int upper>
__m256 half_of(__m512 v) {
  return _mm256_castpd_ps(half_of<upper>(_mm512_castps_pd(v)));
}
#endif

/// out[i] := Σ of the lanes of v[i].
inline void four_totals(Vector<float> const (&v)[4], float* out) {
#if defined(__AVX__)
  __m128 quarter[4];
  for (int i = 0; i < 4; ++i) {
#if defined(__AVX512F__)
    __m256 const half = _mm256_add_ps(half_of<0>(v[i]), half_of<1>(v[i]));
#else
    __m256 const half = v[i];
#endif
    quarter[i] = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  }
  _mm_storeu_ps(
      out, _mm_hadd_ps(_mm_hadd_ps(quarter[0], quarter[1]), _mm_hadd_ps(quarter[2], quarter[3])));
#else
  for (int i = 0; i < 4; ++i) out[i] = lane_total<float>(v[i]);
#endif
}
inline void four_totals(Vector<double> const (&v)[4], double* out) {
#if defined(__AVX__)
  __m256d half[4];
  for (int i = 0; i < 4; ++i) {
#if defined(__AVX512F__)
    half[i] = _mm256_add_pd(half_of<0>(v[i]), half_of<1>(v[i]));
#else
    half[i] = v[i];
#endif
  }
  __m256d const a = _mm256_hadd_pd(half[0], half[1]), b = _mm256_hadd_pd(half[2], half[3]);
  _mm256_storeu_pd(
      out, _mm256_add_pd(_mm256_blend_pd(a, b, 0b1100), _mm256_permute2f128_pd(a, b, 0x21)));
#else
  for (int i = 0; i < 4; ++i) out[i] = lane_total<double>(v[i]);
#endif
}

/// Columns of either side that make a tile of dot products: as many as registers hold the sums of.
inline constexpr int dot_rows = 4;
inline constexpr int dot_cols = registers == 32 ? 4 : 2;

/// sums[a][b] += x[a]·y[b] over n rows, whole tiles.
template <class Real>
void dot_tile(Real* const* x, Real* const* y, int n, Real* out, int ld) {
  Vector<Real> sums[dot_cols][dot_rows] = {};
  for (int k = 0; k < n; k += length<Real>) {
    Vector<Real> a[dot_rows];
    for (int i = 0; i < dot_rows; ++i) a[i] = load(x[i] + k);
    for (int j = 0; j < dot_cols; ++j) {
      Vector<Real> const b = load(y[j] + k);
      for (int i = 0; i < dot_rows; ++i) sums[j][i] = accumulate(sums[j][i], a[i], b);
    }
  }
  for (int j = 0; j < dot_cols; ++j) four_totals(sums[j], out + j * ld);
}

/// out(i, j) = x[i]·y[j] for i < rows, j < cols, multiples of 4; with `upper` only tiles that reach
/// above the diagonal. 2·n·rows·cols flops.
template <class Real>
void dot_products(Real* const* x, int rows, Real* const* y, int cols, int n, Real* out, int ld,
                  bool upper = false) {
  for (int j = 0; j < cols; j += dot_cols)
    for (int i = 0; i < rows && !(upper && i >= j + dot_cols); i += dot_rows)
      dot_tile(x + i, y + j, n, out + i + j * ld, ld);
}

/// Columns that `multiply` makes at once, as far as there are as many.
inline constexpr int product_cols = registers == 32 ? 8 : 4;

/// out(:, j) = in·T(:, j), or out -= in·T, for `Cols` columns of a tile of rows; in holds `depth`
/// columns of the tile without gaps, T has leading dimension ld. The same bits in each column,
/// whatever Cols is.
template <bool subtract, int Cols = product_cols, class Real>
void multiply_tile(Real const* in, int depth, Real const* T, int ld, Real* const* out, int row) {
  constexpr int L = length<Real>;
  Vector<Real> sums[Cols][2] = {};
  for (int k = 0; k < depth; ++k) {
    Vector<Real> const low = load(in + k * 2 * L);
    Vector<Real> const high = load(in + k * 2 * L + L);
    for (int j = 0; j < Cols; ++j) {
      Vector<Real> const t = broadcast(T[k + j * ld]);
      sums[j][0] = accumulate(sums[j][0], low, t);
      sums[j][1] = accumulate(sums[j][1], high, t);
    }
  }
  for (int j = 0; j < Cols; ++j) {
    Real* const to = out[j] + row;
    store<Real>(to, subtract ? load(to) - sums[j][0] : sums[j][0]);
    store<Real>(to + L, subtract ? load(to + L) - sums[j][1] : sums[j][1]);
  }
}

/// Most columns that `multiply` takes.
inline constexpr int most_depth = 64;

/// out = in·T, or out -= in·T, for rows [begin, end), whole tiles; the columns may be the same.
/// Which columns stand in an incomplete last group may depend on how many vectors are wanted: they
/// get the same bits as others. 2·rows·depth·cols flops.
template <bool subtract, class Real>
void multiply(Real* const* in, int depth, Real const* T, int ld, Real* const* out, int cols,
              int begin, int end) {
  constexpr int L = length<Real>;
  alignas(64) Real tile[most_depth * 2 * L];
  for (int row = begin; row < end; row += 2 * L) {
    for (int k = 0; k < depth; ++k) {
      store<Real>(tile + k * 2 * L, load(in[k] + row));
      store<Real>(tile + k * 2 * L + L, load(in[k] + row + L));
    }
    int j = 0;
    for (; j + product_cols <= cols; j += product_cols)
      multiply_tile<subtract>(tile, depth, T + j * ld, ld, out + j, row);
    for (; j + 2 <= cols; j += 2)
      multiply_tile<subtract, 2>(tile, depth, T + j * ld, ld, out + j, row);
    if (j < cols) multiply_tile<subtract, 1>(tile, depth, T + j * ld, ld, out + j, row);
  }
}

}  // namespace carroll::detail::blocks
