// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/row_panel/plan.hpp>
#include <cstdint>

/// How a large matrix is cut into outer blocks, and these into row panels.
namespace carroll::detail {

/// Rows of an outer block, a multiple of the rows of a row panel. More make the product faster, and
/// the row panels slower.
inline constexpr int outer_block_rows = 256;

/// Orders from which outer blocks are worth it, and columns that are left to the row panels alone.
/// One matrix would be done by outer blocks a little sooner from 2176 columns on (double precision:
/// 1920), but several at the same time are not. (H200, 2026-11-22: order 2560, single
/// precision, 2.0 ms for 2.3, 3072 2.5 for 3.3; order 2048, double precision, 1.64 ms for 1.73,
/// 2304 1.89 for 2.22, 3072 2.7 for 4.8.)
template <class T>
inline constexpr int least_outer_block_order = sizeof(T) == 4 ? 2560 : 2304;
template <class T>
inline constexpr int least_outer_block_columns = sizeof(T) == 4 ? 2048 : 1664;

/// Rows of an outer block that are updated together, in row panels of R rows: a team has all
/// columns of such a block, which is the longest part of the way from row panel to row panel where
/// there are many. (H200, 2026-11-22, order 4096, row panels of 16 rows: four rows 3.8 and 4.4 ms,
/// eight 4.0 and 5.0.)
template <class T, int R>
inline constexpr int outer_block_block_rows = sizeof(T) == 4 && R == 32 ? 8 : 4;

/// Columns down to which outer blocks are taken off by twos, and down to which U⁻¹ goes into V.
/// Both lengthen the way from outer block to outer block, which does not matter as long as the
/// product takes longer.
inline constexpr int least_pair_columns = 10240;
inline constexpr int least_fold_columns = 6656;
static_assert(least_pair_columns >= least_fold_columns + outer_block_rows);

/// As long as it does, row panels are shared by half as many teams as could be; or where these
/// could not run at the same time.
template <class T>
inline constexpr int wide_team_columns = 2 * row_panel_team_columns<T>;

/// Have `teams_at_once` teams, one of them for updates, room for a row panel?
constexpr bool fit(std::int64_t columns, int team_columns, int teams_at_once) {
  return (columns + team_columns - 1) / team_columns < teams_at_once;
}

/// Row panels have 16 rows, which is sooner done, as in row_panel/launch.hpp; but 32 where U⁻¹ goes
/// into V, or with wide teams. (H200, 2026-11-22, order 4096: an outer block in 0.20 ms for 0.29.)
inline constexpr int most_outer_block_row_panels = outer_block_rows / 16;

template <class T>
RowPanelPlan outer_block_plan(std::int64_t columns, int teams_at_once) {
  bool const wide =
      columns >= least_pair_columns || !fit(columns, row_panel_team_columns<T>, teams_at_once);
  int const R = wide || columns >= least_fold_columns ? 32 : 16;
  return {static_cast<int>(columns),
          R,
          R == 32 ? int{outer_block_block_rows<T, 32>} : int{outer_block_block_rows<T, 16>},
          wide ? int{wide_team_columns<T>} : int{row_panel_team_columns<T>},
          outer_block_rows,
          outer_block_rows / R};
}

/// Teams that update the rows of an outer block while others condense its row panels of R rows. All
/// of them are taken from the product that runs at the same time.
template <class T>
int outer_block_update_teams(int R) {
  return (sizeof(T) == 4 ? 16 : 32) + (R == 32 ? 0 : 16);
}

/// Outer blocks of a matrix of order n.
template <class T>
constexpr int outer_blocks_of(std::int64_t n) {
  return n < least_outer_block_order<T>
             ? 0
             : static_cast<int>((n - least_outer_block_columns<T>) / outer_block_rows) + 1;
}

/// Outer blocks after which rows are looked at: each adds some eight bits of their entries to a
/// bound.
template <class T>
inline constexpr int measured_outer_blocks = sizeof(T) == 4 ? 8 : 16;

/// Outer blocks whose W is kept at the same time, where it does not make room for V.
inline constexpr int outer_blocks_kept = 2;

}  // namespace carroll::detail
