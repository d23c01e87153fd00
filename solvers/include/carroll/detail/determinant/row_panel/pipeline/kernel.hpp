// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/pipeline/pipeline.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// `blocked` on a GPU as long as a row panel has more columns than the leader team takes
/// (row_panel/leader/kernel.hpp), or on what outer blocks leave, to its end: one launch, by teams
/// that share each matrix (row_panel/tickets.hpp). While one team condenses a row panel, or several
/// some columns each (row_panel/pipeline/pipeline.hpp), the others still take the row panel before
/// off the rows behind it. Or only an outer block of rows (outer_block/outer_block.hpp).
///
/// 2n³/3 flops. Every row panel's update reads and writes what is left of the matrix, n³/(3R)
/// entries each way, and W once per block of B rows, n³/(3B) entries, from the second-level cache.
/// The way from row panel to row panel, which nothing shortens: R steps and the update of R rows by
/// one team.
template <class ExecSpace, class T, int R, int B, int Columns, int W, bool Shared>
class RowPanelStepsKernel {
 public:
  static constexpr int threads_per_team = 32 * W;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads_per_team, 8 / W>>;
  using Worker = RowPanelPipeline<T, R, B, Columns, W, TeamMember<ExecSpace>, Shared>;
  using Scratch = typename Worker::Scratch;

  /// `plan`: of the rows from `stage` on, B and R of this kernel.
  RowPanelStepsKernel(DeterminantBatch<T> const& batch, RowPanelWorkspace<T> const& workspace,
                      RowPanelPlan const& plan, RowPanelStage const& stage, int teams_per_member)
      : batch_(batch),
        workspace_(workspace),
        plan_(plan),
        stage_(stage),
        teams_per_member_(teams_per_member) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    RowPanelPlan const& plan = plan_;
    auto const bytes = sizeof(Scratch) + Worker::hole_words(plan.n) * sizeof(std::uint32_t) +
                       Worker::exchange_bytes(plan);
    return team_policy<Policy>(exec, {.count = batch_.members * teams_per_member_,
                                      .threads = threads_per_team,
                                      .scratch = bytes + 64});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    constexpr bool may_stop = R == 16;  // the others are of outer blocks, which go on to the end
    RowPanelPlan const plan{plan_.n,
                            int{R},
                            int{B},
                            int{Columns},
                            plan_.rows,
                            plan_.ring,
                            may_stop ? plan_.first_row_panels : 0};
    RowPanelThreads<TeamMember<ExecSpace>> const threads(team);
    auto const& space = team.team_scratch(int{0});
    auto* const scratch = static_cast<Scratch*>(space.get_shmem_aligned(sizeof(Scratch), 16));
    auto* const holes = static_cast<std::uint32_t*>(
        space.get_shmem_aligned(Worker::hole_words(plan.n) * sizeof(std::uint32_t), 16));
    void* const exchange_scratch = space.get_shmem_aligned(Worker::exchange_bytes(plan), 16);
    // Teams of a matrix start together, whatever the order in which the device starts teams.
    if (threads.thread == 0) scratch->number = draw_ticket(workspace_.started(batch_.members));
    threads.barrier();
    int const member = scratch->number / teams_per_member_;
    int const number = scratch->number % teams_per_member_;
    Worker worker{{{threads, *scratch, holes, exchange_scratch, plan, stage_.first,
                    stage_.in(workspace_.of(member)), stage_.in(batch_.source_of(member)),
                    stage_.in(batch_.work_of(member))}}};
    if (!worker.begin()) return;
    if (number < plan.teams(0)) return worker.run(number, batch_.info_of(member));
    RowPanelTickets tasks{plan};
    while (tasks.find(worker.next_task()))
      if (!worker.update_block(tasks.row_panel, tasks.block)) return;
  }

 private:
  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  RowPanelPlan plan_;
  RowPanelStage stage_;
  int teams_per_member_;
};

}  // namespace carroll::detail
