// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/row_panel/leader/rows.hpp>
#include <carroll/detail/determinant/row_panel/leader/serve.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// The row panels of a matrix, one after the other, by one team. Its last warp serves the others:
/// while they condense a row panel, it waits for the rows of the next one and brings them to
/// scratch, and multiplies pivots; while they take the row panel off the next one, it tells the
/// teams that have the rows behind (row_panel/leader/rows.hpp) that W is there. So nobody who
/// computes waits for memory.
///
/// 4·R flops per entry of a row panel: half of them its steps, half of them the update.
template <class T, int Columns, int W, bool Follows>
struct RowPanelLeader : LeaderService<T, Columns, W, Follows> {
  using Base = LeaderService<T, Columns, W, Follows>;
  using Base::scratch;
  using typename Base::Threads;

  KOKKOS_FUNCTION void run(int thread, DeterminantInfo<T>& info) {
    for (int j = thread; j < Columns; j += 32 * (W + 1))
      scratch.source[j] = static_cast<std::uint16_t>(j);
    Threads const threads(thread);
    if (threads.warp_index < W)
      this->condense(threads);
    else
      this->serve(threads.warp, info);
  }
};

/// `blocked` on a GPU for few matrices, of whose row panels one team can hold all columns: all of
/// it in one launch, the measuring of rows, too, while the first row panel is condensed. Or what is
/// left behind the rows that another launch has taken off (`Follows`).
///
/// 2n³/3 flops. The way from row panel to row panel: R steps and the update of R rows by one team,
/// or, if that takes longer, from W to the rows of the next row panel but one, five ways through
/// the second-level cache.
template <class ExecSpace, class T, int Columns, int W, bool Follows>
class RowPanelLeaderKernel {
 public:
  static constexpr int warps = W + 1;
  static constexpr int threads_per_team = 32 * warps;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads_per_team, 1>>;
  using Leader = RowPanelLeader<T, Columns, W, Follows>;
  using Rows = TrailingWorker<T, Columns, warps, Follows, TeamMember<ExecSpace>>;

  RowPanelLeaderKernel(DeterminantBatch<T> const& batch, RowPanelWorkspace<T> const& workspace,
                       int first, int teams_per_member)
      : batch_(batch), workspace_(workspace), first_(first), teams_per_member_(teams_per_member) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    return team_policy<Policy>(exec, {.count = batch_.members * teams_per_member_,
                                      .threads = threads_per_team,
                                      .scratch = bytes + 16});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    void* const scratch = team.team_scratch(int{0}).get_shmem_aligned(int{bytes}, 16);
    RowPanelThreads<TeamMember<ExecSpace>> const threads(team);
    int const first = Follows ? first_ : 0;
    // Teams of a matrix start together, whatever the order in which the device starts teams.
    int* const started = workspace_.started(batch_.members) + 1;
    auto& started_as = *static_cast<int*>(scratch);
    if (threads.thread == 0) started_as = draw_ticket(started);
    threads.barrier();
    int const number = started_as % teams_per_member_, member = started_as / teams_per_member_;
    threads.barrier();
    LeaderMemory<T, Follows> const memory{RowPanelStage{first}.in(workspace_.of(member)),
                                          started,
                                          batch_.n - first,
                                          first,
                                          teams_per_member_,
                                          batch_.members};
    if (number == 0) {
      Leader front{*static_cast<typename Leader::Scratch*>(scratch), memory,
                   batch_.source_of(member), RowPanelStage{first}.in(batch_.work_of(member))};
      front.run(threads.thread, batch_.info_of(member));
    } else {
      Rows rows{threads, *static_cast<typename Rows::Scratch*>(scratch), memory, batch_, member};
      rows.run();
    }
  }

 private:
  static constexpr int bytes =
      static_cast<int>(std::max(sizeof(typename Leader::Scratch), sizeof(typename Rows::Scratch)));

  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  int first_;  ///< row, if rows before it have been taken off (row_panel/pipeline/kernel.hpp)
  int teams_per_member_;
};

}  // namespace carroll::detail
