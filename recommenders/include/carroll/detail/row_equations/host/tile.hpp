// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/instructions.hpp>
#include <carroll/detail/simd/spread.hpp>
#include <carroll/detail/simd/vectors.hpp>
#include <cstddef>
#include <utility>

namespace carroll::detail {

/// Blocks of a host's lower triangle, column by column in memory: `cols` columns side by side, and
/// vectors of their rows, at most `most_vectors` at a time in registers. The triangle's order is a
/// multiple of `multiple`.
template <class Real, int Bytes>
struct HostTriangleTile {
  using V = HostVector<Real, Bytes>;
  using Vector = typename V::Type;
  using Fused = HostInstructions<Bytes>;
  static constexpr int width = V::width;
  // 24 chains and their operands in 32 registers, or 8 in 16.
  static constexpr int cols = Bytes == 64 ? 8 : 4;
  static constexpr int most_vectors = Bytes == 64 ? 3 : 2;
  static constexpr int multiple = width > cols ? width : cols;

  /// The pitch of columns that do not all begin in the same set of the cache.
  static std::ptrdiff_t pitch(int order) {
    auto const whole = static_cast<std::ptrdiff_t>((order + multiple - 1) / multiple * multiple);
    return whole * sizeof(Real) % 1024 == 0 && whole >= 256 ? whole + multiple : whole;
  }

  /// tile(i, j) := tile(i, j) ± Σ a(p, i)·b(p, j) over `terms` in ascending order, in one chain of
  /// fused multiply-adds each. a and b are a tile's first entries of term 0; terms are `step`
  /// apart, the tile's columns `pitch`. `fresh`: the tile was 0.
  template <bool subtract>
  static void update(Real* tile, std::ptrdiff_t pitch, int vectors, Real const* a, Real const* b,
                     std::ptrdiff_t step, int terms, bool fresh) {
    int v = 0;
    for (; v + most_vectors <= vectors; v += most_vectors)
      update_some<most_vectors, subtract>(tile + v * width, pitch, a + v * width, b, step, terms,
                                          fresh);
    if constexpr (most_vectors > 2)
      if (v + 2 <= vectors) {
        update_some<2, subtract>(tile + v * width, pitch, a + v * width, b, step, terms, fresh);
        v += 2;
      }
    if (v < vectors)
      update_some<1, subtract>(tile + v * width, pitch, a + v * width, b, step, terms, fresh);
  }

  /// One after the other, x(i, c) := (x(i, c) - Σ x(i, p)·l(c, p) over p < c)·inverse(c): rows of a
  /// triangle's columns, of which the diagonal block L and the inverses of its diagonal are known.
  static void solve(Real* columns, std::ptrdiff_t pitch, int vectors, Real const (&l)[cols][cols],
                    Real const (&inverse)[cols]) {
    for (int v = 0; v < vectors; ++v) {
      Vector x[cols];
      for (int c = 0; c < cols; ++c) x[c] = V::at(columns + c * pitch + v * width);
      for (int c = 0; c < cols; ++c) {
        for (int p = 0; p < c; ++p) {
          Vector factor;
          Spread<Bytes>::run(factor, &l[c][p]);
          Fused::subtract(x[c], x[p], factor);
        }
        Vector scale;
        Spread<Bytes>::run(scale, &inverse[c]);
        x[c] *= scale;
        V::at(columns + c * pitch + v * width) = x[c];
      }
    }
  }

 private:
  template <int vectors, bool subtract>
  [[gnu::always_inline]] static inline void update_some(Real* tile, std::ptrdiff_t pitch,
                                                        Real const* a, Real const* b,
                                                        std::ptrdiff_t step, int terms,
                                                        bool fresh) {
    Vector held[cols][vectors] = {};
    if (!fresh)
      for (int c = 0; c < cols; ++c)
        for (int v = 0; v < vectors; ++v) held[c][v] = V::at(tile + c * pitch + v * width);
    for (int p = 0; p < terms; ++p) {
      Vector x[vectors];
      for (int v = 0; v < vectors; ++v) x[v] = V::at(a + v * width);
      for (int c = 0; c < cols; ++c) {
        Vector factor;
        Spread<Bytes>::run(factor, b + c);
        for (int v = 0; v < vectors; ++v) {
          if constexpr (subtract)
            Fused::subtract(held[c][v], x[v], factor);
          else
            Fused::add(held[c][v], x[v], factor);
        }
      }
      a += step;
      b += step;
    }
    for (int c = 0; c < cols; ++c)
      for (int v = 0; v < vectors; ++v) V::at(tile + c * pitch + v * width) = held[c][v];
  }
};

}  // namespace carroll::detail
