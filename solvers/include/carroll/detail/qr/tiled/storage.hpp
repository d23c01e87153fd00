// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/svd/layout.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <carroll/qr/types.hpp>
#include <cstddef>
#include <cstdint>

/// QR by tiles of 16 columns: where the teams of a matrix have what they share.
namespace carroll::detail {

/// What they tell one another; all 0 before the first of them begins.
struct QrTileState {
  std::uint64_t gathered = 0;  ///< teams that have written R; in the upper half those of ±Inf
  int published = 0;           ///< how often teams have published reflectors
  /// In the state of a launch's first member: its teams that have begun.
  Kokkos::Array<int, 2> begun{};
};

/// Exponent of a column with an entry that is not finite.
inline constexpr int no_finite_exponent = 1 << 30;
/// Of a part of a column that is zero.
inline constexpr int zero_exponent = -no_finite_exponent;

/// Its room, aligned to 8 bytes.
template <class Real>
inline constexpr int tile_state_reals = (sizeof(QrTileState) + 8) / sizeof(Real);

template <class Real>
struct QrTileStorage {
  int rows, cols, tiles;  ///< tiles: those that have reflectors
  std::uint64_t* words;   ///< see exchange_words_per_tile
  Columns<Real> F;        ///< the reflectors, below the tiles' diagonal blocks
  Real* factors;          ///< a BlockFactor for each tile of them
  int* exponents;         ///< of A's columns
  QrTileState* state;

  KOKKOS_FUNCTION static std::int64_t reals(std::int64_t rows, std::int64_t cols,
                                            std::int64_t q_cols) {
    std::int64_t const reflecting = whole_tiles(Kokkos::min(rows, cols));
    return word_reals(rows, Kokkos::max(cols, q_cols)) + rows * Kokkos::min(cols, reflecting) +
           reflecting / tile_columns * BlockFactor<Real>::size + cols + tile_state_reals<Real>;
  }
  static std::int64_t reals(QrExtents const& extents) {
    return reals(extents.rows, extents.cols, extents.q_cols());
  }

  KOKKOS_FUNCTION explicit QrTileStorage(QrProblem<Real> const& problem)
      : rows(problem.m),
        cols(problem.n),
        tiles(static_cast<int>(whole_tiles(problem.reflectors())) / tile_columns),
        words(reinterpret_cast<std::uint64_t*>(problem.reals)),
        F{problem.reals + word_reals(rows, Kokkos::max(cols, problem.q_cols)), rows} {
    factors = F.col(Kokkos::min(cols, tiles * tile_columns));
    exponents = reinterpret_cast<int*>(factors + tiles * BlockFactor<Real>::size);
    auto const end = reinterpret_cast<std::uintptr_t>(exponents + cols);
    state = reinterpret_cast<QrTileState*>((end + 7) / 8 * 8);
  }

  KOKKOS_FUNCTION BlockFactor<Real> factor(int tile) const {
    return {factors + static_cast<std::ptrdiff_t>(tile) * BlockFactor<Real>::size};
  }
  KOKKOS_FUNCTION BlockReflector<Real> reflector(int tile) const {
    return {F, factor(tile), tile, cols};
  }
  /// Those of a tile of A, or of Q.
  KOKKOS_FUNCTION std::uint64_t* words_of(int tile) const {
    return words + tile * exchange_words_per_tile<Real>(rows);
  }
  KOKKOS_FUNCTION static std::int64_t word_count(std::int64_t rows, std::int64_t columns) {
    return whole_tiles(columns) / tile_columns * exchange_words_per_tile<Real>(rows);
  }
  /// By what row i of R, and column i of Q, is multiplied, so that R's diagonal is not negative.
  KOKKOS_FUNCTION Real sign(int i) const {
    Real const* const diagonal = factor(i / tile_columns).R();
    return diagonal[i % tile_columns * (tile_columns + 1)] < Real(0) ? Real(-1) : Real(1);
  }

 private:
  KOKKOS_FUNCTION static std::int64_t word_reals(std::int64_t rows, std::int64_t columns) {
    return word_count(rows, columns) * 8 / std::int64_t{sizeof(Real)};
  }
};

}  // namespace carroll::detail
