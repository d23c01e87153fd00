// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/neighbours/accumulate.hpp>
#include <carroll/detail/neighbours/problem.hpp>
#include <carroll/detail/neighbours/select.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstdint>

/// Teams that take rows, one after the other, compare each with all others, and hand what they have
/// found to somebody.
namespace carroll::detail {

/// What teams work with: sums and similarities of one row with all others, and places for heaps.
template <class Real>
struct RowTeams {
  int teams = 1, threads = 1;
  int width = 1;
  std::int64_t rows = 0;
  std::int32_t capacity = 0;  ///< of a heap
  Real* sums = nullptr;
  Real* similarities = nullptr;
  Neighbour<Real>* heaps = nullptr;
  std::int64_t* ticket = nullptr;  ///< the next row that is nobody's yet, 0 to begin with

  void lay_out(Arena& arena) {
    sums = arena.take<Real>(teams * rows * width);
    similarities = arena.take<Real>(teams * rows);
    heaps = arena.take<Neighbour<Real>>(std::int64_t{teams} * threads * capacity);
    ticket = arena.take<std::int64_t>(1);
  }
  KOKKOS_FUNCTION Real* sums_of(int team) const { return sums + team * rows * width; }
  KOKKOS_FUNCTION Real* similarities_of(int team) const { return similarities + team * rows; }
  KOKKOS_FUNCTION Neighbour<Real>* heap_of(int team, int thread) const {
    return heaps + (std::int64_t{team} * threads + thread) * capacity;
  }
};

/// As many teams as are busy at once, but with no more than 2 GiB, and for no more than `rows`.
/// Four warps have the ratings of a column of usual length at once.
template <class Real, class ExecSpace>
RowTeams<Real> row_teams(ExecSpace const& exec, int width, std::int64_t rows,
                         std::int32_t capacity) {
  RowTeams<Real> made;
  made.threads = lanes<ExecSpace> == 1 ? 1 : 4;
  made.width = width;
  made.rows = rows;
  made.capacity = capacity;
  constexpr std::int64_t budget = std::int64_t{1} << 31;
  std::int64_t const each = rows * (width + 1) * std::int64_t{sizeof(Real)} +
                            capacity * made.threads * std::int64_t{sizeof(Neighbour<Real>)} + 1;
  std::int64_t const busy =
      lanes<ExecSpace> == 1 ? std::int64_t{exec.concurrency()} : std::int64_t{4} * processors(exec);
  made.teams = static_cast<int>(std::max<std::int64_t>(1, std::min({busy, rows, budget / each})));
  return made;
}

/// take(team, teams, row, similarities) for each row of a list: who takes which one is left to
/// chance, and nothing of a row depends on it. `Take::wants(row)` says whether it need be done.
template <class ExecSpace, class Real, int Width, class Take>
struct CompareRowsKernel {
  NeighbourProblem<Real> p;
  RowTeams<Real> teams;
  Take take;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Real* const sums = teams.sums_of(team.league_rank());
    Real* const similarities = teams.similarities_of(team.league_rank());
    for (;;) {
      std::int64_t row = 0;
      Kokkos::single(Kokkos::PerTeam(team),
                     [&] { row = Kokkos::atomic_fetch_add(teams.ticket, std::int64_t{1}); });
      team.team_broadcast(row, 0);
      if (row >= p.rows) break;
      auto const i = static_cast<std::int32_t>(row);
      if (!take.wants(i)) continue;
      accumulate_pairs<ExecSpace, Real, Width>(team, p, i, sums);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, p.rows), [&](std::int32_t j) {
        Real const* const pair = sums + std::int64_t{j} * Width;
        // Most rows have nothing in common where there are many of them.
        similarities[j] =
            pair[Width == 2 ? 1 : 3] > Real(0) ? p.of(pair, i, j) : NeighbourProblem<Real>::none();
      });
      team.team_barrier();
      take(team, teams, i, similarities);
      team.team_barrier();
    }
  }
};

template <class ExecSpace, class Real, class Take>
void compare_rows(char const* label, ExecSpace const& exec, NeighbourProblem<Real> const& p,
                  RowTeams<Real> const& teams, Take const& take) {
  if (p.rows == 0) return;
  auto const enqueue = [&]<int Width>(std::integral_constant<int, Width>) {
    using Kernel = CompareRowsKernel<ExecSpace, Real, Width, Take>;
    launch_teams(label, exec, Kernel{p, teams, take},
                 {.count = teams.teams, .threads = teams.threads, .lanes = lanes<ExecSpace>});
  };
  if (p.width == 2)
    enqueue(std::integral_constant<int, 2>{});
  else if (p.width == 4)
    enqueue(std::integral_constant<int, 4>{});
  else
    enqueue(std::integral_constant<int, 8>{});
}

/// The nearest of all other rows, in order.
template <class ExecSpace, class Real, class Ids, class Values>
struct TakeNearest {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  Ids ids;
  Values values;

  KOKKOS_FUNCTION bool wants(std::int32_t) const { return true; }
  KOKKOS_FUNCTION void operator()(Member const& team, RowTeams<Real> const& teams, std::int32_t row,
                                  Real* similarities) const {
    auto const wanted = static_cast<std::int32_t>(ids.extent(1));
    if constexpr (lanes<ExecSpace> == 1)
      by_heap(team, teams, row, similarities, wanted);
    else
      by_rounds(team, teams, row, similarities, wanted);
  }

 private:
  KOKKOS_FUNCTION void by_heap(Member const& team, RowTeams<Real> const& teams, std::int32_t row,
                               Real const* similarities, std::int32_t wanted) const {
    Neighbour<Real>* const nearest = teams.heap_of(team.league_rank(), team.team_rank());
    NearestHeap<Real> heap(nearest, wanted);
    auto const rows = static_cast<std::int32_t>(teams.rows);
    Real least = NeighbourProblem<Real>::none();  // rows come by index: equals are not taken
    for (std::int32_t j = 0; j < rows; ++j) {
      if (!(similarities[j] > least)) continue;
      heap.push({similarities[j], j});
      if (heap.size() == wanted) least = heap.last().similarity;
    }
    heap.sort();
    for (std::int32_t k = 0; k < wanted; ++k) {
      ids(row, k) = k < heap.size() ? nearest[k].index : -1;
      values(row, k) = k < heap.size() ? nearest[k].similarity : Real(0);
    }
  }
  /// The first one, again and again; similarities are overwritten.
  KOKKOS_FUNCTION void by_rounds(Member const& team, RowTeams<Real> const& teams, std::int32_t row,
                                 Real* similarities, std::int32_t wanted) const {
    auto const rows = static_cast<std::int32_t>(teams.rows);
    for (std::int32_t k = 0; k < wanted; ++k) {
      Real most = NeighbourProblem<Real>::none();
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, rows),
          [&](std::int32_t j, Real& mine) {
            mine = similarities[j] > mine ? similarities[j] : mine;
          },
          Kokkos::Max<Real>(most));
      std::int32_t first = rows;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, rows),
          [&](std::int32_t j, std::int32_t& mine) {
            if (similarities[j] == most && j < mine) mine = j;
          },
          Kokkos::Min<std::int32_t>(first));
      bool const found = first < rows && most > NeighbourProblem<Real>::none();
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        ids(row, k) = found ? first : -1;
        values(row, k) = found ? most : Real(0);
        if (found) similarities[first] = NeighbourProblem<Real>::none();
      });
      team.team_barrier();
    }
  }
};

}  // namespace carroll::detail
