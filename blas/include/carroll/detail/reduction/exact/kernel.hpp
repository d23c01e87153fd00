// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/host_signal.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/reduction/exact/terms.hpp>
#include <carroll/detail/reduction/exact/warp.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// An exact reduction on a device, in one launch: a team for each group of chunks, with digits of
/// its own in scratch; teams of a vector add theirs in memory, and who comes last rounds. About 8
/// operations of double for each number of double, 4 for one of float, 22 for a product: less than
/// what a data centre's GPU does while the entries come.
template <class ExecSpace, class Terms>
class ExactWarpKernel {
  using T = typename Terms::T;
  using Block = ExactWarpBlock<Terms>;

 public:
  static constexpr std::size_t bytes_per_team = (Terms::words + 1) * sizeof(std::int64_t);
  using Policy = BoundedTeams<ExecSpace, 256, 2, bytes_per_team, Kokkos::IndexType<int>>;

  ExactWarpKernel(ReductionBatch<T, typename Terms::Value> const& batch, ReductionPlan const& plan,
                  std::int64_t* digits, int* arrived)
      : batch_(batch), plan_(plan), digits_(digits), arrived_(arrived) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    auto const [member, group] = plan_.task(team.league_rank(), batch_.members);
    int const threads = 32 * plan_.warps;
    auto* const digits =
        static_cast<std::int64_t*>(team.team_scratch(0).get_shmem(std::size_t{bytes_per_team}));
    for (int i = team.team_rank(); i < Terms::words; i += threads) digits[i] = 0;
    team.team_barrier();

    std::int64_t const entries = plan_.group_chunks * std::int64_t{chunk_terms};
    std::int64_t const end = Kokkos::min(batch_.length, (group + 1) * entries);
    for (std::int64_t begin = group * entries + team.team_rank() / 32 * Block::terms; begin < end;
         begin += plan_.warps * Block::terms)
      for (int p = 0; p < Terms::passes; ++p)
        Block::add(warp, batch_, member, begin, Kokkos::min(end, begin + Block::terms),
                   Terms::pass(p, batch_.conjugate), digits);
    team.team_barrier();

    if (plan_.groups > 1) {
      std::int64_t* const of_member = digits_ + member * Terms::words;
      for (int i = team.team_rank(); i < Terms::words; i += threads)
        if (digits[i] != 0) {
          if (i % Terms::Range::words == Terms::Range::count)
            Kokkos::atomic_or(of_member + i, digits[i]);
          else
            Kokkos::atomic_add(of_member + i, digits[i]);
        }
      team.team_barrier();
      int& last = *reinterpret_cast<int*>(digits + Terms::words);
      if (!is_last_team(team, arrived_ + member, static_cast<int>(plan_.groups), 1, last)) return;
      for (int i = team.team_rank(); i < Terms::words; i += threads) {
        digits[i] = of_member[i];
        of_member[i] = 0;
      }
      team.team_barrier();
    }
    if (team.team_rank() == 0) {
      Terms::store(batch_, member, digits);
      if (batch_.stamp) tell_host(batch_.stamp, batch_.call);
    }
  }

 private:
  ReductionBatch<T, typename Terms::Value> batch_;
  ReductionPlan plan_;
  std::int64_t* digits_;
  int* arrived_;
};

}  // namespace carroll::detail
