// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/recommend/order.hpp>
#include <carroll/detail/recommend/problem.hpp>
#include <carroll/detail/recommend/tile.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The best of a row of scores by a team, in scratch: places for the best so far, best first, and
/// behind them for candidates, those of the next scores that beat the N-th of the best. When a
/// round might not find room for its candidates, all places are sorted by a bitonic network
/// (Batcher 1968) and the first ones kept. Candidates come in any order, what is kept does not
/// depend on it: the order of scores and indices is a total one. A row is read once; it is sorted
/// once or twice and at the end where scores come in no order.
template <class ExecSpace, class Real>
struct SelectByTeams {
  using Memory = typename ExecSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Scratch = typename ExecSpace::scratch_memory_space;
  template <class T>
  using Piece = Kokkos::View<T*, Scratch, Kokkos::MemoryUnmanaged>;
  static constexpr int scores_each = 8;  ///< of a thread in a round

  BestProblem<Real, Memory> problem;
  BestTile<Real, Memory> tile;
  int kept = 1;    ///< places for the best
  int places = 2;  ///< all: a power of two
  int level = 0;   ///< of scratch

  static std::size_t bytes(int places) {
    return Piece<Real>::shmem_size(static_cast<std::size_t>(places)) +
           Piece<std::int32_t>::shmem_size(static_cast<std::size_t>(places)) +
           Piece<int>::shmem_size(2);
  }

  struct Places {
    Piece<Real> scores;
    Piece<std::int32_t> indices;
    Piece<int> flags;  ///< how many candidates there are; whether a score is no number
  };

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const places_of_team = static_cast<std::size_t>(places);
    Places at;
    at.scores = Piece<Real>(team.team_scratch(level), places_of_team);
    at.indices = Piece<std::int32_t>(team.team_scratch(level), places_of_team);
    at.flags = Piece<int>(team.team_scratch(level), 2);
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    for (int p = team.team_rank(); p < kept; p += team.team_size()) {
      at.scores(p) = -infinity;
      at.indices(p) = no_index;
    }
    if (team.team_rank() == 0) at.flags(0) = at.flags(1) = 0;
    team.team_barrier();

    std::int64_t const t = team.league_rank(), items = problem.items();
    std::int64_t const row = problem.rows.data[(tile.begin + t) * problem.rows.stride];
    Real const bias = problem.bias_of(row);
    Real const* const products = tile.scores + t * items;
    int const round = scores_each * team.team_size();
    Real worst = -infinity;
    int bad = 0;
    for (std::int64_t begin = 0; begin < items; begin += round) {
      for (int r = 0; r < scores_each; ++r) {
        std::int64_t const j = begin + r * team.team_size() + team.team_rank();
        if (j >= items) break;
        Real const score = (products[j] + problem.base(j)) + bias;
        if (!(score < infinity)) bad = 1;
        if (score > worst) {
          int const place = kept + Kokkos::atomic_fetch_add(&at.flags(0), 1);
          at.scores(place) = score;
          at.indices(place) = static_cast<std::int32_t>(j);
        }
      }
      team.team_barrier();
      int const candidates = at.flags(0);
      team.team_barrier();  // all have read before the next ones are counted
      bool const last = begin + round >= items;
      if (last || candidates + round > places - kept) {
        keep_best(team, at, candidates);
        worst = at.scores(problem.wanted - 1);
      }
    }
    if (bad) at.flags(1) = 1;  // all write the same
    team.team_barrier();
    bool const is_bad = at.flags(1) != 0;
    for (int p = team.team_rank(); p < problem.wanted; p += team.team_size())
      leave_best(problem, tile.begin + t, p, at.scores(p), at.indices(p), is_bad);
    if (team.team_rank() == 0) count_best(tile, at.indices(problem.wanted - 1) != no_index, is_bad);
  }

 private:
  KOKKOS_FUNCTION void keep_best(Member const& team, Places const& at, int candidates) const {
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    for (int p = kept + candidates + team.team_rank(); p < places; p += team.team_size()) {
      at.scores(p) = -infinity;
      at.indices(p) = no_index;
    }
    if (team.team_rank() == 0) at.flags(0) = 0;
    for (int size = 2; size <= places; size *= 2)
      for (int step = size / 2; step > 0; step /= 2) {
        team.team_barrier();
        for (int k = team.team_rank(); k < places / 2; k += team.team_size()) {
          int const low = 2 * step * (k / step) + k % step, high = low + step;
          bool const best_first = (low & size) == 0;
          Real const a = at.scores(low), b = at.scores(high);
          std::int32_t const i = at.indices(low), j = at.indices(high);
          if (best_first ? comes_before(b, j, a, i) : comes_before(a, i, b, j)) {
            at.scores(low) = b;
            at.scores(high) = a;
            at.indices(low) = j;
            at.indices(high) = i;
          }
        }
      }
    team.team_barrier();
  }
};

}  // namespace carroll::detail
