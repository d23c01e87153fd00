// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/balance.hpp>
#include <carroll/detail/determinant/magnitude_range.hpp>
#include <carroll/detail/determinant/strip.hpp>
#include <carroll/detail/determinant/strip_tasks.hpp>

namespace carroll::detail {

/// Flags of a row (MagnitudeRange) stand in the place of its exponent, above all exponents.
struct StripStartFlags {
  static constexpr int shift = 16;
};

/// Before strip_steps.hpp: the powers of two of all rows, a block of rows per team, and all counts
/// set to 0. n² entries read.
template <class ExecSpace, class T>
class StripMeasureKernel {
 public:
  static constexpr int W = 8;
  static constexpr int block = 8;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * W, 4>>;
  using Member = typename Policy::member_type;

  StripMeasureKernel(DeterminantBatch<T> const& batch, StripWorkspace<T> const& workspace)
      : batch_(batch), workspace_(workspace), blocks_((batch.n + block - 1) / block) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    Policy policy(exec, batch_.members * blocks_, 32 * W, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(Scratch)) + 16));
    return policy;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    StripThreads<Member> const threads(team);
    int const member = team.league_rank() / blocks_, number = team.league_rank() % blocks_;
    int const begin = number * block;
    StripMemory<T> const memory = workspace_.of(member);
    StridedMatrix<T const> const A = batch_.source_of(member);
    MagnitudeRange range;  // of row begin + lane
    for (int j0 = 0; j0 < batch_.n; j0 += threads.size()) {
      int const j = j0 + threads.thread;
      T held[block][1];
      CARROLL_UNROLL
      for (int r = 0; r < block; ++r)
        held[r][0] = begin + r < batch_.n && j < batch_.n ? A(begin + r, j) : T(0);
      CARROLL_UNROLL
      for (int r = 0; r < block; ++r) {
        auto const row = MagnitudeRange::of(threads.warp, held[r]);
        if (threads.warp.lane == r) range.add(row);
      }
    }
    if (threads.warp.lane < block) scratch.ranges[threads.warp_index][threads.warp.lane] = range;
    threads.barrier();
    int const i = begin + threads.thread;
    if (threads.thread < block && i < batch_.n) {
      for (int w = 0; w < W; ++w) range.add(scratch.ranges[w][threads.thread]);
      int const flags = range.template flags<T>();
      int const e = flags == 0 ? range.template exponent<T>() : 0;
      memory.row_exponent[i] = flags != 0 ? flags << StripStartFlags::shift : e;
      memory.row_factor[i] = power_of_two<T>(-e);
      memory.row_top[i] = range.template top<T>();
    }
    if (team.league_rank() == 0 && threads.thread == 0) *workspace_.started(batch_.members) = 0;
    if (number == 0) {
      int* const counters = memory.ticket;
      for (int k = threads.thread; k < workspace_.counters(); k += threads.size()) counters[k] = 0;
      for (int k = threads.thread; k < workspace_.words_per_member(); k += threads.size())
        memory.lead_words[k] = 0;
    }
  }

 private:
  struct Scratch {
    MagnitudeRange ranges[W][block];
  };

  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
  int blocks_;
};

/// Then: is there a reason not to go on? Matrices that need their columns scaled, too, which are
/// rare, are scaled here, by one team. n integers read.
template <class ExecSpace, class T>
class StripStartKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  StripStartKernel(DeterminantBatch<T> const& batch, StripWorkspace<T> const& workspace)
      : batch_(batch), workspace_(workspace) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const member = team.league_rank();
    int const n = batch_.n;
    StripMemory<T> const memory = workspace_.of(member);
    int flags = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, n),
        [&](int i, int& found) {
          int const e = memory.row_exponent[i];
          if (e >= 1 << StripStartFlags::shift) found |= e >> StripStartFlags::shift;
        },
        Kokkos::BOr<int>(flags));
    team.team_barrier();
    StripProgress<T> progress;
    if (flags & MagnitudeRange::non_finite) {
      progress.status = Status::non_finite;
    } else if (flags & MagnitudeRange::zero) {
      progress.status = Status::singular;
    } else if (flags & MagnitudeRange::wide) {
      // Exponents of columns where W will be.
      auto* const exponents = reinterpret_cast<int*>(memory.W);
      Balance<T, Member> balance(team, batch_.source_of(member), n,
                                 {exponents, exponents + n, memory.row_top});
      progress.status = balance.measure();
      progress.balanced = 1;
      progress.state.exponent += balance.exponent();
      if (progress.status == Status::success) balance.copy_to(batch_.work_of(member));
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](int i) {
        memory.row_exponent[i] = 0;
        memory.row_factor[i] = T(1);
      });
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *memory.progress = progress;
      if (progress.status != Status::success)
        batch_.info_of(member) = progress.state.info(progress.status, 0);
    });
  }

 private:
  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
};

}  // namespace carroll::detail
