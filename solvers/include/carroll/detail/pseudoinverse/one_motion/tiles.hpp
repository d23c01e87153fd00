// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/copies/bulk_copies.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/team_sums.hpp>
#include <carroll/detail/pseudoinverse/core/kernel.hpp>
#include <carroll/detail/pseudoinverse/one_motion/core.hpp>
#include <carroll/detail/pseudoinverse/one_motion/windows.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A step of a GPU with warps for one motion column, by sums of products, as SegmentTilesKernel has
/// them for several.
///
/// A warp has a window for itself, which OneMotionWindows tells how to take. There are as many
/// teams as the device holds at a time, and each has an equal share of all windows. The last team
/// of a problem to end goes on with its core. 3n entries are read, 10 or 14 flops a row.
template <class ExecSpace, class Real, class Source, int Run>
class OneMotionTilesKernel {
 public:
  using Windows = OneMotionWindows<Real, Source, Run>;
  using Tile = typename Windows::Tile;
  static constexpr int window_rows = Tile::window_rows;
  static constexpr int warps = OneMotionCore<Real>::warps;  ///< of a team
  /// Those of them that have windows: as many tiles as Kokkos lends a team of scratch.
  static constexpr int tiles = std::clamp<int>(47 * 1024 / sizeof(Tile), 1, warps);
  /// Warps that have room in the registers of a processor. With 20 of them some words of a lane
  /// have none, and scratch leaves little of a cache beside it: 1024 frames of 120 000 rows of
  /// float take 477 us for 451 (H200, 2026-11-22).
  static constexpr int processor_warps = Source::is_plain ? 16 : 12;

 private:
  /// How far a warp has come. In scratch, for there are not enough registers, and what an acquire
  /// makes of the cache would have it read from far away.
  struct Way {
    int next, stop, behind;
  };
  static constexpr std::size_t core_bytes = (core_size(1) + 1 + team_sums_size(3)) * sizeof(double);
  static constexpr std::size_t scratch_bytes = std::max(tiles * sizeof(Tile), core_bytes);
  static constexpr int team_bytes = static_cast<int>(
      scratch_bytes + warps * (sizeof(BulkCopies::Arrivals) + sizeof(Way)) + 2 * sizeof(int) + 48);

 public:
  using Policy = BoundedTeams<ExecSpace, 32 * warps, processor_warps / warps, team_bytes>;

  OneMotionTilesKernel(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch),
        source_(source),
        windows_(batch.problems() * batch.windows),
        teams_(std::min(windows_, teams_at_once(exec))) {}

  [[nodiscard]] TeamLaunch teams(ExecSpace const& /*exec*/) const {
    return {.count = teams_, .threads = warps, .scratch = team_bytes, .lanes = 32};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (batch_.k != 1) return;  // the compiler knows k from here on
    auto* const bytes =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, 16));
    auto* const arrivals =
        static_cast<BulkCopies::Arrivals*>(team.team_scratch(0).get_shmem_aligned(
            warps * sizeof(BulkCopies::Arrivals), sizeof(BulkCopies::Arrivals)));
    auto* const last =
        static_cast<int*>(team.team_scratch(0).get_shmem_aligned(2 * sizeof(int), sizeof(int)));
    auto& way = static_cast<Way volatile*>(
        team.team_scratch(0).get_shmem_aligned(warps * sizeof(Way), sizeof(int)))[team.team_rank()];
    DeviceWarp const warp{vector_lane(team)};
    BulkCopies copies(warp, arrivals + team.team_rank());
    auto const share = [](std::int64_t count, int part, int parts) {
      return static_cast<int>(count * part / parts);
    };
    auto const set = [&](int volatile& to, int value) {  // nobody reads it before a barrier
      warp.sync();                                       // and all lanes have read what it was
      if (warp.lane == 0) to = value;
    };
    set(way.next, share(windows_, team.league_rank(), teams_));
    set(way.behind, share(windows_, team.league_rank() + 1, teams_));
    warp.sync();
    while (way.next < way.behind) {
      // A problem at a time, so that its core is not put off, but for a window a warp or less.
      int const from = way.next, rest = way.behind - from;
      int const count = rest <= tiles ? rest : count_of(from, from + rest);
      set(way.stop, from + count);
      if (team.team_rank() < tiles)
        take_all(warp, from + share(count, team.team_rank(), tiles),
                 from + share(count, team.team_rank() + 1, tiles),
                 reinterpret_cast<Tile*>(bytes)[team.team_rank()], copies);
      team.team_barrier();
      while (way.next < way.stop) {
        int const next = way.next, done = count_of(next, way.stop);
        int const problem = next / batch_.windows;
        set(way.next, next + done);
        if (batch_.ends && ends(team, problem, done, last[problem % 2]))
          end_problem(team, warp, problem, bytes);
      }
    }
  }

 private:
  static int teams_at_once(ExecSpace const& exec) {
    constexpr std::size_t beside = 1200;  // what CUDA and Kokkos keep for themselves, of each team
    int const room = static_cast<int>(scratch_of_processor(exec) / (team_bytes + beside));
    return processors(exec) * std::clamp(room, 1, processor_warps / warps);
  }

  /// Windows from, … of the problem that has it, before `stop`.
  KOKKOS_FUNCTION int count_of(int from, int stop) const {
    return Kokkos::min(stop - from, batch_.windows - from % batch_.windows);
  }

  /// Windows from, …, stop - 1 of all problems.
  KOKKOS_FUNCTION void take_all(DeviceWarp const& warp, int from, int stop, Tile& tile,
                                BulkCopies& copies) const {
    for (int count = 0; from < stop; from += count) {
      int const first = from % batch_.windows;
      count = count_of(from, stop);
      Windows(batch_, source_)
          .take(warp, from / batch_.windows, first, first + count, tile, copies);
    }
  }

  /// Whether all other windows of the problem have been taken, `count` by this team; what they left
  /// is visible then.
  KOKKOS_FUNCTION bool ends(TeamMember<ExecSpace> const& team, int problem, int count,
                            int& last) const {
    // No other team has any of them, and nobody waits for a fence or a count from far away: 1024
    // frames of 20 000 rows of float take 95 us for 98 (H200, 2026-11-23).
    if (count == batch_.windows) return true;
    // The next problem's answer has another place.
    return is_last_team(team, batch_.tickets + problem, batch_.windows, count, last);
  }

  KOKKOS_FUNCTION void end_problem(TeamMember<ExecSpace> const& team, DeviceWarp const& warp,
                                   int problem, char* bytes) const {
    auto& scratch_of_core = *reinterpret_cast<typename OneMotionCore<Real>::Scratch*>(bytes);
    OneMotionCore<Real> const single(batch_);
    auto const solution = single.solve(team, warp, problem, scratch_of_core);
    team.team_barrier();
    bool const more = batch_.inverse.data || batch_.covariance.data || batch_.variances.data;
    if (!solution.is_independent || more) solve_core(team, problem, bytes, solution.is_independent);
    if (solution.is_independent) single.write(team, warp, problem, solution, more);
    team.team_barrier();
  }

  /// What OneMotionCore does not do. With it in line 1024 frames of 20 000 rows of float, which do
  /// not need it, take 107 us for 103 (H200, 2026-11-23).
  __attribute__((noinline)) KOKKOS_FUNCTION void solve_core(TeamMember<ExecSpace> const& team,
                                                            int problem, char* bytes,
                                                            bool independent) const {
    auto* const data = reinterpret_cast<double*>(bytes);
    double* const scratch = data + core_size(1);
    ArrowCore<Real, 1> const core(batch_, data, reinterpret_cast<int*>(scratch), scratch + 1,
                                  independent);
    core(team, problem, {});
    team.team_barrier();
    if (batch_.inverse.data)  // for its factors
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(core_size(1))),
                           [&](int i) { batch_.core(problem)[i] = data[i]; });
  }

  ArrowBatch<Real> batch_;
  Source source_;
  int windows_;  ///< of all problems
  int teams_;    ///< that have an equal share of them, one after the other
};

}  // namespace carroll::detail
