// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/gemm/tile.hpp>

namespace carroll::detail {

/// A host's matrix product: a thread per tile of C and part of the sum.
///
/// `depth` terms at a time of A's rows and B's columns are packed into arrays that fit the first
/// two cache levels; a block of block_rows×block_cols sums is held in vector registers. 2mnk flops;
/// A is read from memory n/cols times, B m/rows times.
template <class ExecSpace, class Real>
class GemmHostKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  struct Tile {
    static constexpr int rows = 64, cols = 64;
  };

  GemmHostKernel(Gemm<Real> const& gemm, GemmCut const& cut, Real* partial)
      : gemm_(gemm), cut_(cut), partial_(partial) {}

  KOKKOS_FUNCTION void operator()(int item) const {
    if (gemm_.skip && *gemm_.skip) return;
    int const tile = item % cut_.tiles();
    int const part = item / cut_.tiles();
    int const i0 = tile % cut_.tile_rows * rows;
    int const j0 = tile / cut_.tile_rows * cols;
    int const begin = part * cut_.depth;
    int const end = Kokkos::min(gemm_.k, begin + cut_.depth);

    alignas(64) Real a[depth * rows];
    alignas(64) Real b[depth * cols];
    alignas(64) Real sum[cols * rows] = {};
    for (int p = begin; p < end; p += depth) {
      int const terms = Kokkos::min(int{depth}, end - p);
      pack<rows, block_rows>(gemm_.a, i0, gemm_.m - i0, p, terms, a);
      pack<cols, block_cols>(gemm_.b.transposed(), j0, gemm_.n - j0, p, terms, b);
      for (int j = 0; j < cols && j < gemm_.n - j0; j += block_cols)
        for (int i = 0; i < rows && i < gemm_.m - i0; i += block_rows)
          add_block(a + i * depth, b + j * depth, terms, sum + j * rows + i);
    }
    GemmResult<Real> const result{gemm_, partial_};
    for (int j = 0; j < cols && j0 + j < gemm_.n; ++j)
      for (int i = 0; i < rows && i0 + i < gemm_.m; ++i)
        result.store(part, i0 + i, j0 + j, sum[j * rows + i]);
  }

 private:
  static constexpr int rows = Tile::rows, cols = Tile::cols;
  static constexpr int depth = 128;
  static constexpr int block_rows = 32 / int(sizeof(Real)), block_cols = 4;

  /// Rows i0… of x in blocks, each block term by term; rows that do not exist are 0.
  template <int Extent, int Block>
  KOKKOS_FUNCTION static void pack(StridedMatrix<Real const> const& x, int i0, int exist, int p0,
                                   int terms, Real* into) {
    for (int block = 0; block < Extent && block < exist; block += Block)
      for (int p = 0; p < terms; ++p)
        for (int u = 0; u < Block; ++u)
          into[block * depth + p * Block + u] =
              block + u < exist ? x(i0 + block + u, p0 + p) : Real(0);
  }

  KOKKOS_FUNCTION static void add_block(Real const* a, Real const* b, int terms, Real* sum) {
    Real held[block_cols][block_rows] = {};
    for (int p = 0; p < terms; ++p)
      for (int v = 0; v < block_cols; ++v)
        for (int u = 0; u < block_rows; ++u)
          held[v][u] += a[p * block_rows + u] * b[p * block_cols + v];
    for (int v = 0; v < block_cols; ++v)
      for (int u = 0; u < block_rows; ++u) sum[v * rows + u] += held[v][u];
  }

  Gemm<Real> gemm_;
  GemmCut cut_;
  Real* partial_;
};

}  // namespace carroll::detail
