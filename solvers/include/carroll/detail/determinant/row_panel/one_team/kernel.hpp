// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/one_team/matrix.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// `blocked` on a GPU for orders of 33 to 256, but for 65 to 128 in double precision, which
/// RowPanelTilesKernel has: a team per matrix, a thread for two columns, row panels of R rows in
/// registers. After a row panel each thread has its columns of W in registers and takes them off
/// the rows below, in the matrix's own memory; nothing of L or U is kept.
///
/// n² entries read at least; rows are read and written once per row panel above them, from caches
/// for the most part. 2n³/3 + 2Rn² flops; n steps, one after the other.
template <class ExecSpace, class T, int R, int W>
class RowPanelMatrixKernel {
 public:
  static constexpr int C = 2;
  /// Teams for which a multiprocessor has room (H200, 2026-11-22: 5000 of order 64, double
  /// precision, 0.33 ms with 8 teams, which work on eight rows at a time, 0.36 with 12 and four).
  static constexpr int at_once =
      W == 1 ? (sizeof(T) == 4 ? 12 : 8) : (W == 2 && sizeof(T) == 4 ? 8 : 8 / W);
  /// What they leave of registers to a thread, of four warps' each. ptxas of CUDA 13.0 puts rows of
  /// a row panel into memory where these are few; with 128 of them it forgot to read one back
  /// (H200, 2026-11-22: pivots from the 14th on were wrong, always the same, and nothing raced).
  static constexpr int registers = 65536 / (32 * ((W * at_once + 3) / 4 * 4));
  static_assert(sizeof(T) == 4 || registers >= 168);
  using Matrix = RowPanelMatrix<T, R, W, TeamMember<ExecSpace>>;
  using Scratch = typename Matrix::Scratch;
  using Policy = BoundedTeams<ExecSpace, 32 * W, at_once, sizeof(Scratch) + 16>;

  explicit RowPanelMatrixKernel(DeterminantBatch<T> const& batch) : batch_(batch) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    return team_policy<Policy>(exec, {.count = batch_.members,
                                      .threads = (batch_.n + 32 * C - 1) / (32 * C) * 32,
                                      .scratch = sizeof(Scratch) + 16});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    RowPanelThreads<TeamMember<ExecSpace>> const threads(team);
    Matrix matrix{threads, scratch, batch_.source_of(team.league_rank()),
                  batch_.work_of(team.league_rank()), batch_.n};
    bool odd = false;  // have columns changed places an odd number of times? (first warp)
    int found = 0;     // pivots
    RowPanel<T, R, C, W> row_panel;
    Status status = matrix.measure();
    for (int first = 0; first < batch_.n && status == Status::success; first += R) {
      int const rows = Kokkos::min(int{R}, batch_.n - first);
      int const m = batch_.n - first;
      matrix.load(row_panel, first, rows);
      if (!row_panel.condense(threads, scratch.row_panel, rows, 0, NoExchange{})) {
        status = Status::singular;
        break;
      }
      threads.barrier();  // the last pivot is in scratch
      matrix.forget_columns(row_panel, first, rows, odd);
      found += rows;
      if (rows < m) matrix.update(row_panel, first + rows);
    }
    if (threads.warp_index != 0) return;
    threads.warp.sync();
    RowPanelState<T> state;
    state.take_pivots(threads.warp, scratch.pivots, scratch.row_top, found, odd);
    if (threads.thread == 0)
      batch_.info_of(team.league_rank()) = state.info(status, scratch.scaling);
  }

 private:
  DeterminantBatch<T> batch_;
};

}  // namespace carroll::detail
