// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/recommend/order.hpp>
#include <carroll/detail/recommend/problem.hpp>
#include <carroll/detail/recommend/tile.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// How a team looks for so many best ones.
struct SelectionShape {
  static constexpr int groups_each = 2;  ///< of a thread

  int kept = 1;            ///< places for the best, a power of two
  int places = 2;          ///< all, a power of two
  bool by_maxima = false;  ///< is there a bound to begin with?

  static SelectionShape of(int wanted, int threads) {
    SelectionShape shape;
    while (shape.kept < wanted) shape.kept *= 2;
    shape.by_maxima = wanted <= groups_each * threads / 2;
    shape.places = 2 * shape.kept;
    while (shape.places < 4 * threads) shape.places *= 2;
    return shape;
  }
};

/// The best of a row of scores by a team, in scratch: places for candidates, which a bitonic
/// network (Batcher 1968) sorts. Candidates come in any order, what is kept does not depend on it:
/// the order of scores and indices is a total one.
///
/// A row is read twice. The scores that a thread reads are dealt out to two groups: the N-th of
/// the largest ones of all groups is no larger than the N-th of all scores, as there are N that
/// are no smaller, and where scores come in no order hardly more than N beat it. So the
/// first reading finds this bound, the second one candidates, and these are sorted.
///
/// Where there is no room for them all, or the groups are too few, places for the best so far stand
/// before those for candidates, which now have to beat the N-th of the best; when a round might
/// not find room for its candidates, all places are sorted and the first ones kept.
template <class ExecSpace, class Real, int Level, class Memory = typename ExecSpace::memory_space>
struct SelectByTeams {
  using Policy = BoundedTeams<ExecSpace, 512, 3, Level == 0 ? most_lent_scratch : 0>;
  static constexpr int scores_each = 8;  ///< of a thread on their way at a time
  static constexpr int groups_each = SelectionShape::groups_each;

  BestProblem<Real, Memory> problem;
  BestTile<Real, Memory> tile;
  SelectionShape shape;

  static std::size_t bytes(int places) {
    return static_cast<std::size_t>(places) * sizeof(Candidate<Real>) + 64;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Row row(problem, tile, team);
    MaskScores<ExecSpace, Real, Memory>{problem, tile}(team);
    Places at(team, shape.places);
    if (team.team_rank() == 0) at.flags[0] = at.flags[1] = 0;
    fast_team_barrier(team);

    bool bad = false, done = false;
    if (shape.by_maxima) done = select_at_once(team, at, row, bound_by_maxima(team, at, row), bad);
    if (!done) select_by_rounds(team, at, row, bad);
    if (bad) at.flags[1] = 1;  // all write the same
    fast_team_barrier(team);
    bool const is_bad = at.flags[1] != 0;
    for (int p = team.team_rank(); p < problem.wanted; p += team.team_size())
      leave_best(problem, tile.begin + row.number, p, at.all[p].score, at.all[p].index, is_bad);
    if (team.team_rank() == 0)
      count_best(tile, at.all[problem.wanted - 1].index != no_index, is_bad);
  }

 private:
  struct Row {
    std::int64_t number;
    std::uint32_t count;
    Real const* products;
    Real const* base;  ///< or null
    Real mean, bias;

    KOKKOS_FUNCTION Row(BestProblem<Real, Memory> const& problem,
                        BestTile<Real, Memory> const& tile, TeamMember<ExecSpace> const& team)
        : number(team.league_rank()),
          count(static_cast<std::uint32_t>(problem.items())),
          products(tile.scores + number * problem.items()),
          base(problem.base.data()),
          mean(problem.mean),
          bias(problem.bias_of(problem.rows.data[(tile.begin + number) * problem.rows.stride])) {}
    [[nodiscard]] KOKKOS_FUNCTION Real operator()(std::uint32_t j) const {
      return (products[j] + (base == nullptr ? mean : base[j])) + bias;
    }
  };

  struct Places {
    Candidate<Real>* all;
    int* flags;  ///< how many candidates there are; whether a score is no number

    KOKKOS_FUNCTION Places(TeamMember<ExecSpace> const& team, int places) {
      auto const& scratch = team.team_scratch(Level);
      auto const bytes = static_cast<std::size_t>(places) * sizeof(Candidate<Real>);
      all = static_cast<Candidate<Real>*>(scratch.get_shmem_aligned(bytes, 16));
      flags = static_cast<int*>(scratch.get_shmem_aligned(2 * sizeof(int), 16));
    }
    KOKKOS_FUNCTION void put(int place, Real score, std::int32_t index) const {
      all[place] = {score, index};
    }
  };

  /// f(first, scores) for the calling thread's scores, `scores_each` at a time: those of first,
  /// first + team size, …; −∞ stands where there are no more.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void for_scores(TeamMember<ExecSpace> const& team,
                                                     Row const& row, F const& f) {
    auto const stride = static_cast<std::uint32_t>(team.team_size());
    auto j = static_cast<std::uint32_t>(team.team_rank());
    Real scores[scores_each];
    for (; j + (scores_each - 1) * stride < row.count; j += scores_each * stride) {
      CARROLL_UNROLL
      for (int r = 0; r < scores_each; ++r) scores[r] = row(j + r * stride);
      f(j, scores);
    }
    if (j >= row.count) return;
    CARROLL_UNROLL
    for (int r = 0; r < scores_each; ++r)
      scores[r] = j + r * stride < row.count ? row(j + r * stride)
                                             : -Kokkos::Experimental::infinity_v<Real>;
    f(j, scores);
  }

  /// A bound below which no score is among the best.
  KOKKOS_FUNCTION Real bound_by_maxima(TeamMember<ExecSpace> const& team, Places const& at,
                                       Row const& row) const {
    Real even = -Kokkos::Experimental::infinity_v<Real>, odd = even;
    for_scores(team, row, [&](std::uint32_t, Real const(&scores)[scores_each]) {
      CARROLL_UNROLL
      for (int r = 0; r < scores_each; r += 2) {
        even = scores[r] > even ? scores[r] : even;
        odd = scores[r + 1] > odd ? scores[r + 1] : odd;
      }
    });
    int const thread = team.team_rank(), other = team.team_size() + thread;
    at.put(thread, even, thread);
    at.put(other, odd, other);
    sort(team, at, groups_each * team.team_size(), problem.wanted);
    Real const bound = at.all[problem.wanted - 1].score;
    fast_team_barrier(team);  // all have read it before candidates are written
    return bound;
  }

  /// Collects candidates, if there is room for all, and sorts them.
  KOKKOS_FUNCTION bool select_at_once(TeamMember<ExecSpace> const& team, Places const& at,
                                      Row const& row, Real bound, bool& bad) const {
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    auto const stride = static_cast<std::uint32_t>(team.team_size());
    int const room = shape.places;
    for_scores(team, row, [&](std::uint32_t first, Real const(&scores)[scores_each]) {
      int mine = 0;
      CARROLL_UNROLL
      for (int r = 0; r < scores_each; ++r) {
        if (!(scores[r] < infinity)) bad = true;
        if (scores[r] >= bound && scores[r] > -infinity) ++mine;
      }
      if (mine == 0) return;
      int place = Kokkos::atomic_fetch_add(at.flags, mine);
      CARROLL_UNROLL
      for (int r = 0; r < scores_each; ++r) {
        if (!(scores[r] >= bound && scores[r] > -infinity)) continue;
        if (place < room) at.put(place, scores[r], static_cast<std::int32_t>(first + r * stride));
        ++place;
      }
    });
    fast_team_barrier(team);
    int const candidates = at.flags[0];
    fast_team_barrier(team);  // all have read it before it is set back
    if (team.team_rank() == 0) at.flags[0] = 0;
    if (candidates <= room) sort(team, at, candidates, problem.wanted);
    return candidates <= room;
  }

  KOKKOS_FUNCTION void select_by_rounds(TeamMember<ExecSpace> const& team, Places const& at,
                                        Row const& row, bool& bad) const {
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    Real worst = -infinity;
    for (int p = team.team_rank(); p < shape.kept; p += team.team_size())
      at.put(p, -infinity, no_index);
    fast_team_barrier(team);
    int const room = shape.places - shape.kept;
    int const each = Kokkos::min(int{scores_each}, room / (2 * team.team_size()));
    int const round = each * team.team_size();
    std::int64_t const count = row.count;
    for (std::int64_t begin = 0; begin < count; begin += round) {
      for (int r = 0; r < each; ++r) {
        std::int64_t const j = begin + r * team.team_size() + team.team_rank();
        if (j >= count) break;
        Real const score = row(static_cast<std::uint32_t>(j));
        if (!(score < infinity)) bad = true;
        if (score > worst)
          at.put(shape.kept + Kokkos::atomic_fetch_add(at.flags, 1), score,
                 static_cast<std::int32_t>(j));
      }
      fast_team_barrier(team);
      int const candidates = at.flags[0];
      fast_team_barrier(team);  // all have read before the next ones are counted
      if (begin + round < count && candidates + round <= room) continue;
      if (team.team_rank() == 0) at.flags[0] = 0;
      sort(team, at, shape.kept + candidates, problem.wanted);
      worst = at.all[problem.wanted - 1].score;
    }
  }

  /// Sorts `count` places, and fills them up to `least` with what comes last of all. Steps among 64
  /// places are a warp's own.
  KOKKOS_FUNCTION void sort(TeamMember<ExecSpace> const& team, Places const& at, int count,
                            int least) const {
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    int all = 1;
    while (all < count || all < least) all *= 2;
    for (int p = count + team.team_rank(); p < all; p += team.team_size())
      at.put(p, -infinity, no_index);
    fast_team_barrier(team);
    constexpr int of_warp = has_warps<ExecSpace> ? 32 : 0;
    for (int size = 2; size <= all; size *= 2)
      for (int step = size / 2; step > 0; step /= 2) {
        for (int k = team.team_rank(); k < all / 2; k += team.team_size())
          put_in_order(at, 2 * k - (k & (step - 1)), step, size);
        int const next = step > 1 ? step / 2 : size;
        if (step <= of_warp && next <= of_warp)
          warp_barrier();
        else
          fast_team_barrier(team);
      }
    fast_team_barrier(team);
  }
  KOKKOS_FUNCTION static void put_in_order(Places const& at, int low, int step, int size) {
    int const high = low + step;
    bool const best_first = (low & size) == 0;
    Candidate<Real> const a = at.all[low], b = at.all[high];
    bool const a_first = comes_before(a.score, a.index, b.score, b.index);
    if (a_first == best_first) return;
    at.all[low] = b;
    at.all[high] = a;
  }
};

}  // namespace carroll::detail
