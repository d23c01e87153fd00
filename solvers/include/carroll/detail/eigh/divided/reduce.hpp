// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/dispatch.hpp>
#include <carroll/detail/eigh/divided/reduce/many_teams.hpp>
#include <carroll/detail/eigh/divided/reduce/one_team.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// How the reduction is cut. No result depends on it.
struct DividedReduceTeams {
  int side;             ///< of enqueue_divided_reduce_columns; 0: a team for a matrix
  int warps;            ///< of that team
  std::size_t scratch;  ///< its scratch, in bytes
};

template <class ExecSpace, class T>
DividedReduceTeams divided_reduce_teams([[maybe_unused]] ExecSpace const& exec, int members,
                                        int n) {
  if constexpr (lanes<ExecSpace> == 1) return {0, 1, 0};
  using Work = ReduceWork<T>;
  int side = 0;
  if constexpr (has_warps<ExecSpace>)
    side = divided_reduce_side(members, n, processors(exec), has_reduce_blocks<T>);
  std::size_t const available = most_team_scratch<ExecSpace>() - 16, most_parts = 24 << 10;
  auto scratch = static_cast<std::size_t>(Work::scratch_bytes(n, true, false));
  if (scratch > available || scratch > most_parts)
    scratch = static_cast<std::size_t>(Work::scratch_bytes(n, false, false));
  if (scratch > available) scratch = 0;
  // As few teams at a time as leave room for their tiles in the second cache: of complex matrices
  // of order 128 in double precision 8 warps take 5.3 ms, 4 take 5.7 (1000 on an H200, 2026-11-28).
  bool const large = n > 128 || (sizeof(T) == 16 && n > 64);
  return {side, members <= 132 ? 16 : large ? 8 : 4, scratch};
}

/// T and the reflectors of the first `members` members of a batch, or of its selection, of order n
/// at most.
template <class ExecSpace, class T>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<T> const& batch, int members, int n,
                            DividedReduceTeams const& teams) {
  DividedReduceKernel<ExecSpace, T> const kernel(batch, teams.scratch);
  std::size_t const scratch = teams.scratch + (teams.scratch > 0 ? 16 : 0);
  if constexpr (has_warps<ExecSpace>) {
    int const together = processors(exec);
    if (teams.side == 1)
      return enqueue_divided_reduce_columns<1>(exec, batch, members, n, together);
    if constexpr (has_reduce_blocks<T>)
      if (teams.side == 2)
        return enqueue_divided_reduce_columns<2>(exec, batch, members, n, together);
    launch_teams("carroll::eigh::reduce", exec, kernel,
                 {.count = members, .threads = 32 * teams.warps, .scratch = scratch});
  } else {
    launch_fitting_teams("carroll::eigh::reduce", exec, kernel,
                         {.count = members, .threads = teams.warps, .scratch = scratch});
  }
}
template <class ExecSpace, class T>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<T> const& batch, int members, int n) {
  enqueue_divided_reduce(exec, batch, members, n,
                         divided_reduce_teams<ExecSpace, T>(exec, members, n));
}

}  // namespace carroll::detail
