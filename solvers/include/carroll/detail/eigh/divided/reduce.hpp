// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/many_teams.hpp>
#include <carroll/detail/eigh/divided/reduce/one_team.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// How the reduction is cut. No result depends on it.
struct DividedReduceTeams {
  int blocks;           ///< of enqueue_divided_reduce_columns; 0: a team for a matrix
  int warps;            ///< of that team
  std::size_t scratch;  ///< its scratch, in bytes
};

/// Have these many teams each? A launch for a column is 5 to 7 µs, whatever the order, and each
/// more member takes a quarter of that and more, where one team needs n² for a column, for 132
/// members as for one: measured on an H200 (2026-11-28) at orders 384 to 1023, for 1 to 8 members.
template <class Real>
bool reduces_by_many_teams(int members, int n) {
  int const from = sizeof(Real) == 4 ? 512 : 400;
  return n > from && members <= 1 + (n - from) / 80;
}

template <class ExecSpace, class T>
DividedReduceTeams divided_reduce_teams(int members, int n) {
  if constexpr (lanes<ExecSpace> == 1) return {0, 1, 0};
  using Work = ReduceWork<T>;
  bool const many = has_warps<ExecSpace> && !is_complex<T> && reduces_by_many_teams<T>(members, n);
  std::size_t const available = most_team_scratch<ExecSpace>() - 16, most_parts = 24 << 10;
  auto scratch = static_cast<std::size_t>(Work::scratch_bytes(n, true, false));
  if (scratch > available || scratch > most_parts)
    scratch = static_cast<std::size_t>(Work::scratch_bytes(n, false, false));
  if (scratch > available) scratch = 0;
  // As few teams at a time as leave room for their tiles in the second cache: of complex matrices
  // of order 128 in double precision 8 warps take 5.3 ms, 4 take 5.7 (1000 on an H200, 2026-11-28).
  bool const large = n > 128 || (sizeof(T) == 16 && n > 64);
  return {many ? 16 : 0, members <= 132 ? 16 : large ? 8 : 4, scratch};
}

/// T and the reflectors of the first `members` members of a batch, or of its selection, of order n
/// at most. Complex ones have a team each.
template <class ExecSpace, class T>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<T> const& batch, int members, int n,
                            DividedReduceTeams const& teams) {
  DividedReduceKernel<ExecSpace, T> const kernel(batch, teams.scratch);
  std::size_t const scratch = teams.scratch + (teams.scratch > 0 ? 16 : 0);
  if constexpr (has_warps<ExecSpace>) {
    if constexpr (!is_complex<T>)
      if (teams.blocks > 0)
        return enqueue_divided_reduce_columns(exec, batch, members, n, teams.blocks);
    launch_teams("carroll::eigh::reduce", exec, kernel,
                 {.count = members, .threads = 32 * teams.warps, .scratch = scratch});
  } else {
    launch_fitting_teams("carroll::eigh::reduce", exec, kernel,
                         {.count = members, .threads = teams.warps, .scratch = scratch});
  }
}
template <class ExecSpace, class T>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<T> const& batch, int members, int n) {
  enqueue_divided_reduce(exec, batch, members, n, divided_reduce_teams<ExecSpace, T>(members, n));
}

}  // namespace carroll::detail
