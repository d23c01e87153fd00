// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/recommend/problem.hpp>
#include <cstdint>

/// What stands before and behind the product that makes a tile of scores.
namespace carroll::detail {

/// Rows of the left factor side by side; those of cold ones, and behind the last one, are 0.
template <class Real, class MemorySpace>
struct GatherRows {
  BestProblem<Real, MemorySpace> problem;
  BestTile<Real, MemorySpace> tile;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    std::int64_t const t = e / tile.factors, l = e % tile.factors;
    Real value = 0;
    if (tile.begin + t < tile.end) {
      std::int64_t const row = problem.rows.data[(tile.begin + t) * problem.rows.stride];
      if (!problem.is_cold(row)) value = problem.left(row, l);
    }
    tile.left[e] = value;
  }
};

/// Scores of what is no candidate := −∞, products with cold items := 0. A team a row.
template <class ExecSpace, class Real, class MemorySpace = typename ExecSpace::memory_space>
struct MaskScores {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  BestProblem<Real, MemorySpace> problem;
  BestTile<Real, MemorySpace> tile;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const t = team.league_rank();
    std::int64_t const row = problem.rows.data[(tile.begin + t) * problem.rows.stride];
    Real* const scores = tile.scores + t * problem.items();
    for_team(team, 0, static_cast<std::int64_t>(problem.cold_items.extent(0)),
             [&](std::int64_t c) { scores[problem.cold_items(c)] = 0; });
    team.team_barrier();
    bool const known = row >= 0 && row < static_cast<std::int64_t>(problem.left.extent(0));
    Real const never = -Kokkos::Experimental::infinity_v<Real>;
    if (!known && problem.not_itself)
      for_team(team, 0, problem.items(), [&](std::int64_t j) { scores[j] = never; });
    if (known && problem.leaves_out_seen)
      for_team(team, problem.offsets(row), problem.offsets(row + 1),
               [&](std::int64_t e) { scores[problem.seen(e)] = never; });
    if (team.team_rank() != 0) return;
    if (known && problem.not_itself) scores[row] = never;
    if (problem.is_cold(row))
      Kokkos::atomic_add(&tile.counts[int(BestCount::cold)], std::int64_t{1});
  }

 private:
  template <class F>
  KOKKOS_FUNCTION static void for_team(Member const& team, std::int64_t begin, std::int64_t end,
                                       F const& f) {
    for (std::int64_t i = begin + team.team_rank(); i < end; i += team.team_size()) f(i);
  }
};

/// Writes entry `place` of a row of results.
template <class Real, class MemorySpace>
KOKKOS_INLINE_FUNCTION void leave_best(BestProblem<Real, MemorySpace> const& problem,
                                       std::int64_t row, std::int32_t place, Real score,
                                       std::int32_t index, bool bad) {
  Real const nan = Kokkos::Experimental::quiet_NaN_v<Real>;
  Real const least = -Kokkos::Experimental::infinity_v<Real>;
  bool const none = index == no_index || bad;
  std::ptrdiff_t const i = static_cast<std::ptrdiff_t>(row);
  problem.ids.data[i * problem.ids.row_stride + place * problem.ids.col_stride] = none ? -1 : index;
  problem.scores.data[i * problem.scores.row_stride + place * problem.scores.col_stride] =
      bad    ? nan
      : none ? least
             : score;
}

/// … and counts the row, once it is known how many it has.
template <class Real, class MemorySpace>
KOKKOS_INLINE_FUNCTION void count_best(BestTile<Real, MemorySpace> const& tile, bool full,
                                       bool bad) {
  if (bad) Kokkos::atomic_add(&tile.counts[int(BestCount::bad)], std::int64_t{1});
  if (!full && !bad) Kokkos::atomic_add(&tile.counts[int(BestCount::not_full)], std::int64_t{1});
}

}  // namespace carroll::detail
