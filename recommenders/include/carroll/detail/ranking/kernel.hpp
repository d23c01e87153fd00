// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>

namespace carroll::detail {

/// `tested`: 1 for a user with relevant items.
enum class RankingMeasure { precision, recall, map, ndcg, hit_rate, tested, all };

/// Does a row of the test hold a relevant rating of the item?
template <class Rows>
KOKKOS_INLINE_FUNCTION bool is_relevant(Rows const& test, std::int64_t user, std::int32_t item,
                                        double relevant_from) {
  std::int64_t begin = test.offsets(user), end = test.offsets(user + 1);
  std::int64_t const last = end;
  while (begin < end) {
    std::int64_t const middle = begin + (end - begin) / 2;
    if (test.columns(middle) < item)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < last && test.columns(begin) == item &&
         static_cast<double>(test.values(begin)) >= relevant_from;
}

/// The gain of a hit at a place, counted from 0.
KOKKOS_INLINE_FUNCTION double gain_at(std::int64_t place) {
  return 1 / Kokkos::log2(static_cast<double>(place) + 2);
}

/// Measures of a user's list into a column of `measures`. A thread a user.
template <class Rows, class Users, class Ids>
struct MeasureRanking {
  using Measures = Kokkos::View<double**, Kokkos::LayoutRight, typename Rows::memory_space>;
  Rows test;
  Users users;
  Ids ids;
  Measures measures;  ///< RankingMeasure × users; who has nothing relevant has 0 in all of them
  double relevant_from;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    std::int64_t const user = users(t);
    auto const at = static_cast<std::int64_t>(ids.extent(1));
    std::int64_t relevant = 0;
    for (std::int64_t e = test.offsets(user); e < test.offsets(user + 1); ++e)
      relevant += static_cast<double>(test.values(e)) >= relevant_from ? 1 : 0;
    std::int64_t const reachable = Kokkos::min(at, relevant);
    std::int64_t hits = 0;
    double precisions = 0, gain = 0, best_gain = 0;
    for (std::int64_t place = 0; place < at; ++place) {
      if (place < reachable) best_gain += gain_at(place);
      std::int32_t const item = ids(t, place);
      if (item < 0 || !is_relevant(test, user, item, relevant_from)) continue;
      ++hits;
      precisions += static_cast<double>(hits) / static_cast<double>(place + 1);
      gain += gain_at(place);
    }
    auto const leave = [&](RankingMeasure measure, double value, double of) {
      measures(int(measure), t) = of > 0 ? value / of : 0;
    };
    leave(RankingMeasure::precision, static_cast<double>(hits), static_cast<double>(at));
    leave(RankingMeasure::recall, static_cast<double>(hits), static_cast<double>(relevant));
    leave(RankingMeasure::map, precisions, static_cast<double>(reachable));
    leave(RankingMeasure::ndcg, gain, best_gain);
    leave(RankingMeasure::hit_rate, hits > 0 ? 1 : 0, 1);
    leave(RankingMeasure::tested, relevant > 0 ? 1 : 0, 1);
  }
};

/// The first of some users who is none.
template <class Users>
struct FirstUnknownUser {
  Users users;
  std::int32_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t t, std::int64_t& first) const {
    if (users(t) < 0 || users(t) >= count) first = Kokkos::min(first, t);
  }
};

/// Users with relevant items in the test, ascending.
template <class Rows, class Indices>
struct ListTestedUsers {
  Rows test;
  Indices users;
  double relevant_from;
  KOKKOS_FUNCTION void operator()(std::int64_t user, std::int64_t& place, bool final) const {
    bool any = false;
    for (std::int64_t e = test.offsets(user); e < test.offsets(user + 1) && !any; ++e)
      any = static_cast<double>(test.values(e)) >= relevant_from;
    if (!any) return;
    if (final && users.extent(0) > 0) users(place) = static_cast<std::int32_t>(user);
    ++place;
  }
};

/// Waits.
template <class ExecSpace, class Rows>
auto tested_users(ExecSpace const& exec, Rows const& test, double relevant_from) {
  using Indices =
      Kokkos::View<std::int32_t*, Kokkos::LayoutRight, typename ExecSpace::memory_space>;
  using List = ListTestedUsers<Rows, Indices>;
  std::int64_t count = 0;
  Range<ExecSpace> const all(exec, 0, test.row_count);
  Kokkos::parallel_scan("carroll::ranking_metrics::users", all, List{test, {}, relevant_from},
                        count);
  exec.fence("carroll::ranking_metrics: users");
  auto const users = allocate<Indices>(exec, "carroll::ranking_metrics::users", count);
  if (count > 0)
    Kokkos::parallel_scan("carroll::ranking_metrics::users", all, List{test, users, relevant_from});
  return users;
}

}  // namespace carroll::detail
