// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_windows.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A step of a GPU with warps for K motion columns, by sums of products, which SegmentWindows tells
/// how to take. There are as many teams as the device holds at a time, each of as many warps as it
/// has scratch for, and each has an equal share of all windows. TilesCoreKernel follows. One column
/// has a kernel of its own, see OneMotionTilesKernel.
template <class ExecSpace, class Real, int K, class Source>
class SegmentTilesKernel {
  static_assert(K > 1);

 public:
  using Windows = SegmentWindows<Real, K, Source>;
  using Tile = typename Windows::Tile;
  static constexpr int window_rows = Tile::window_rows;
  /// Warps that have room in the registers of a processor: what would spill from them is far away,
  /// for scratch leaves no cache beside it.
  static constexpr int processor_warps = K < 6 ? 12 : 8;
  static constexpr int most_warps = 4;  ///< of a team
  /// Warps of a team that have windows: as many tiles as Kokkos lends a team of scratch.
  static constexpr int tiles = std::clamp<int>(47 * 1024 / sizeof(Tile), 1, most_warps);
  static constexpr std::size_t scratch_bytes = tiles * sizeof(Tile);
  static constexpr int team_bytes = static_cast<int>(scratch_bytes + 16);
  using Policy = BoundedTeams<ExecSpace, 32 * most_warps, processor_warps / most_warps, team_bytes>;

  SegmentTilesKernel(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch),
        source_(source),
        windows_(batch.problems() * batch.windows),
        teams_(std::min(windows_, teams_at_once(exec))) {}

  [[nodiscard]] TeamLaunch teams(ExecSpace const& /*exec*/) const {
    return {.count = teams_, .threads = tiles, .scratch = team_bytes, .lanes = 32};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (batch_.k != K) return;  // the compiler knows k from here on
    auto* const bytes =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, 16));
    auto const share = [](std::int64_t count, int part, int parts) {
      return static_cast<int>(count * part / parts);
    };
    int const first = share(windows_, team.league_rank(), teams_);
    int const count = share(windows_, team.league_rank() + 1, teams_) - first;
    DeviceWarp const warp = warp_of_lanes(team);
    take_all(warp, first + share(count, team.team_rank(), tiles),
             first + share(count, team.team_rank() + 1, tiles),
             reinterpret_cast<Tile*>(bytes)[team.team_rank()]);
  }

 private:
  static int teams_at_once(ExecSpace const& exec) {
    constexpr std::size_t beside = 1200;  // what CUDA and Kokkos keep for themselves, of each team
    int const room = static_cast<int>(scratch_of_processor(exec) / (team_bytes + beside));
    return processors(exec) * std::clamp(room, 1, processor_warps / tiles);
  }

  /// Windows from, …, stop - 1 of all problems.
  KOKKOS_FUNCTION void take_all(DeviceWarp const& warp, int from, int stop, Tile& tile) const {
    Windows const windows(batch_, source_);
    for (int count = 0; from < stop; from += count) {
      int const first = from % batch_.windows;
      count = Kokkos::min(stop - from, batch_.windows - first);
      windows.take(warp, from / batch_.windows, first, first + count, tile);
    }
  }

  ArrowBatch<Real> batch_;
  Source source_;
  int windows_;  ///< of all problems
  int teams_;    ///< that have an equal share of them, one after the other
};

}  // namespace carroll::detail
