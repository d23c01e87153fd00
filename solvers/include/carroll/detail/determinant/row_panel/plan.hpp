// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

/// How a matrix is cut into row panels, and how many teams share one. Shapes depend on the order
/// and the precision alone.
namespace carroll::detail {

/// The largest order for which one team has a matrix for itself: what four warps can hold.
inline constexpr int most_row_panel_columns = 256;

/// Columns of a shared row panel that one team holds: a row panel of 16 rows and the next one,
/// which is to be, go into its registers.
template <class T>
inline constexpr int row_panel_team_columns = sizeof(T) == 4 ? 512 : 256;

/// When so many columns are left, of a matrix that is shared, one team condenses its row panels and
/// others keep its rows (row_panel/leader/kernel.hpp), with the same bits, as one team has a row
/// panel then in either case.
template <class T>
inline constexpr int most_leader_columns = row_panel_team_columns<T>;

/// Rows of its row panels.
inline constexpr int trailing_rows = 16;

/// Row panels before that.
template <class T>
constexpr int row_panels_before_leader(std::int64_t n) {
  auto const more = static_cast<int>(std::max(n - most_leader_columns<T>, std::int64_t{0}));
  return (more + trailing_rows - 1) / trailing_rows;
}

/// Row panels whose W is kept at the same time, unless an outer block wants them all.
inline constexpr int row_panel_ring = 4;

/// The cut of the first `rows` rows of n columns into row panels of R rows, and blocks of B rows
/// that are updated together. All of a matrix, with rows = n, or an outer block of it
/// (outer_block/outer_block.hpp), with a multiple of R.
struct RowPanelPlan {
  int n, R, B;
  int team_columns;  ///< of a row panel, that one team holds
  int rows = n;
  int ring = row_panel_ring;  ///< row panels whose W is kept
  int first_row_panels = 0;   ///< if not all of them are condensed: those that are

  [[nodiscard]] KOKKOS_FUNCTION int row_panels() const {
    return first_row_panels == 0 ? (rows + R - 1) / R : first_row_panels;
  }
  [[nodiscard]] KOKKOS_FUNCTION int blocks() const { return (rows + B - 1) / B; }
  /// Blocks of row panel s.
  [[nodiscard]] KOKKOS_FUNCTION int first_block(int s) const { return s * (R / B); }
  [[nodiscard]] KOKKOS_FUNCTION int end_block(int s) const {
    return Kokkos::min(first_block(s + 1), blocks());
  }
  /// Columns that are left when row panel s begins.
  [[nodiscard]] KOKKOS_FUNCTION int columns(int s) const { return n - s * R; }
  /// Teams that share it.
  [[nodiscard]] KOKKOS_FUNCTION int teams(int s) const {
    return s < row_panels() ? (columns(s) + team_columns - 1) / team_columns : 0;
  }
  /// The first block of the rows behind the row panel that follows row panel s, if one does.
  [[nodiscard]] KOKKOS_FUNCTION int first_behind(int s) const {
    return first_block(first_row_panels == 0 ? s + 2 : Kokkos::min(s + 2, first_row_panels));
  }
  /// These blocks: as many tasks read W of row panel s.
  [[nodiscard]] KOKKOS_FUNCTION int blocks_behind(int s) const {
    return Kokkos::max(blocks() - first_behind(s), 0);
  }
};

/// Up to 1024 columns one team can hold a row panel of single precision, at the price of some
/// registers that go to memory. Beyond, row panels are shared.
template <class T>
RowPanelPlan shared_row_panel_plan(std::int64_t n) {
  int const order = static_cast<int>(n);
  if (sizeof(T) == 4 && n <= 1024) return {order, 16, 8, 1024};
  return {order, 16, 8, int{row_panel_team_columns<T>}};
}

}  // namespace carroll::detail
