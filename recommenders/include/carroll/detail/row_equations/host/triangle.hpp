// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/row_equations/host/tile.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <cmath>
#include <cstddef>

namespace carroll::detail {

/// A host's symmetric positive definite system: A in the lower triangle of `a`, column by column,
/// entries above the diagonal anything finite, aligned as vectors are.
///
/// Left-looking by strips of a tile's columns: A = L·Lᵀ, every entry of L one chain of fused
/// multiply-adds in ascending order. n³/3 flops; strip s reads s columns of L.
template <class Real, int Bytes>
struct HostEquationTriangle {
  using Tile = HostTriangleTile<Real, Bytes>;
  using V = typename Tile::V;
  using Vector = typename Tile::Vector;
  static constexpr int width = Tile::width, cols = Tile::cols;

  Real* a;
  std::ptrdiff_t pitch;
  int order;  ///< a multiple of Tile::multiple

  /// A := L; `right` := what remains of it, y := L⁻¹·right and inverse := 1/diag(L). An unknown
  /// whose pivot is rounding error gets no column and y = 0.
  std::uint32_t factor(Real* right, Real* y, Real* inverse) const {
    std::uint32_t flags = 0;
    for (int j = 0; j < order; j += cols) {
      int const i = j / width * width, vectors = (order - i) / width;
      Real* const strip = a + j * pitch;
      Real diagonal[cols];
      for (int c = 0; c < cols; ++c) diagonal[c] = strip[c * pitch + j + c];
      if (j > 0)
        Tile::template update<true>(strip + i, pitch, vectors, a + i, a + j, pitch, j, false);
      Real l[cols][cols], inverses[cols];
      flags |= factor_block(strip + j, diagonal, l, inverses);
      Tile::solve(strip + i, pitch, vectors, l, inverses);
      Real solved[cols];
      for (int c = 0; c < cols; ++c) {
        for (int row = i; row < j + c; ++row) strip[c * pitch + row] = 0;
        Real rest = right[j + c];
        for (int p = 0; p < c; ++p) rest = std::fma(-l[c][p], solved[p], rest);
        solved[c] = rest * inverses[c];
        y[j + c] = solved[c];
        inverse[j + c] = inverses[c];
      }
      for (int v = i; v < order; v += width) {
        Vector rest = V::at(right + v);
        for (int c = 0; c < cols; ++c) {
          Vector factor;
          Spread<Bytes>::run(factor, &solved[c]);
          Tile::Fused::subtract(rest, V::at(strip + c * pitch + v), factor);
        }
        V::at(right + v) = rest;
      }
    }
    return flags;
  }

  /// x := L⁻ᵀ·y; `x` is 0 before. Sums over the rows below a strip are kept by lanes.
  void solve_transposed(Real const* y, Real const* inverse, Real* x) const {
    using P = Pack<Real, Bytes>;
    for (int j = order - cols; j >= 0; j -= cols) {
      Real const* const strip = a + j * pitch;
      P sum[cols];
      for (int c = 0; c < cols; ++c) sum[c] = P(Real(0));
      for (int v = j / width * width; v < order; v += width) {
        P const known(V::at(x + v));
        for (int c = 0; c < cols; ++c) sum[c].add_product(P(V::at(strip + c * pitch + v)), known);
      }
      Real solved[cols];
      for (int c = cols - 1; c >= 0; --c) {
        Real rest = y[j + c] - sum_of(sum[c]);
        for (int p = cols - 1; p > c; --p)
          rest = std::fma(-strip[c * pitch + j + p], solved[p], rest);
        solved[c] = rest * inverse[j + c];
      }
      for (int c = 0; c < cols; ++c) x[j + c] = solved[c];
    }
  }

 private:
  /// The block on the diagonal, number by number.
  std::uint32_t factor_block(Real const* block, Real const (&diagonal)[cols], Real (&l)[cols][cols],
                             Real (&inverses)[cols]) const {
    std::uint32_t flags = 0;
    for (int c = 0; c < cols; ++c) {
      for (int p = 0; p < c; ++p) {
        Real rest = block[p * pitch + c];
        for (int q = 0; q < p; ++q) rest = std::fma(-l[c][q], l[p][q], rest);
        l[c][p] = rest * inverses[p];
      }
      Real pivot = block[c * pitch + c];
      for (int q = 0; q < c; ++q) pivot = std::fma(-l[c][q], l[c][q], pivot);
      bool const sound = pivot > least_pivot_share<Real>() * diagonal[c];
      inverses[c] = sound ? Real(1) / std::sqrt(pivot) : Real(0);
      if (!sound) flags |= row_singular;
    }
    return flags;
  }
};

}  // namespace carroll::detail
