// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/outer_block/outer_block.hpp>
#include <carroll/detail/determinant/panel/panel.hpp>

namespace carroll::detail {

/// After the strips of a slab: where its pivots stood, which columns move, and U. Each strip has
/// left its rows of W in the order of columns in which it found them; here they are brought into
/// the last one, which concerns few entries. So are, behind the second slab of two, the first
/// one's rows of V. One team per row; W is read once for its largest entries.
template <class ExecSpace, class T, int R>
class SlabColumnsKernel {
 public:
  static constexpr int W = 8;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * W, 2>>;
  using Member = typename Policy::member_type;

  /// `plan` and `stage`: of the slab, with strips of R rows. `second` of two, the first one's V
  /// being in the rows before.
  SlabColumnsKernel(DeterminantBatch<T> const& batch, StripWorkspace<T> const& workspace,
                    Slab<T> const& slab, StripPlan const& plan, StripStage const& stage,
                    bool second)
      : batch_(batch),
        workspace_(workspace),
        slab_(slab),
        plan_(plan),
        stage_(stage),
        second_(second) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    Policy policy(exec, (second_ ? 2 : 1) * slab_rows, 32 * W, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(Scratch)) + 16));
    return policy;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    StripMemory<T> const memory = stage_.in(workspace_.of(0));
    // Rows of the slab before are numbered from -slab_rows on.
    int const row = team.league_rank() - (second_ ? slab_rows : 0);
    StripThreads<Member> const threads(team);
    if (row == 0)  // for the next launch of strips
      for (int k = threads.thread; k < workspace_.counters(); k += threads.size())
        memory.ticket[k] = 0;
    if (row == 1 && threads.thread == 0) *workspace_.started(1) = 0;
    if (memory.progress->status != Status::success) return;

    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    int const strips = plan_.strips();
    int const strip = row < 0 ? -1 : row / R;  // that has left the row as it is
    int const before = Kokkos::max(strip, 0);  // in whose order of columns it is
    // Its entries, also those that do not remain, are on their way before anything else.
    constexpr int C = 64 / sizeof(T);
    T first[C];
    read(memory, row, plan_.columns(before), threads.thread, first);
    for (int e = threads.thread; e < slab_rows; e += threads.size()) {
      int const s = e / R, k = e % R;
      StripRecord const& record = memory.records[s];
      scratch.pivots[e] = record.pivots[k];
      bool const filled = k < record.filled;
      scratch.holes[e] = filled ? record.holes[k] : -1;
      scratch.fillers[e] = filled ? record.fillers[k] : -1;
    }
    threads.barrier();

    StridedMatrix<T> const A = stage_.in(batch_.work_of(0));
    auto const entry = [&](int column) -> T& {
      return row < 0 ? A(row, column) : *memory.entry_of_W(row, column);
    };
    T* const U = row < 0 ? slab_.U_before + slab_rows * slab_rows : slab_.U;
    int const rest = plan_.columns(strips);
    static_assert(slab_rows == 32 * W && Slab<T>::groups == W);
    {
      int const e = threads.thread, s = e / R;
      T u = 0;
      if (s > strip) u = entry(traced(scratch, scratch.pivots[e], s, before));
      if (s > strip) U[row * slab_rows + e] = u;
      if (row == 0) slab_.pivots[e] = traced(scratch, scratch.pivots[e], s, 0);
      T sum = Kokkos::abs(u);
      for (int step = 16; step > 0; step /= 2)
        sum += threads.warp.from(sum, threads.warp.lane ^ step);
      if (row >= 0 && threads.warp.lane == 0) slab_.sums[row * W + threads.warp_index] = sum;
    }
    int largest = 0;
    threads.barrier();  // holes are pivots' places
    for (int e = threads.thread; e < slab_rows; e += threads.size()) {
      int const hole = scratch.holes[e];
      bool const moves = hole >= 0 && hole < rest;
      int const source = moves ? traced(scratch, hole, strips, before) : 0;
      // What fills holes stands behind `rest`, so that nothing is read after it has been written.
      if (moves) {
        T const x = entry(source);
        entry(hole) = x;
        largest = Kokkos::max(largest, magnitude(x));
      }
      if (row == 0) {
        slab_.holes[e] = moves && source != hole ? hole : -1;
        slab_.fillers[e] = source;
      }
    }
    threads.barrier();

    if (row < 0) return;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) largest = Kokkos::max(largest, magnitude(first[c]));
    constexpr int step = C * 32 * W;
    for (int j0 = step + threads.thread; j0 < rest; j0 += step) {
      T x[C];
      read(memory, row, rest, j0, x);
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) largest = Kokkos::max(largest, magnitude(x[c]));
    }
    largest = threads.warp.max(largest);
    if (threads.warp.lane == 0) scratch.largest[threads.warp_index] = largest;
    threads.barrier();
    if (threads.thread != 0) return;
    for (int w = 1; w < W; ++w) largest = Kokkos::max(largest, scratch.largest[w]);
    slab_.W_top[row] = largest == 0 ? T(0) : of_magnitude<T>(largest + 1);
    slab_.V_top[row] = 0;
  }

 private:
  /// Entries of W from column j on, as many apart as the team has threads, of `columns` in all.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION static void read(StripMemory<T> const& memory, int row, int columns,
                                               int j, T (&x)[C]) {
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const column = j + c * 32 * W;
      x[c] = row >= 0 && column < columns ? *memory.entry_of_W(row, column) : T(0);
    }
  }

  struct Scratch {
    alignas(16) int pivots[slab_rows];
    alignas(16) int holes[slab_rows];
    alignas(16) int fillers[slab_rows];
    int largest[W];
  };

  /// The place before strip `to` of the column at `place` before strip `from` (behind them all:
  /// from = strips).
  KOKKOS_FUNCTION int traced(Scratch const& scratch, int place, int from, int to) const {
    CARROLL_NO_UNROLL
    for (int s = from - 1; s >= to; --s) {
      int source = place;
      CARROLL_UNROLL
      for (int k = 0; k < R; ++k)  // without a branch: at most one of them is it
        source = scratch.holes[s * R + k] == place ? scratch.fillers[s * R + k] : source;
      place = source;
    }
    return place;
  }

  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
  Slab<T> slab_;
  StripPlan plan_;
  StripStage stage_;
  bool second_;
};

}  // namespace carroll::detail
