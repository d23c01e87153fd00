// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/determinant/row_panel/tickets.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// How many teams have measured their rows, and how many of them have found each flag of
/// MagnitudeRange: 16 bits each of one word, so that who adds last knows all.
struct RowScanFlags {
  static constexpr int bits = 16;

  KOKKOS_FUNCTION static std::uint64_t of(int flags) {
    std::uint64_t word = 1;
    for (int f = 0; f < 3; ++f)
      word |= static_cast<std::uint64_t>(flags >> f & 1) << bits * (f + 1);
    return word;
  }
  KOKKOS_FUNCTION static int teams(std::uint64_t word) {
    return static_cast<int>(word & ((1U << bits) - 1));
  }
  KOKKOS_FUNCTION static int flags(std::uint64_t word) {
    int found = 0;
    for (int f = 0; f < 3; ++f) found |= teams(word >> bits * (f + 1)) != 0 ? 1 << f : 0;
    return found;
  }
};

/// A block of rows is measured: powers of two for all of them, and what speaks against going on, to
/// the first warp.
template <int Warps, int Block, class T, class Member>
KOKKOS_FUNCTION int measure_rows(RowPanelThreads<Member> const& threads,
                                 MagnitudeRange (&ranges)[Warps][Block],
                                 RowPanelMemory<T> const& memory, StridedMatrix<T const> const& A,
                                 int n, int begin) {
  MagnitudeRange range;  // of row begin + lane
  for (int j0 = 0; j0 < n; j0 += threads.size()) {
    int const j = j0 + threads.thread;
    T held[Block][1];
    CARROLL_UNROLL
    for (int r = 0; r < Block; ++r) held[r][0] = begin + r < n && j < n ? A(begin + r, j) : T(0);
    CARROLL_UNROLL
    for (int r = 0; r < Block; ++r) {
      auto const row = MagnitudeRange::of(threads.warp, held[r]);
      if (threads.warp.lane == r) range.add(row);
    }
  }
  if (threads.warp.lane < Block) ranges[threads.warp_index][threads.warp.lane] = range;
  threads.barrier();
  if (threads.warp_index != 0) return 0;
  int const i = begin + threads.warp.lane;
  int flags = 0;
  if (threads.warp.lane < Block && i < n) {
    for (int w = 0; w < Warps; ++w) range.add(ranges[w][threads.warp.lane]);
    flags = range.template flags<T>();
    int const e = flags == 0 ? range.template exponent<T>() : 0;
    memory.row_exponent[i] = e;
    memory.row_factor[i] = power_of_two<T>(-e);
    memory.row_top[i] = range.template top<T>();
  }
  return static_cast<int>(threads.warp.any_bits(static_cast<std::uint32_t>(flags)));
}

/// By the team that measures last: whether there is a reason not to go on. Matrices that need their
/// columns scaled, too, which are rare, are scaled at once.
template <class T, class Member>
KOKKOS_FUNCTION RowPanelProgress<T> decide_start(Member const& team,
                                                 DeterminantBatch<T> const& batch,
                                                 RowPanelMemory<T> const& memory, int member,
                                                 int flags) {
  int const n = batch.n;
  RowPanelProgress<T> progress;
  if (flags & MagnitudeRange::non_finite) {
    progress.status = Status::non_finite;
  } else if (flags & MagnitudeRange::zero) {
    progress.status = Status::singular;
  } else if (flags & MagnitudeRange::wide) {
    // Exponents of columns where W will be.
    auto* const exponents = reinterpret_cast<int*>(memory.W);
    Balance<T, Member> balance(team, batch.source_of(member), n,
                               {exponents, exponents + n, memory.row_top});
    progress.status = balance.measure();
    progress.balanced = 1;
    progress.state.exponent += balance.exponent();
    if (progress.status == Status::success) balance.copy_to(batch.work_of(member));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](int i) {
      memory.row_exponent[i] = 0;
      memory.row_factor[i] = T(1);
      memory.row_top[i] = as_magnitude_range(memory.row_top[i]);
    });
  }
  return progress;
}

/// Before row_panel/pipeline/kernel.hpp: the powers of two of all rows, a block of rows per team,
/// and all counts set to 0. The team that is done last says whether there is a reason not to go on;
/// matrices that need their columns scaled, too, which are rare, are scaled by that team. n²
/// entries read.
template <class ExecSpace, class T>
class RowPanelStartKernel {
 public:
  static constexpr int W = 8;
  static constexpr int block = 8;
  static constexpr std::size_t most_scratch = 2048;
  using Policy = BoundedTeams<ExecSpace, 32 * W, 4, most_scratch>;

  RowPanelStartKernel(DeterminantBatch<T> const& batch, RowPanelWorkspace<T> const& workspace)
      : batch_(batch), workspace_(workspace), blocks_((batch.n + block - 1) / block) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    static_assert(sizeof(Scratch) + 16 <= most_scratch);
    return team_policy<Policy>(
        exec,
        {.count = batch_.members * blocks_, .threads = 32 * W, .scratch = sizeof(Scratch) + 16});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    RowPanelThreads<TeamMember<ExecSpace>> const threads(team);
    int const member = team.league_rank() / blocks_, number = team.league_rank() % blocks_;
    RowPanelMemory<T> const memory = workspace_.of(member);
    if (team.league_rank() == 0 && threads.thread == 0) *workspace_.started(batch_.members) = 0;
    if (number == 0) clear(threads, memory);
    int const flags = measure_rows(threads, scratch.ranges, memory, batch_.source_of(member),
                                   batch_.n, number * block);
    threads.barrier();
    if (threads.thread == 0)
      scratch.tally = gather(&memory.progress->measured, RowScanFlags::of(flags));
    threads.barrier();
    if (RowScanFlags::teams(scratch.tally) != blocks_) return;
    RowPanelProgress<T> const progress =
        decide_start(team, batch_, memory, member, RowScanFlags::flags(scratch.tally));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *memory.progress = progress;
      if (progress.status != Status::success)
        batch_.info_of(member) = progress.state.info(progress.status, 0);
    });
  }

 private:
  struct Scratch {
    std::uint64_t tally;
    MagnitudeRange ranges[W][block];
  };

  KOKKOS_FUNCTION void clear(RowPanelThreads<TeamMember<ExecSpace>> const& threads,
                             RowPanelMemory<T> const& memory) const {
    for (int k = threads.thread; k < workspace_.counters(); k += threads.size())
      memory.ticket[k] = 0;
    for (int k = threads.thread; k < workspace_.words_per_member(); k += threads.size())
      memory.lead_words[k] = 0;
  }

  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  int blocks_;
};

}  // namespace carroll::detail
