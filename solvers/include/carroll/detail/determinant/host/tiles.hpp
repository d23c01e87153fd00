// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/gemm/packed.hpp>
#include <cstddef>
#include <cstdint>

/// What is kept of a panel on a host, and where its columns stand.
///
/// The matrix is seen from its last entry, which runs against the order in memory. So that vectors
/// of row-major entries need not be turned around, all packed arrays hold columns in that order,
/// too: where `slots` columns are stored together, column j is at slot slots − 1 − j.
namespace carroll::detail {

/// Rows of a panel on a host.
inline constexpr int host_panel_rows = 64;
/// Rows that are condensed one by one before the rest of the panel sees them.
inline constexpr int host_step_rows = 8;

/// What is kept of a panel while the rows below it are updated.
template <class T>
struct HostPanel {
  static constexpr int rows = host_panel_rows;

  T* tiles = nullptr;  ///< tile after tile, `rows` rows of PackedBlock::cols columns each
  /// The strict upper triangle of U11, zeros below it; rows×rows. Behind it, square after square,
  /// U's columns that are the first ones of the block's later panels.
  T* triangle = nullptr;
  /// `source[k]`: where the column stood that is now the k-th one. `moved_to[s]`, `moved_from[s]`:
  /// columns of the first `rows` that have gone behind them.
  int *source = nullptr, *moved_to = nullptr, *moved_from = nullptr;
  int* moved = nullptr;  ///< how many of them, or `unusable`
  int ahead = rows;      ///< columns up to those that follow the block's
  static constexpr int unusable = -1;

  /// Enough for tiles of every width: less than two more than n columns fill. `panels`: of a block.
  static std::int64_t scalars(std::int64_t n, int panels = 1) {
    return (n + (2 + panels) * rows) * rows;
  }
  static constexpr int ints = 3 * rows + 1;

  HostPanel() = default;
  HostPanel(T* data, int* integers, int panels = 1)
      : tiles(data + panels * rows * rows),
        triangle(data),
        source(integers),
        moved_to(integers + rows),
        moved_from(integers + 2 * rows),
        moved(integers + 3 * rows) {}
};

/// Panels that follow each other. Rows below are updated by all of them together, which reads and
/// writes these rows once.
template <class T>
struct HostBlock {
  static constexpr int most_panels = 4;
  /// Panels where m rows are left: enough rows must be below to occupy all threads while one of
  /// them condenses the next block.
  static int panels_for(std::int64_t m, int threads) {
    std::int64_t const share = m / (std::int64_t{3} * host_panel_rows * threads);
    return static_cast<int>(Kokkos::clamp<std::int64_t>(share, 1, most_panels));
  }

  HostPanel<T> panels[most_panels];
  int first = 0, count = 0;

  [[nodiscard]] int first_of(int panel) const { return first + panel * host_panel_rows; }
  [[nodiscard]] int end() const { return first_of(count); }
};

/// Where columns of a panel are. The first ones, up to the block's end, end at the end of a tile,
/// so that the others, which the rows below share, begin with one.
template <class T, int Bytes>
struct HostTiles {
  static constexpr int cols = PackedBlock<T, Bytes>::cols;
  static constexpr int size = host_panel_rows * cols;
  static_assert(host_panel_rows % HostVector<T, Bytes>::width == 0);  // so is every lead

  int lead;  ///< slots before column 0
  explicit HostTiles(HostPanel<T> const& panel) : lead((cols - panel.ahead % cols) % cols) {}

  /// Tiles of a panel with m columns.
  [[nodiscard]] int count(int m) const { return (m + lead + cols - 1) / cols; }
  /// The tile that column j is in.
  [[nodiscard]] int tile_of(int j) const { return (j + lead) / cols; }
  [[nodiscard]] std::ptrdiff_t place(int j) const {
    int const at = j + lead;
    return static_cast<std::ptrdiff_t>(at / cols) * size + (cols - 1 - at % cols);
  }
  /// The columns of a tile that exist, from `first` on.
  [[nodiscard]] int begin(int tile, int first) const {
    int const j = tile * cols - lead;
    return j < first ? first : j;
  }
  [[nodiscard]] int end(int tile, int m) const {
    int const j = (tile + 1) * cols - lead;
    return j > m ? m : j;
  }
};

}  // namespace carroll::detail
