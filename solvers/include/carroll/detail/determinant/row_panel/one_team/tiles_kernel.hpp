// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/one_team/tiles.hpp>
#include <carroll/detail/determinant/warp/load.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// `blocked` on a GPU for batches of orders up to `Columns` in double precision: a team per matrix,
/// `AtOnce` on a multiprocessor. See row_panel/one_team/tiles.hpp.
template <class ExecSpace, int Columns, int W, int AtOnce>
class RowPanelTilesKernel {
 public:
  using T = double;
  using Worker = RowPanelTiles<Columns, W, TeamMember<ExecSpace>>;
  using Scratch = typename Worker::Scratch;
  using Policy = BoundedTeams<ExecSpace, 32 * W, AtOnce, sizeof(Scratch) + 16>;

  RowPanelTilesKernel(ExecSpace const& exec, DeterminantBatch<T> const& batch) : batch_(batch) {
    if (batch.n % 2 == 0 && packed_access(batch) != EntryAccess::single)
      ahead_ = processors(exec) * AtOnce;
  }

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    return team_policy<Policy>(
        exec, {.count = batch_.members, .threads = 32 * W, .scratch = sizeof(Scratch) + 16});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    int const thread = opaque_register(team.team_rank()), member = team.league_rank();
    Worker worker{team,
                  scratch,
                  batch_.source_of(member),
                  batch_.work_of(member),
                  batch_.n,
                  DeviceWarp{thread % 32},
                  thread / 32,
                  fetches(member)};
    worker.run(batch_.info_of(member));
  }

 private:
  KOKKOS_FUNCTION typename Worker::Fetches fetches(int member) const {
    if (ahead_ == 0) return {};
    std::ptrdiff_t const size = batch_.source.strides[0];
    T const* const first = batch_.source.data + member * size;
    return {first, member + ahead_ < batch_.members ? first + ahead_ * size : nullptr,
            static_cast<std::uint32_t>(size * sizeof(T))};
  }

  DeterminantBatch<T> batch_;
  int ahead_ = 0;  ///< members from a team's to that of the one that likely follows it, or 0
};

}  // namespace carroll::detail
