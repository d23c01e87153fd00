// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <utility>

/// Products of a host's columns, tile by tile in vector registers. The order of every sum depends
/// on the sizes alone. Columns begin at vector boundaries and are filled up with zeros to whole
/// tiles of rows: no loop has a remainder.
namespace carroll::detail::blocks {

template <class Real, class F>
struct PackBody {
  F const& f;
  template <int Bytes>
  void run() const {
    f.template operator()<Pack<Real, Bytes>>();
  }
};

/// f.operator()<V>() with the packs V of this processor's registers.
template <class Real, class F>
void with_packs(F const& f) {
  choose_host_vectors(PackBody<Real, F>{f});
}

template <class V>
inline constexpr int registers = V::bytes == 64 ? 32 : 16;

/// f(k) for 0 <= k < n, dealt out to the threads of a team; for functions that are the host's only,
/// which a device compiler does not let Kokkos' own loops call.
template <class Member, class F>
void share_out(Member const& team, int n, F const& f) {
  for (int k = team.team_rank(); k < n; k += team.team_size()) f(k);
}

/// Rows of a tile: a power of two.
template <class Real>
int tile_rows() {
  return 2 * host_vector_bytes() / static_cast<int>(sizeof(Real));
}

/// `rows` rounded up to whole tiles.
template <class Real>
int whole_tiles_of(int rows) {
  int const tile = tile_rows<Real>();
  return (rows + tile - 1) & -tile;
}

/// Distance between columns of `rows` entries: whole tiles, an odd number of them, so that the
/// columns of a block do not meet in the same cache sets.
template <class Real>
int padded_rows(int rows) {
  return whole_tiles_of<Real>(rows) | tile_rows<Real>();
}

/// Columns of either side that make a tile of dot products: as many as registers hold the sums of.
inline constexpr int dot_rows = 4;
template <class V>
inline constexpr int dot_cols = registers<V> == 32 ? 4 : 2;

/// sums[a][b] += x[a]·y[b] over n rows, whole tiles.
template <class V, class Real>
void dot_tile(Real* const* x, Real* const* y, int n, Real* out, int ld) {
  constexpr int cols = dot_cols<V>;
  V sums[cols][dot_rows] = {};
  for (int k = 0; k < n; k += V::width) {
    V a[dot_rows];
    for (int i = 0; i < dot_rows; ++i) a[i] = V::load(x[i] + k);
    for (int j = 0; j < cols; ++j) {
      V const b = V::load(y[j] + k);
      for (int i = 0; i < dot_rows; ++i) sums[j][i].add_product(a[i], b);
    }
  }
  for (int j = 0; j < cols; ++j) {
    Real* const to = out + j * ld;
    if constexpr (V::bytes == 16)
      for (int i = 0; i < dot_rows; ++i) to[i] = sum_of(sums[j][i]);
    else
      sums_of_four(sums[j], to);
  }
}

/// out(i, j) = x[i]·y[j] for i < rows, j < cols, multiples of 4; with `upper` only tiles that reach
/// above the diagonal. 2·n·rows·cols flops.
template <class V, class Real>
void dot_products(Real* const* x, int rows, Real* const* y, int cols, int n, Real* out, int ld,
                  bool upper = false) {
  by_itself<V::bytes>([&] {
    for (int j = 0; j < cols; j += dot_cols<V>)
      for (int i = 0; i < rows && !(upper && i >= j + dot_cols<V>); i += dot_rows)
        dot_tile<V>(x + i, y + j, n, out + i + j * ld, ld);
  });
}

/// Columns that `multiply` makes at once, as far as there are as many.
template <class V>
inline constexpr int product_cols = registers<V> == 32 ? 8 : 4;

/// out(:, j) = in·T(:, j), or out -= in·T, for `Cols` columns of a tile of rows; in holds `depth`
/// columns of the tile without gaps, T has leading dimension ld. The same bits in each column,
/// whatever Cols is.
template <class V, bool subtract, int Cols = product_cols<V>, class Real>
void multiply_tile(Real const* in, int depth, Real const* T, int ld, Real* const* out, int row) {
  constexpr int L = V::width;
  V sums[Cols][2] = {};
  for (int k = 0; k < depth; ++k) {
    V const low = V::load(in + k * 2 * L);
    V const high = V::load(in + k * 2 * L + L);
    for (int j = 0; j < Cols; ++j) {
      V const t = T[k + j * ld];
      sums[j][0].add_product(low, t);
      sums[j][1].add_product(high, t);
    }
  }
  for (int j = 0; j < Cols; ++j) {
    Real* const to = out[j] + row;
    store(to, subtract ? V::load(to) - sums[j][0] : sums[j][0]);
    store(to + L, subtract ? V::load(to + L) - sums[j][1] : sums[j][1]);
  }
}

/// Most columns that `multiply` takes.
inline constexpr int most_depth = 64;

/// out = in·T, or out -= in·T, for rows [begin, end), whole tiles; the columns may be the same.
/// Which columns stand in an incomplete last group may depend on how many vectors are wanted: they
/// get the same bits as others. 2·rows·depth·cols flops.
template <class V, bool subtract, class Real>
void multiply(Real* const* in, int depth, Real const* T, int ld, Real* const* out, int cols,
              int begin, int end) {
  by_itself<V::bytes>([&] {
    constexpr int L = V::width, most_cols = product_cols<V>;
    alignas(64) Real tile[most_depth * 2 * L];
    for (int row = begin; row < end; row += 2 * L) {
      for (int k = 0; k < depth; ++k) {
        store(tile + k * 2 * L, V::load(in[k] + row));
        store(tile + k * 2 * L + L, V::load(in[k] + row + L));
      }
      int j = 0;
      for (; j + most_cols <= cols; j += most_cols)
        multiply_tile<V, subtract>(tile, depth, T + j * ld, ld, out + j, row);
      for (; j + 2 <= cols; j += 2)
        multiply_tile<V, subtract, 2>(tile, depth, T + j * ld, ld, out + j, row);
      if (j < cols) multiply_tile<V, subtract, 1>(tile, depth, T + j * ld, ld, out + j, row);
    }
  });
}

}  // namespace carroll::detail::blocks
