// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/outer_block/outer_block.hpp>
#include <carroll/detail/determinant/outer_block/team_rows.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// The rows of a whole matrix, for the kernel below: the one at a place, its number, and the matrix
/// whose rows are numbered so.
template <class T>
struct WholeMatrixRows {
  StridedMatrix<T> A;

  [[nodiscard]] KOKKOS_FUNCTION int number(int place) const { return place; }
  [[nodiscard]] KOKKOS_FUNCTION StridedMatrix<T> matrix(int) const { return A; }
};

/// All that rows below an outer block need before the product, M rows to a team, a thread for each
/// of the outer block's columns: their entries in the pivots' columns, A3, are gathered behind the
/// columns that remain, other columns fill the gaps, and rows are kept in range. A bound of each
/// row's entries grows by Σ|x|·max|V| with every outer block; every few outer blocks the row itself
/// is looked at.
///
/// If U⁻¹ is not in V (outer_block/trsm.hpp), A3 becomes X = A3·U⁻¹, by substitution: a warp holds
/// the columns of one row panel, or of two, which it settles by itself; in turn the warps tell the
/// others theirs through scratch, who take them off their own. For the second outer block of two
/// X1·V12 goes first.
///
/// 2·n·P entries read for n rows and P = outer_block_rows, half of them, and half of 2·n·P written,
/// whole sectors of memory each; substitution: n·P² flops (the second outer block: 3·n·P²), half of
/// U from the second-level cache for M rows, P/32 + 2 barriers. With `measure`, not for the second
/// outer block, all entries of the rows are read.
template <class ExecSpace, class T, int R, int M, bool Second, class Places>
class OuterBlockRowsKernel {
 public:
  static constexpr int P = outer_block_rows;  ///< columns of X, and threads
  /// On a multiprocessor: few rows to a team are for few rows in all.
  static constexpr int teams = M <= 2 ? 1 : M <= 4 ? 6 : M * sizeof(T) <= 32 ? 4 : 3;
  using Rows = OuterBlockTeamRows<T, R, M, Second, TeamMember<ExecSpace>>;
  using Scratch = typename Rows::Scratch;
  using Policy = BoundedTeams<ExecSpace, P, teams, sizeof(Scratch) + 16>;

  /// For rows at places `begin` to `end` - 1, below the outer block of `plan`, which has row panels
  /// of R rows, 16 or 32; the numbers of M rows follow one another. `in_place`: V stands in the
  /// outer block's rows of the matrix, otherwise W is in the workspace.
  OuterBlockRowsKernel(Places const& places, RowPanelWorkspace<T> const& workspace,
                       OuterBlock<T> const& outer_block, RowPanelPlan const& plan, int begin,
                       int end, bool in_place, bool measure)
      : places_(places),
        workspace_(workspace),
        outer_block_(outer_block),
        columns_(plan.n),
        begin_(begin),
        end_(end),
        in_place_(in_place),
        measure_(measure) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    return team_policy<Policy>(
        exec,
        {.count = (end_ - begin_ + M - 1) / M, .threads = P, .scratch = sizeof(Scratch) + 16});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    RowPanelMemory<T> const memory = workspace_.of(0);
    if (memory.progress->status != Status::success) return;
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    RowPanelThreads<TeamMember<ExecSpace>> const threads(team);
    int const place = begin_ + team.league_rank() * M;
    Rows work{threads,     scratch,   places_.number(place), Kokkos::min(int{M}, end_ - place),
              columns_,    in_place_, places_.matrix(place), memory,
              outer_block_};
    work.gather();
    work.find_bounds(measure_);
    if (in_place_ && *outer_block_.folded != 0)
      work.grow_bounds();
    else
      work.substitute();
    work.finish();
  }

 private:
  Places places_;
  RowPanelWorkspace<T> workspace_;
  OuterBlock<T> outer_block_;
  int columns_;  ///< before the outer block
  int begin_, end_;
  bool in_place_, measure_;
};

}  // namespace carroll::detail
