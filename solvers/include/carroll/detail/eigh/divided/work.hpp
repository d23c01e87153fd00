// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/tiles.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// What the reduction works on: in memory, or, of what a team's scratch has room for, there.
/// Rows count up to whole tiles, T of them.
template <class Real>
struct ReduceWork {
  static constexpr int order = SymmetricTiles<Real>::order;

  int tiles, rows;
  SymmetricTiles<Real> A;
  Real* panel;     ///< V, then W, `divided_panel` columns each
  Real* parts;     ///< of A·x: those of tiles in row or column t in column t
  Real* column;    ///< x: of the column that is to be reduced what is below its subdiagonal
  Real* products;  ///< parts of xᵀ·A·x, one of each tile
  Real* dots;      ///< for each column of the panel Wᵀx, Vᵀx, and the next row of W and of V
  Real* squares;   ///< parts of xᵀx, of 32 rows each; of even columns, then of odd ones
  Real* first;     ///< x's subdiagonal entry, of even columns, then of odd ones

  KOKKOS_FUNCTION Real* v(int c) const { return panel + static_cast<std::ptrdiff_t>(c) * rows; }
  KOKKOS_FUNCTION Real* w(int c) const { return v(divided_panel + c); }
  KOKKOS_FUNCTION Real* part(int t) const { return parts + static_cast<std::ptrdiff_t>(t) * rows; }
  KOKKOS_FUNCTION Real* squares_of(int k) const { return squares + k % 2 * tiles; }

  /// Numbers in each of the pieces.
  struct Sizes {
    std::int64_t matrix, panel, parts, vectors;

    KOKKOS_FUNCTION explicit constexpr Sizes(int tiles)
        : matrix(std::int64_t{SymmetricTiles<Real>::count(tiles)} * SymmetricTiles<Real>::size),
          panel(std::int64_t{2} * divided_panel * order * tiles),
          parts(std::int64_t{order} * tiles * tiles),
          vectors(std::int64_t{order} * tiles + 4 * divided_panel +
                  (SymmetricTiles<Real>::count(tiles) + 2 * tiles + 2 + order - 1) / order *
                      order) {}
  };

  /// Numbers of memory for an n×n matrix without scratch, from a multiple of 128 bytes on.
  KOKKOS_FUNCTION static constexpr std::int64_t reals(std::int64_t n) {
    Sizes const sizes(SymmetricTiles<Real>::across(static_cast<int>(n)));
    return sizes.matrix + sizes.panel + sizes.parts + sizes.vectors;
  }
  /// Bytes of scratch that are of use: without those of the panel it stays in memory, and so on.
  KOKKOS_FUNCTION static constexpr std::int64_t scratch_bytes(int n, bool parts, bool panel) {
    Sizes const sizes(SymmetricTiles<Real>::across(n));
    return static_cast<std::int64_t>(sizeof(Real)) *
           (sizes.vectors + (parts ? sizes.parts : 0) + (panel ? sizes.panel : 0));
  }

  /// Pieces go to scratch, of so many bytes, from a multiple of 16 on, in the order of how much
  /// they are worth there.
  KOKKOS_FUNCTION ReduceWork(int n, Real* memory, Real* scratch, std::int64_t scratch_bytes)
      : tiles(SymmetricTiles<Real>::across(n)), rows(tiles * order) {
    Sizes const sizes(tiles);
    std::int64_t room = scratch_bytes / static_cast<std::int64_t>(sizeof(Real));
    auto const take = [&](std::int64_t numbers) {
      Real*& from = numbers <= room ? scratch : memory;
      if (numbers <= room) room -= numbers;
      Real* const piece = from;
      from += numbers;
      return piece;
    };
    A = {memory};
    memory += sizes.matrix;
    column = take(sizes.vectors);
    dots = column + rows;
    products = dots + 4 * divided_panel;
    squares = products + SymmetricTiles<Real>::count(tiles);
    first = squares + 2 * tiles;
    parts = take(sizes.parts);
    panel = take(sizes.panel);
  }
};

}  // namespace carroll::detail
