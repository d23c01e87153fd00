// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/field.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// What the reduction works on: in memory, or, of what a team's scratch has room for, there.
/// Rows count up to whole tiles.
template <class T>
struct ReduceWork {
  using Real = RealOf<T>;
  static constexpr int order = SymmetricTiles<T>::order;

  int tiles, rows;
  SymmetricTiles<T> A;
  T* panel;        ///< V, then W, `divided_panel` columns each
  T* parts;        ///< of A·x: those of tiles in row or column t in column t
  T* columns;      ///< x: what is below a column's subdiagonal, zeros above
  Real* products;  ///< parts of xᴴ·A·x, one of each tile
  T* dots;        ///< for each column of the panel Wᴴx, Vᴴx, and the next row of W̄ and of V̄
  Real* squares;  ///< parts of xᴴx, of 32 rows each
  T* first;       ///< the entry on the subdiagonal
  std::ptrdiff_t odd_parts = 0, odd_products = 0;
  T* sums = nullptr;  ///< parts of Wᴴx, then of Vᴴx, of 32 rows each; for many teams

  KOKKOS_FUNCTION T* v(int c) const { return panel + static_cast<std::ptrdiff_t>(c) * rows; }
  KOKKOS_FUNCTION T* w(int c) const { return v(divided_panel + c); }
  /// Of column k. Others may still read the first ones when those of column k + 1 are there, and
  /// all of them where a matrix has many teams.
  KOKKOS_FUNCTION T* x(int k) const { return columns + k % 2 * rows; }
  KOKKOS_FUNCTION Real* squares_of(int k) const { return squares + k % 2 * tiles; }
  KOKKOS_FUNCTION T* part(int k, int t) const {
    return parts + k % 2 * odd_parts + static_cast<std::ptrdiff_t>(t) * rows;
  }
  KOKKOS_FUNCTION Real* products_of(int k) const { return products + k % 2 * odd_products; }
  KOKKOS_FUNCTION T* sums_of(int k, int group) const {
    return sums + static_cast<std::ptrdiff_t>(k % 2 * tiles + group) * 2 * divided_panel;
  }

  /// Numbers in each of the pieces.
  struct Sizes {
    std::int64_t matrix, panel, parts, vectors, sums;

    KOKKOS_FUNCTION explicit constexpr Sizes(int tiles)
        : matrix(std::int64_t{SymmetricTiles<T>::count(tiles)} * SymmetricTiles<T>::size),
          panel(std::int64_t{2} * divided_panel * order * tiles),
          parts(std::int64_t{order} * tiles * tiles),
          vectors(std::int64_t{2} * order * tiles + 4 * divided_panel +
                  (SymmetricTiles<T>::count(tiles) + 2 * tiles + 2 + order - 1) / order * order),
          sums(std::int64_t{4} * divided_panel * tiles) {}
  };

  /// Numbers of memory for an n×n matrix without scratch, from a multiple of 128 bytes on.
  KOKKOS_FUNCTION static constexpr std::int64_t reals(std::int64_t n) {
    Sizes const sizes(SymmetricTiles<T>::across(static_cast<int>(n)));
    return sizes.matrix + sizes.panel + 2 * sizes.parts + 2 * sizes.vectors + sizes.sums;
  }
  /// Bytes of scratch that are of use: without those of the panel it stays in memory, and so on.
  KOKKOS_FUNCTION static constexpr std::int64_t scratch_bytes(int n, bool parts, bool panel) {
    Sizes const sizes(SymmetricTiles<T>::across(n));
    return static_cast<std::int64_t>(sizeof(T)) *
           (sizes.vectors + (parts ? sizes.parts : 0) + (panel ? sizes.panel : 0));
  }

  /// Pieces go to scratch, of so many bytes, from a multiple of 16 on, in the order of how much
  /// they are worth there.
  KOKKOS_FUNCTION ReduceWork(int n, T* memory, T* scratch, std::int64_t scratch_bytes)
      : tiles(SymmetricTiles<T>::across(n)), rows(tiles * order) {
    Sizes const sizes(tiles);
    std::int64_t room = scratch_bytes / static_cast<std::int64_t>(sizeof(T));
    auto const take = [&](std::int64_t numbers) {
      T*& from = numbers <= room ? scratch : memory;
      if (numbers <= room) room -= numbers;
      T* const piece = from;
      from += numbers;
      return piece;
    };
    A = {memory};
    memory += sizes.matrix;
    columns = take(sizes.vectors);
    dots = columns + 2 * rows;
    first = dots + 4 * divided_panel;
    products = reinterpret_cast<Real*>(first + 2);
    squares = products + SymmetricTiles<T>::count(tiles);
    parts = take(sizes.parts);
    panel = take(sizes.panel);
  }

  /// All in memory, for many teams.
  KOKKOS_FUNCTION ReduceWork(int n, T* memory) : ReduceWork(n, memory, nullptr, 0) {
    Sizes const sizes(tiles);
    sums = panel + sizes.panel;
    odd_parts = sums + sizes.sums - parts;
    odd_products = reinterpret_cast<Real*>(parts + odd_parts + sizes.parts) - products;
  }
};

}  // namespace carroll::detail
