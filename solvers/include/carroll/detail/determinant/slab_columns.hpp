// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/slab.hpp>
#include <carroll/detail/determinant/strip.hpp>

namespace carroll::detail {

/// After the strips of a slab: where its pivots stood, which columns move, and U. Each strip has
/// left its rows of W in the order of columns in which it found them; here they are brought into
/// the last one, which concerns few entries. One team per row; W is read once for its largest
/// entries.
template <class ExecSpace, class T>
class SlabColumnsKernel {
 public:
  static constexpr int W = 8;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * W, 2>>;
  using Member = typename Policy::member_type;

  /// `plan` and `stage`: of the slab.
  SlabColumnsKernel(DeterminantBatch<T> const& batch, StripWorkspace<T> const& workspace,
                    SlabMemory<T> const& slab, StripPlan const& plan, StripStage const& stage)
      : batch_(batch), workspace_(workspace), slab_(slab), plan_(plan), stage_(stage) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    Policy policy(exec, slab_rows, 32 * W, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(Scratch)) + 16));
    return policy;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    StripMemory<T> const memory = stage_.in(workspace_.of(0));
    int const row = team.league_rank();
    StripThreads<Member> const threads(team);
    if (row == 0)  // for the next launch of strips
      for (int k = threads.thread; k < workspace_.counters(); k += threads.size())
        memory.ticket[k] = 0;
    if (row == 1 && threads.thread == 0) *workspace_.started(1) = 0;
    if (memory.progress->status != Status::success) return;

    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    int const strips = plan_.strips(), R = plan_.R;
    for (int e = threads.thread; e < slab_rows; e += threads.size()) {
      int const s = e / R, k = e % R;
      StripRecord const& record = memory.records[s];
      scratch.pivots[e] = record.pivots[k];
      bool const filled = k < record.filled;
      scratch.holes[e] = filled ? record.holes[k] : -1;
      scratch.fillers[e] = filled ? record.fillers[k] : -1;
    }
    threads.barrier();

    int const strip = row / R;
    int const rest = plan_.columns(strips);
    for (int e = threads.thread; e < slab_rows; e += threads.size()) {
      int const s = e / R;
      if (s > strip)
        slab_.U[row * slab_rows + e] =
            *memory.entry_of_W(row, traced(scratch, scratch.pivots[e], s, strip));
      if (row == 0) slab_.pivots[e] = traced(scratch, scratch.pivots[e], s, 0);
    }
    threads.barrier();  // holes are pivots' places
    for (int e = threads.thread; e < slab_rows; e += threads.size()) {
      int const hole = scratch.holes[e];
      bool const moves = hole >= 0 && hole < rest;
      int const source = moves ? traced(scratch, hole, strips, strip) : 0;
      // What fills holes stands behind `rest`, so that nothing is read after it has been written.
      if (moves) *memory.entry_of_W(row, hole) = *memory.entry_of_W(row, source);
      if (row == 0) {
        slab_.holes[e] = moves && source != hole ? hole : -1;
        slab_.fillers[e] = source;
      }
    }
    threads.barrier();

    T largest = 0;
    for (int j = threads.thread; j < rest; j += threads.size())
      largest = Kokkos::max(largest, Kokkos::abs(*memory.entry_of_W(row, j)));
    Kokkos::Max<T> const reducer(largest);
    team.team_reduce(reducer);
    if (threads.thread == 0) slab_.W_top[row] = largest;
  }

 private:
  struct Scratch {
    int pivots[slab_rows];
    int holes[slab_rows];
    int fillers[slab_rows];
  };

  /// The place before strip `to` of the column at `place` before strip `from` (behind them all:
  /// from = strips).
  KOKKOS_FUNCTION int traced(Scratch const& scratch, int place, int from, int to) const {
    for (int s = from - 1; s >= to; --s)
      for (int k = s * plan_.R; k < (s + 1) * plan_.R; ++k)
        if (scratch.holes[k] == place) {
          place = scratch.fillers[k];
          break;
        }
    return place;
  }

  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
  SlabMemory<T> slab_;
  StripPlan plan_;
  StripStage stage_;
};

}  // namespace carroll::detail
