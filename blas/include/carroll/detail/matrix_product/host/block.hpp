// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/simd/instructions.hpp>
#include <carroll/detail/simd/spread.hpp>
#include <carroll/detail/simd/vectors.hpp>
#include <cstddef>

/// The innermost part of a host's matrix product: a block of sums in vector registers.
namespace carroll::detail {

/// Rows, by vectors, and columns of the block. With two loads and two multiply-adds per cycle ten
/// chains hide the latency of a multiply-add; sums, the vectors of A and a factor of B have to fit
/// the registers (32 of 64 bytes, else 16). Complex sums are in two parts.
template <class T, int Bytes>
struct HostProductBlock {
  using Real = RealOf<T>;
  using V = HostVector<Real, Bytes>;
  static constexpr int parts = is_complex<T> ? 2 : 1;  ///< real and imaginary
  static constexpr int vectors = Bytes == 64 ? (is_complex<T> ? 2 : 3) : (is_complex<T> ? 1 : 2);
  static constexpr int rows = vectors * V::width;
  static constexpr int cols = Bytes == 64 && !is_complex<T> ? 8 : 6;

  /// sums[part][column][row] := Σ a(i, p)·b(p, j) over `terms`, a chain for each. Packed: of each
  /// term `rows` entries of A, then `cols` of B; of complex ones all real parts come first. 2/cols
  /// + 2/rows numbers are read for a real multiply-add.
  static void multiply(Real const* a, Real const* b, int terms, Real* sums) {
    typename V::Type held[parts][cols][vectors] = {};
    for (int p = 0; p < terms; ++p) {
      add(a, b, held);
      a += parts * rows;
      b += parts * cols;
    }
    for (int q = 0; q < parts; ++q)
      for (int j = 0; j < cols; ++j)
        for (int v = 0; v < vectors; ++v)
          V::at(sums + (q * cols + j) * rows + v * V::width) = held[q][j][v];
  }

 private:
  using Vector = typename V::Type;
  using Fused = HostInstructions<Bytes>;

  [[gnu::always_inline]] static inline void add(Real const* a, Real const* b,
                                                Vector (&held)[parts][cols][vectors]) {
    Vector x[parts][vectors];
    for (int v = 0; v < parts * vectors; ++v) x[v / vectors][v % vectors] = V::at(a + v * V::width);
    for (int j = 0; j < cols; ++j) {
      Vector re;
      Spread<Bytes>::run(re, b + j);
      for (int v = 0; v < vectors; ++v) Fused::add(held[0][j][v], x[0][v], re);
      if constexpr (is_complex<T>) {
        Vector im;
        Spread<Bytes>::run(im, b + cols + j);
        for (int v = 0; v < vectors; ++v) {
          Fused::subtract(held[0][j][v], x[1][v], im);
          Fused::add(held[1][j][v], x[0][v], im);
          Fused::add(held[1][j][v], x[1][v], re);
        }
      }
    }
  }
};

}  // namespace carroll::detail
