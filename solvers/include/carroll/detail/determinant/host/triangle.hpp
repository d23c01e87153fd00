// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/host/tiles.hpp>
#include <carroll/detail/gemm/packed.hpp>
#include <utility>

namespace carroll::detail {

/// X := X·U11⁻¹ for `Rows` rows of the first `count` columns, given as rows of b columns, with the
/// unit upper triangle U11: some columns at a time, by all columns before them, then by each other.
/// Columns up to the next multiple of `tile` are overwritten with nothing of use. count² flops per
/// row.
template <class T, int Bytes, int Rows>
class HostTriangle {
 public:
  using V = HostVector<T, Bytes>;
  using Vector = typename V::Type;
  using Fused = HostInstructions<Bytes>;
  static constexpr int vectors = 1;
  static constexpr int tile = vectors * V::width;
  static constexpr int b = host_panel_rows;
  static_assert(b % tile == 0);

  static void solve(T* X, T const* triangle, int count) {
    for (int j = 0; j < count; j += tile) {
      T const* const columns = triangle + (b - j - tile);
      Vector x[Rows][vectors];
      T* const entries = X + (b - j - tile);
      for (int i = 0; i < Rows; ++i)
        for (int v = 0; v < vectors; ++v) x[i][v] = V::at(entries + i * b + v * V::width);
      if (j > 0)
        packed_product<T, Bytes, Rows, vectors>(
            X + b - 1, {b, -1}, columns, b, j,
            [&](int i, int v, Vector const& sum) { x[i][v] -= sum; });
      [&]<int... S>(std::integer_sequence<int, S...>) {
        (eliminate<S>(x, columns + (j + S) * b), ...);
      }
      (std::make_integer_sequence<int, tile>());
      for (int i = 0; i < Rows; ++i)
        for (int v = 0; v < vectors; ++v) V::at(entries + i * b + v * V::width) = x[i][v];
    }
  }

 private:
  /// The other columns of the tile by column S, with row S of the triangle.
  template <int S>
  static void eliminate(Vector (&x)[Rows][vectors], T const* row) {
    constexpr int slot = tile - 1 - S;
    constexpr int own = slot / V::width;
    for (int i = 0; i < Rows; ++i) {
      Vector const factor = x[i][own][slot % V::width] - Vector{};
      for (int v = 0; v <= own; ++v) Fused::subtract(x[i][v], factor, V::at(row + v * V::width));
    }
  }
};

}  // namespace carroll::detail
