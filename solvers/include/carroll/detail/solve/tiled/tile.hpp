// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/unroll.hpp>

/// What threads do with blocks of L and U in registers. Each entry is a chain of fused
/// multiplications and additions in the order of columns of L and U, however it is dealt out.
namespace carroll::detail {

/// y := L⁻¹·y, of a unit lower triangle of w rows by columns of N, or with `pitch` between them,
/// that are read by all threads, the same words. What is above the diagonal is not looked at.
template <int N, class Value>
KOKKOS_FORCEINLINE_FUNCTION void substitute_lower(Value const* L, int pitch, int w, Value (&y)[N]) {
  CARROLL_UNROLL
  for (int k = 0; k + 1 < N; ++k) {
    if (k >= w) break;
    CARROLL_UNROLL
    for (int i = (k + 1) / 4 * 4; i < N; i += 4) {
      Value v[4];
      read_chunks<4>(L + k * pitch + i, v);
      CARROLL_UNROLL
      for (int l = 0; l < 4; ++l)
        if (i + l > k) y[i + l] = fused_sum(-v[l], y[k], y[i + l]);
    }
  }
}

/// y := U⁻¹·y, of an upper triangle and the inverses of its diagonal.
template <int N, class Value>
KOKKOS_FORCEINLINE_FUNCTION void substitute_upper(Value const* U, int pitch, Value const* inverses,
                                                  int w, Value (&y)[N]) {
  CARROLL_UNROLL
  for (int k = N - 1; k >= 0; --k) {
    if (k >= w) continue;
    y[k] = fused_product(y[k], inverses[k]);
    CARROLL_UNROLL
    for (int i = 0; i < k; i += 4) {
      Value v[4];
      read_chunks<4>(U + k * pitch + i, v);
      CARROLL_UNROLL
      for (int l = 0; l < 4; ++l)
        if (i + l < k) y[i + l] = fused_sum(-v[l], y[k], y[i + l]);
    }
  }
}

/// Columns of a warp at a time, at most: 64 registers for two rows of them in each lane.
template <class Value>
inline constexpr int solve_tile_columns = sizeof(Value) > 8 ? 8 : 16;

/// C columns of some in scratch, of which a warp takes multiples; rows begin at multiples of 16
/// bytes.
template <class Value>
struct SolveTileFactors {
  Value const* rows;  ///< row k is that of column `first` + k of A
  int pitch;
  int first, terms;
};

/// X(i, j) -= Σ A(i, first + k)·u(k, j), k < terms, for rows begin <= i < end, of which a lane has
/// R at most, and `count` <= C columns from j on. A warp.
template <int R, int C, class Value>
KOKKOS_FORCEINLINE_FUNCTION void subtract_tile(int lane, Columns<Value> const& A,
                                               SolveTileFactors<Value> const& u,
                                               Columns<Value> const& X, int begin, int end, int j,
                                               int count) {
  constexpr int together = sizeof(Value) > 8 ? 2 : 4;
  Value x[R][C];
  int row[R];
  auto const is_inside = [&](int q) { return begin + lane + 32 * q < end; };
  CARROLL_UNROLL
  for (int q = 0; q < R; ++q) {
    row[q] = Kokkos::min(begin + lane + 32 * q, end - 1);
    // Nothing from X where there is no row: the last one is another lane's to write.
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c)
      x[q][c] = is_inside(q) ? X(row[q], j + Kokkos::min(c, count - 1)) : Value(0);
  }
  Value next[together][R];
  auto const fetch = [&](int k0) {
    CARROLL_UNROLL
    for (int k = 0; k < together; ++k) CARROLL_UNROLL
    for (int q = 0; q < R; ++q)
      next[k][q] = k0 + k < u.terms ? A(row[q], u.first + k0 + k) : Value(0);
  };
  fetch(0);
  CARROLL_NO_UNROLL
  for (int k0 = 0; k0 < u.terms; k0 += together) {
    Value l[together][R];
    CARROLL_UNROLL
    for (int k = 0; k < together; ++k) CARROLL_UNROLL
    for (int q = 0; q < R; ++q) l[k][q] = next[k][q];
    fetch(k0 + together);
    CARROLL_UNROLL
    for (int k = 0; k < together; ++k) {
      if (k0 + k >= u.terms) break;
      Value const* const from = u.rows + (k0 + k) * u.pitch;
      if constexpr (C == 1) {
        CARROLL_UNROLL
        for (int q = 0; q < R; ++q) x[q][0] = fused_sum(-l[k][q], from[0], x[q][0]);
      } else {
        CARROLL_UNROLL
        for (int c = 0; c < C; c += 4) {
          Value v[4];
          read_chunks<4>(from + c, v);
          CARROLL_UNROLL
          for (int q = 0; q < R; ++q) CARROLL_UNROLL
          for (int h = 0; h < 4; ++h) x[q][c + h] = fused_sum(-l[k][q], v[h], x[q][c + h]);
        }
      }
    }
  }
  CARROLL_UNROLL
  for (int q = 0; q < R; ++q) {
    if (!is_inside(q)) continue;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c)
      if (c < count) X(row[q], j + c) = x[q][c];
  }
}

/// Rows of a warp at a time.
inline constexpr int solve_tile_rows = 64;

/// The same for any number of rows, by the warps of a team, and up to C·parts columns, C to a warp.
template <int C, class Value>
KOKKOS_FORCEINLINE_FUNCTION void subtract_tiles(int thread, int threads, Columns<Value> const& A,
                                                SolveTileFactors<Value> const& u,
                                                Columns<Value> const& X, int begin, int end, int j,
                                                int count) {
  int const parts = (count + C - 1) / C;
  int const chunks = (end - begin + solve_tile_rows - 1) / solve_tile_rows;
  CARROLL_NO_UNROLL
  for (int t = thread / 32; t < chunks * parts; t += threads / 32) {
    int const from = begin + t / parts * solve_tile_rows, c = t % parts * C;
    SolveTileFactors<Value> const part{u.rows + c, u.pitch, u.first, u.terms};
    if (end - from > 32)
      subtract_tile<2, C>(thread % 32, A, part, X, from, Kokkos::min(from + solve_tile_rows, end),
                          j + c, Kokkos::min(count - c, C));
    else
      subtract_tile<1, C>(thread % 32, A, part, X, from, end, j + c, Kokkos::min(count - c, C));
  }
}

}  // namespace carroll::detail
