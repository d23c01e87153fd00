// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/neighbours/levels.hpp>
#include <carroll/detail/neighbours/rows.hpp>
#include <carroll/detail/neighbours/select.hpp>
#include <carroll/detail/neighbours/tables.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>

/// Predictions from neighbours: level + Σ sim·(r − level_of_neighbour) / Σ sim, over the first so
/// many neighbours that have rated the column, the most similar first, in double precision.
namespace carroll::detail {

/// The two sums.
struct WeightedDeviations {
  double product = 0, weight = 0;

  KOKKOS_FUNCTION void add(double similarity, double deviation) {
    product = Kokkos::fma(similarity, deviation, product);
    weight += similarity;
  }
};

/// What asks for predictions: the pairs of rows and columns, and where these go.
template <class Real, class MemorySpace>
struct RatingQueries {
  RatingLevels<MemorySpace> levels;
  Kokkos::View<std::int32_t const*, MemorySpace> rows, columns;
  Kokkos::View<Real*, MemorySpace> predictions;
  Kokkos::View<std::uint8_t*, MemorySpace> alone;  ///< no neighbour has a part in it
  double lowest, highest;

  KOKKOS_FUNCTION void answer(std::int64_t q, WeightedDeviations const& sums) const {
    bool const bare = sums.weight == 0;
    double const level = bare ? levels.alone(rows(q), columns(q)) : levels.at(rows(q), columns(q));
    double const x = bare ? level : level + sums.product / sums.weight;
    predictions(q) = static_cast<Real>(x < lowest ? lowest : x > highest ? highest : x);
    alone(q) = bare ? 1 : 0;
  }
};

/// Every query as if there were no neighbours. A thread each.
template <class ExecSpace, class Real, class MemorySpace>
struct BareAnswerKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  RatingQueries<Real, MemorySpace> queries;
  KOKKOS_FUNCTION void operator()(std::int64_t q) const { queries.answer(q, {}); }
};

/// From all rows: those that rated a column are looked through for the most similar ones. The
/// thread of a team that has a query has d_u steps.
template <class ExecSpace, class Real, class MemorySpace>
struct TakeQueries {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  RatingQueries<Real, MemorySpace> queries;
  RatingRows<Real, MemorySpace> by_column;
  Real const* deviations;                                 ///< of the ratings by column
  Kokkos::View<std::int64_t const*, MemorySpace> begins;  ///< of a row's queries in `order`
  Kokkos::View<std::int64_t const*, MemorySpace> order;

  KOKKOS_FUNCTION bool wants(std::int32_t row) const { return begins(row + 1) > begins(row); }
  KOKKOS_FUNCTION void operator()(Member const& team, RowTeams<Real> const& teams, std::int32_t row,
                                  Real const* similarities) const {
    std::int64_t const begin = begins(row);
    auto const count = static_cast<std::int32_t>(begins(row + 1) - begin);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](std::int32_t k) {
      Kokkos::single(Kokkos::PerThread(team), [&] {
        Neighbour<Real>* const places = teams.heap_of(team.league_rank(), team.team_rank());
        std::int64_t const q = order(begin + k);
        queries.answer(q, look(queries.columns(q), similarities, places, teams.capacity));
      });
    });
  }

 private:
  KOKKOS_FUNCTION WeightedDeviations look(std::int32_t column, Real const* similarities,
                                          Neighbour<Real>* places, std::int32_t capacity) const {
    std::int64_t const begin = by_column.offsets(column), end = by_column.offsets(column + 1);
    NearestHeap<Real> heap(places, capacity);
    // A place in the column instead of a row's index: they are in the same order.
    for (std::int64_t f = begin; f < end; ++f) {
      Real const s = similarities[by_column.columns(f)];
      if (s > NeighbourProblem<Real>::none()) heap.push({s, static_cast<std::int32_t>(f - begin)});
    }
    heap.sort();
    WeightedDeviations sums;
    for (std::int32_t k = 0; k < heap.size(); ++k)
      sums.add(static_cast<double>(places[k].similarity),
               static_cast<double>(deviations[begin + places[k].index]));
    return sums;
  }
};

/// From lists of neighbours: the first of them that rated the column, found by bisection of their
/// rows. A thread for each query.
template <class ExecSpace, class Real, class Ids, class Values>
struct ListAnswerKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  using MemorySpace = typename ExecSpace::memory_space;

  RatingQueries<Real, MemorySpace> queries;
  RatingRows<Real, MemorySpace> by_row;
  RatingNumber<MemorySpace> number;
  Ids ids;
  Values similarities;
  std::int32_t nearest;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    std::int32_t const row = queries.rows(q), column = queries.columns(q);
    WeightedDeviations sums;
    if (queries.levels.knows(row, column)) {
      std::int32_t found = 0;
      auto const listed = static_cast<std::int32_t>(ids.extent(1));
      for (std::int32_t k = 0; k < listed && found < nearest; ++k) {
        std::int32_t const other = ids(row, k);
        if (other < 0 || other >= by_row.row_count) break;
        std::int64_t const e = find(other, column);
        if (e < 0) continue;
        ++found;
        sums.add(
            static_cast<double>(similarities(row, k)),
            static_cast<double>(number.template deviation<Real>(by_row.values(e), other, column)));
      }
    }
    queries.answer(q, sums);
  }

 private:
  KOKKOS_FUNCTION std::int64_t find(std::int32_t row, std::int32_t column) const {
    std::int64_t begin = by_row.offsets(row), end = by_row.offsets(row + 1);
    std::int64_t const past = end;
    while (begin < end) {
      std::int64_t const middle = begin + (end - begin) / 2;
      if (by_row.columns(middle) < column)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin < past && by_row.columns(begin) == column ? begin : -1;
  }
};

}  // namespace carroll::detail
