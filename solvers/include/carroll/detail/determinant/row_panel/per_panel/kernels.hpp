// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/per_panel/round.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <utility>

namespace carroll::detail {

/// `blocked` on a GPU for batches, with the bits of row_panel/pipeline/kernel.hpp: a launch per
/// row panel for all matrices. One team per matrix takes the row panel before off the next row
/// panel's rows and condenses these, while the other teams take it off the rows behind, B rows
/// each. So nobody waits for anybody but in the end, which is sooner done than by teams that wait
/// for each other's tasks (row_panel/tickets.hpp) as soon as matrices are many.
///
/// 2n³/3 flops. n³/(3R) entries are read and written, and W once per block, n³/(6B) entries.
template <class ExecSpace, class T, int R, int C, int Teams, int W, int AtOnce, int U, int Together>
class RowPanelRoundKernel {
 public:
  static constexpr int threads_per_team = 32 * W;
  static constexpr int B = 32;
  using Policy = BoundedTeams<ExecSpace, threads_per_team, AtOnce, most_lent_scratch>;
  using Worker = RowPanelRound<T, R, B, C, Teams, W, TeamMember<ExecSpace>>;
  using Scratch = typename Worker::Scratch;

  /// `row_panel`: the next one.
  RowPanelRoundKernel(DeterminantBatch<T> const& batch, RowPanelWorkspace<T> const& workspace,
                      RowPanelPlan const& plan, int row_panel)
      : batch_(batch), workspace_(workspace), plan_(plan), row_panel_(row_panel) {
    int const behind = plan.rows - (row_panel + 1) * R;
    blocks_ = row_panel == 0 || behind <= 0 ? 0 : (behind + B - 1) / B;
  }

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    auto const bytes = sizeof(Scratch) + Worker::hole_words(plan_.n) * sizeof(std::uint32_t) +
                       (Teams - 1) * sizeof(RowPanelOffers<T, R, W>);
    return team_policy<Policy>(exec, {.count = batch_.members * (1 + blocks_),
                                      .threads = threads_per_team,
                                      .scratch = bytes + 64});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    RowPanelPlan const plan{plan_.n, int{R}, int{B}, plan_.team_columns, plan_.rows, plan_.ring};
    RowPanelThreads<TeamMember<ExecSpace>> const threads(team);
    auto const& space = team.team_scratch(int{0});
    auto* const scratch = static_cast<Scratch*>(space.get_shmem_aligned(sizeof(Scratch), 16));
    auto* const holes = static_cast<std::uint32_t*>(
        space.get_shmem_aligned(Worker::hole_words(plan.n) * sizeof(std::uint32_t), 16));
    void* const offers =
        Teams == 1 ? nullptr
                   : space.get_shmem_aligned((Teams - 1) * sizeof(RowPanelOffers<T, R, W>), 16);
    int const number = team.league_rank() - batch_.members;  // of a block
    int const member = number < 0 ? team.league_rank() : number / blocks_;
    Worker worker{{{threads, *scratch, holes, offers, plan, 0, workspace_.of(member),
                    batch_.source_of(member), batch_.work_of(member)}}};
    if (number < 0)
      worker.condense(row_panel_, batch_.info_of(member));
    else
      worker.template update<U, Together>(row_panel_ - 1,
                                          (row_panel_ + 1) * R + number % blocks_ * B);
  }

 private:
  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  RowPanelPlan plan_;
  int row_panel_;
  int blocks_ = 0;
};

/// The largest order: what one team can hold.
inline constexpr int most_round_columns = 1024;

/// All row panels of all matrices, by as many warps and with as many columns per thread as
/// row_panel/pipeline/kernel.hpp has.
template <class ExecSpace, class T>
void enqueue_row_panel_rounds(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                              RowPanelWorkspace<T> const& workspace, RowPanelPlan const& plan) {
  for (int row_panel = 0; row_panel < plan.row_panels(); ++row_panel) {
    auto const enqueue = [&]<int C, int Teams, int W, int AtOnce, int U, int Together>(
                             std::integer_sequence<int, C, Teams, W, AtOnce, U, Together>) {
      using Kernel = RowPanelRoundKernel<ExecSpace, T, 16, C, Teams, W, AtOnce, U, Together>;
      Kernel const kernel(batch, workspace, plan, row_panel);
      Kokkos::parallel_for("carroll::determinant::row_panel_round", kernel.policy(exec), kernel);
    };
    int const m = plan.columns(row_panel);
    if constexpr (sizeof(T) == 4) {
      if (plan.n <= 512 && m > 256)
        enqueue(std::integer_sequence<int, 4, 1, 4, 3, 2, 8>());
      else if (plan.n <= 512)
        enqueue(std::integer_sequence<int, 2, 1, 4, 3, 2, 8>());
      else if (m > 512)
        enqueue(std::integer_sequence<int, 4, 1, 8, 2, 2, 8>());
      else
        enqueue(std::integer_sequence<int, 2, 1, 8, 2, 2, 8>());
    } else {
      if (plan.n <= 256)
        enqueue(std::integer_sequence<int, 2, 1, 4, 3, 2, 4>());
      else if (m > 512)
        enqueue(std::integer_sequence<int, 1, 4, 8, 1, 2, 8>());
      else if (m > 256)
        enqueue(std::integer_sequence<int, 1, 2, 8, 2, 1, 8>());
      else
        enqueue(std::integer_sequence<int, 1, 1, 8, 2, 1, 8>());
    }
  }
}

}  // namespace carroll::detail
