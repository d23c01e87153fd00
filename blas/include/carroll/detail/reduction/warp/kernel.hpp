// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/host_signal.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/reduction/pair_tree.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <carroll/detail/reduction/warp/chunk.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A reduction on a device, in one launch: a team for each group of chunks, or for some vectors of
/// a chunk each. A warp adds a chunk, or some one after the other; the team adds what its warps
/// have; who comes last of a vector adds what its teams have. Every entry is read once, an
/// operation or two for each: the time is that of memory, and of a launch.
template <class ExecSpace, class Op>
class WarpReductionKernel {
  using T = typename Op::T;
  using Partial = typename Op::Partial;

 public:
  /// Numbers that a lane adds to: one, two or four, and twice as many of complex ones. Where one
  /// and 64 registers of a thread suffice, more warps have entries on their way.
  static constexpr int numbers = int(sizeof(typename Op::template Lane<double>) / sizeof(double));
  static constexpr bool is_light = numbers == 1 && !(sizeof(T) == 4 && Op::two_vectors);
  /// (H100, 2026-11-25, compensated sums of 2^26, single precision: 4 teams 1.08, 3 teams 1.18
  /// times as long as sums that are not.)
  static constexpr int teams_at_once = is_light                             ? 4
                                       : numbers == 4                       ? 1
                                       : is_complex<T>                      ? 2
                                       : sizeof(T) == 4 && !Op::two_vectors ? 4
                                                                            : 3;
  static constexpr std::size_t bytes_per_team =
      most_reduction_warps * most_chunks_each * sizeof(Partial) + 16;
  using Policy = BoundedTeams<ExecSpace, 32 * most_reduction_warps, teams_at_once, bytes_per_team,
                              Kokkos::IndexType<int>>;

  WarpReductionKernel(ReductionBatch<T, typename Op::Value> const& batch, ReductionPlan const& plan,
                      Partial* partials, int* arrived)
      : batch_(batch), plan_(plan), partials_(partials), arrived_(arrived) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    int const number = team.team_rank() / 32;
    if (plan_.chunks == 1) {
      std::int64_t const member = std::int64_t{team.league_rank()} * plan_.vectors + number;
      if (member >= batch_.members) return;
      Partial const sum = chunk_sum(warp, member, 0);
      if (warp.lane == 0) finish(member, sum);
      return;
    }
    auto const [member, group] = plan_.task(team.league_rank(), batch_.members);
    auto* const scratch =
        static_cast<Partial*>(team.team_scratch(0).get_shmem(std::size_t{bytes_per_team}));
    Partial sum =
        team_sum(team, warp, number, scratch, warp_sum(team, warp, number, member, group, scratch));
    if (plan_.groups > 1) {
      Partial* const of_member = partials_ + member * plan_.groups;
      if (team.team_rank() == 0) of_member[group] = sum;
      int& last = *reinterpret_cast<int*>(scratch + most_reduction_warps * most_chunks_each);
      if (!is_last_team(team, arrived_ + member, static_cast<int>(plan_.groups), 1, last)) return;
      sum = team_sum(team, warp, number, scratch, sum_of_groups(team, of_member));
    }
    if (team.team_rank() == 0) finish(member, sum);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Partial chunk_sum(DeviceWarp const& warp, std::int64_t member,
                                                std::int64_t chunk) const {
    WarpVector<T> const x(batch_.x + member * batch_.x_distance, batch_.x_stride);
    WarpVector<T> const y(batch_.y + member * batch_.y_distance, batch_.y_stride);
    std::int64_t const begin = chunk * chunk_terms;
    return WarpChunk<Op>::sum(warp, x, y, begin, Kokkos::min(begin + chunk_terms, batch_.length));
  }

  /// Of the calling warp's share of a group, neighbouring chunks; identity where there are none.
  /// All lanes have it. Before, the team's warps add neighbouring chunks at the same time, so that
  /// a team reads one piece of memory after the other.
  KOKKOS_FORCEINLINE_FUNCTION Partial warp_sum(TeamMember<ExecSpace> const& team,
                                               DeviceWarp const& warp, int number,
                                               std::int64_t member, int group,
                                               Partial* scratch) const {
    std::int64_t const first = group * plan_.group_chunks + number;
    if (plan_.each == 1) return first < plan_.chunks ? chunk_sum(warp, member, first) : Partial{};
    CARROLL_NO_UNROLL
    for (int k = 0; k < plan_.each; ++k) {
      std::int64_t const chunk = first + k * plan_.warps;
      Partial const sum = chunk < plan_.chunks ? chunk_sum(warp, member, chunk) : Partial{};
      if (warp.lane == 0) scratch[k * plan_.warps + number] = sum;
    }
    team.team_barrier();
    Partial sum{};
    if (warp.lane < plan_.each) sum = scratch[number * plan_.each + warp.lane];
    return joined_lanes(warp, sum);
  }

  /// Of all warps, neighbours first; thread 0 has it. What a warp has, `mine`, is that of all its
  /// lanes.
  KOKKOS_FORCEINLINE_FUNCTION Partial team_sum(TeamMember<ExecSpace> const& team,
                                               DeviceWarp const& warp, int number, Partial* scratch,
                                               Partial const& mine) const {
    if (plan_.warps == 1) return mine;
    team.team_barrier();  // scratch may still be read
    if (warp.lane == 0) scratch[number] = mine;
    team.team_barrier();
    Partial sum{};
    if (number == 0) {
      if (warp.lane < plan_.warps) sum = scratch[warp.lane];
      sum = joined_lanes(warp, sum);
    }
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Partial joined_lanes(DeviceWarp const& warp, Partial sum) {
    rolled_butterfly_up([&](int step) {
      sum.join(sum.each([&](auto x) { return warp.from(x, warp.lane ^ step); }));
    });
    return sum;
  }

  /// The calling warp's part of the groups' sums: 8 neighbours, or as many times 8 as it takes, for
  /// each thread. All lanes have it.
  KOKKOS_FORCEINLINE_FUNCTION Partial sum_of_groups(TeamMember<ExecSpace> const& team,
                                                    Partial const* of_member) const {
    constexpr int at_once = 8;
    int const threads = 32 * plan_.warps, groups = static_cast<int>(plan_.groups);
    int each = at_once;
    while (each * threads < groups) each *= 2;
    int const first = team.team_rank() * each;
    PairTree<Partial, 5> tree;
    for (int g = first; g < first + each && g < groups; g += at_once) {
      Partial some[at_once];
      CARROLL_UNROLL
      for (int k = 0; k < at_once; ++k) some[k] = g + k < groups ? of_member[g + k] : Partial{};
      CARROLL_UNROLL
      for (int half = 1; half < at_once; half *= 2) CARROLL_UNROLL
      for (int k = 0; k < at_once; k += 2 * half) some[k].join(some[k + half]);
      tree.add(some[0]);
    }
    return joined_lanes(warp_of_threads(team), tree.total());
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t member, Partial const& sum) const {
    Op::store(batch_, member, sum);
    if (batch_.stamp) tell_host(batch_.stamp, batch_.call);
  }

  ReductionBatch<T, typename Op::Value> batch_;
  ReductionPlan plan_;
  Partial* partials_;
  int* arrived_;
};

}  // namespace carroll::detail
