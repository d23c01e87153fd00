// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/panel/leader/leader.hpp>
#include <carroll/detail/determinant/panel/leader/rows.hpp>

namespace carroll::detail {

/// `blocked` on a GPU for few matrices, of whose strips one team can hold all columns: all of it in
/// one launch, the measuring of rows, too, while the first strip is condensed. Or what is left
/// behind the rows that another launch has taken off (`Follows`).
///
/// 2n³/3 flops. The way from strip to strip: R steps and the update of R rows by one team, or, if
/// that takes longer, from W to the rows of the next strip but one, five ways through the
/// second-level cache.
template <class ExecSpace, class T, int Columns, int W, bool Follows>
class StripFrontKernel {
 public:
  static constexpr int warps = W + 1;
  static constexpr int threads_per_team = 32 * warps;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads_per_team, 1>>;
  using Member = typename Policy::member_type;
  using Front = StripFront<T, Columns, W, Follows>;
  using Rows = StripFrontRows<T, Columns, warps, Follows, Member>;

  StripFrontKernel(DeterminantBatch<T> const& batch, StripWorkspace<T> const& workspace, int first,
                   int teams_per_member)
      : batch_(batch), workspace_(workspace), first_(first), teams_per_member_(teams_per_member) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    Policy policy(exec, batch_.members * teams_per_member_, int{threads_per_team}, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(int{bytes} + 16));
    return policy;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    void* const scratch = team.team_scratch(int{0}).get_shmem_aligned(int{bytes}, 16);
    StripThreads<Member> const threads(team);
    int const first = Follows ? first_ : 0;
    // Teams of a matrix start together, whatever the order in which the device starts teams.
    int* const started = workspace_.started(batch_.members) + 1;
    auto& started_as = *static_cast<int*>(scratch);
    if (threads.thread == 0) started_as = Kokkos::atomic_fetch_add(started, 1);
    threads.barrier();
    int const number = started_as % teams_per_member_, member = started_as / teams_per_member_;
    threads.barrier();
    FrontMemory<T, Follows> const memory{StripStage{first}.in(workspace_.of(member)),
                                         started,
                                         batch_.n - first,
                                         first,
                                         teams_per_member_,
                                         batch_.members};
    if (number == 0) {
      Front front{*static_cast<typename Front::Scratch*>(scratch), memory, batch_.source_of(member),
                  StripStage{first}.in(batch_.work_of(member))};
      front.run(threads.thread, batch_.info_of(member));
    } else {
      Rows rows{threads, *static_cast<typename Rows::Scratch*>(scratch), memory, batch_, member};
      rows.run();
    }
  }

 private:
  static constexpr int bytes =
      static_cast<int>(std::max(sizeof(typename Front::Scratch), sizeof(typename Rows::Scratch)));

  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
  int first_;  ///< row, if rows before it have been taken off (panel/persistent_kernel.hpp)
  int teams_per_member_;
};

}  // namespace carroll::detail
