// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/predict/views.hpp>
#include <carroll/detail/ranking/kernel.hpp>
#include <carroll/error.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/metrics/types.hpp>
#include <carroll/ratings.hpp>
#include <carroll/recommend.hpp>
#include <carroll/sum.hpp>
#include <cstdint>
#include <string>

/// How good recommendations are, by what users have rated in a test.
///
///   auto metrics = carroll::ranking_metrics(exec, model, train, test, {.at = 20});
///   auto other = carroll::ranking_metrics(exec, users, ids, test);     // of lists that one has
///
/// The first ranks all items that a user has not rated in `train` for every user with relevant
/// items in `test` (never a sample of items, whose measures are others: Krichene and Rendle, KDD
/// 2020) and takes the first `at`, or all items where there are fewer. The second takes lists of
/// any method: a row of `ids`, q×k, best first, −1 for none, for each of `users`, each at most
/// once, and measures at k; its means are over those of the users who have relevant items.
///
/// Gains of NDCG are 0 and 1, as in the measures that the field's tables have. Means are canonical
/// sums in double precision: the same bits for any number of threads. Fences `exec`.
namespace carroll {

namespace detail {

/// Means of the measures of lists, over the users who have relevant items.
template <class ExecSpace, class Rows, class Users, class Ids>
RankingMetrics mean_measures(ExecSpace const& exec, Rows const& test, Users const& users,
                             Ids const& ids, double relevant_from) {
  using Kernel = MeasureRanking<Rows, typename Users::const_type, typename Ids::const_type>;
  using Measures = typename Kernel::Measures;
  auto const count = static_cast<std::int64_t>(users.extent(0));
  RankingMetrics metrics;
  if (count == 0) return metrics;
  auto const measures =
      allocate_matrix<Measures>(exec, "carroll::ranking_metrics::measures",
                                static_cast<std::size_t>(RankingMeasure::all), users.extent(0));
  Kokkos::parallel_for("carroll::ranking_metrics::measure", Range<ExecSpace>(exec, 0, count),
                       Kernel{test, users, ids, measures, relevant_from});
  auto const sums = sum(exec, measures);
  double const tested = sums[static_cast<std::size_t>(RankingMeasure::tested)].value;
  metrics.users = static_cast<std::int64_t>(tested);
  auto const mean = [&](RankingMeasure measure) {
    double const sum_of_users = sums[static_cast<std::size_t>(measure)].value;
    return tested > 0 ? sum_of_users / tested : 0;
  };
  metrics.precision = mean(RankingMeasure::precision);
  metrics.recall = mean(RankingMeasure::recall);
  metrics.map = mean(RankingMeasure::map);
  metrics.ndcg = mean(RankingMeasure::ndcg);
  metrics.hit_rate = mean(RankingMeasure::hit_rate);
  return metrics;
}

inline void require_usable(char const* function, RankingOptions const& options) {
  require(options.at >= 1, function,
          [&] { return "at is " + std::to_string(options.at) + ", must be at least 1"; });
}

}  // namespace detail

template <ExecutionSpace ExecSpace, class Real, class MemorySpace>
[[nodiscard]] RankingMetrics ranking_metrics(ExecSpace const& exec,
                                             FactorModel<Real, MemorySpace> const& model,
                                             Ratings<Real, MemorySpace> const& train,
                                             Ratings<Real, MemorySpace> const& test,
                                             RankingOptions const& options = {}) {
  constexpr char const* function = "carroll::ranking_metrics";
  detail::require_model(function, model);
  detail::require_train(function, model, train);
  detail::require_train(function, model, test);
  detail::require_usable(function, options);
  auto const users = detail::tested_users(exec, test.by_user(), options.relevant_from);
  auto const at = static_cast<std::size_t>(std::min<std::int64_t>(options.at, model.items()));
  using Ids = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, MemorySpace>;
  using Scores = Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>;
  auto const ids =
      detail::allocate_matrix<Ids>(exec, "carroll::ranking_metrics::ids", users.extent(0), at);
  auto const scores = detail::allocate_matrix<Scores>(exec, "carroll::ranking_metrics::scores",
                                                      users.extent(0), at);
  auto const info = recommend(exec, model, train, users, ids, scores);
  auto metrics = detail::mean_measures(exec, test.by_user(), users, ids, options.relevant_from);
  metrics.cold_users = info.cold_users;
  metrics.status = info.status;
  return metrics;
}

template <ExecutionSpace ExecSpace, class Users, class Ids, class Real, class MemorySpace>
requires Kokkos::is_view_v<Users>
[[nodiscard]] RankingMetrics ranking_metrics(
    ExecSpace const& exec, Users const& users, Ids const& ids,
    Ratings<Real, MemorySpace> const& test, double relevant_from = RankingOptions{}.relevant_from) {
  constexpr char const* function = "carroll::ranking_metrics";
  static_assert(detail::is_index_list<Users, ExecSpace>,
                "carroll::ranking_metrics: users must be a strided View of std::int32_t, of rank "
                "1, in memory that the execution space can access");
  static_assert(detail::is_view_of<Ids, ExecSpace, std::int32_t> && detail::rank_of<Ids>() == 2,
                "carroll::ranking_metrics: ids must be a strided View of std::int32_t, of rank 2, "
                "in memory that the execution space can access");
  detail::require_extents(function, "ids", {static_cast<long long>(ids.extent(0))},
                          {static_cast<long long>(users.extent(0))});
  auto const count = static_cast<std::int64_t>(users.extent(0));
  using Check = detail::FirstUnknownUser<typename Users::const_type>;
  std::int64_t const bad = detail::first_found(exec, 0, count, Check{users, test.users()});
  detail::require(bad == count, function, [&] {
    return "user " + std::to_string(bad) + " is " +
           std::to_string(detail::entry(exec, users, bad)) + ", must be from 0 to " +
           std::to_string(test.users() - 1);
  });
  return detail::mean_measures(exec, test.by_user(), users, ids, relevant_from);
}

}  // namespace carroll
