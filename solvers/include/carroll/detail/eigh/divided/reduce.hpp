// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/many_teams.hpp>
#include <carroll/detail/eigh/divided/reduce/one_team.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// How the reduction is cut. No result depends on it.
struct DividedReduceTeams {
  bool many;  ///< for a matrix, and a launch for a column; else one, with
  int warps;
  std::size_t scratch;  ///< in bytes
};
template <class ExecSpace, class Real>
DividedReduceTeams divided_reduce_teams(int members, int n) {
  if constexpr (lanes<ExecSpace> == 1) return {false, 1, 0};
  using Work = ReduceWork<Real>;
  // A team keeps up with launches, 2.5 µs apart on an H200, up to some 40 tiles.
  using Tiles = SymmetricTiles<Real>;
  int const tiles = Tiles::count(Tiles::across(n));
  bool const many = has_warps<ExecSpace> && n > 256 && members <= 1100 / tiles;
  std::size_t const available = most_team_scratch<ExecSpace>() - 16, most_parts = 20 << 10;
  auto scratch = static_cast<std::size_t>(Work::scratch_bytes(n, true, false));
  if (scratch > available || scratch > most_parts)
    scratch = static_cast<std::size_t>(Work::scratch_bytes(n, false, false));
  if (scratch > available) scratch = 0;
  return {many, members <= 132 ? 16 : n > 128 ? 8 : 4, scratch};
}

/// T and the reflectors of the first `members` members of a batch, or of its selection, of order n
/// at most.
template <class ExecSpace, class Real>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<Real> const& batch, int members, int n,
                            DividedReduceTeams const& teams) {
  DividedReduceKernel<ExecSpace, Real> const kernel(batch, teams.scratch);
  std::size_t const scratch = teams.scratch + (teams.scratch > 0 ? 16 : 0);
  if constexpr (has_warps<ExecSpace>) {
    if (teams.many) return enqueue_divided_reduce_columns(exec, batch, members, n);
    launch_teams("carroll::eigh::reduce", exec, kernel,
                 {.count = members, .threads = 32 * teams.warps, .scratch = scratch});
  } else {
    launch_fitting_teams("carroll::eigh::reduce", exec, kernel,
                         {.count = members, .threads = teams.warps, .scratch = scratch});
  }
}
template <class ExecSpace, class Real>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<Real> const& batch, int members,
                            int n) {
  enqueue_divided_reduce(exec, batch, members, n,
                         divided_reduce_teams<ExecSpace, Real>(members, n));
}

}  // namespace carroll::detail
