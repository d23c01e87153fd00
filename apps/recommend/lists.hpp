// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/ranking/kernel.hpp>
#include <carroll/ranking_metrics.hpp>
#include <carroll/recommend.hpp>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "recommend/methods.hpp"
#include "recommend/move.hpp"

/// Lists of the best items, of a model or, where there is none, of predictions for all items.
namespace carroll::tool {

template <class Real>
struct Lists {
  Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory> ids;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> scores;
};

/// All items of some users are predicted at a time; those that a user has rated are left out.
template <class Real>
void best_of_predictions(ExecSpace const& exec, Learnt<Real> const& learnt,
                         Ratings<Real, Memory> const& train, Indices const& users,
                         Lists<Real> const& lists) {
  auto const asked = to_host_vector(exec, users);
  auto const offsets = to_host_vector(exec, train.by_user().offsets);
  auto const seen = to_host_vector(exec, train.by_user().columns);
  auto const items = static_cast<std::size_t>(train.items()), top = lists.ids.extent(1);
  constexpr std::size_t pairs_at_once = std::size_t{1} << 22;
  std::size_t const at_once =
      std::max<std::size_t>(pairs_at_once / std::max<std::size_t>(items, 1), 1);
  std::vector<std::int32_t> ids(lists.ids.size(), -1);
  std::vector<Real> scores(lists.scores.size(), -std::numeric_limits<Real>::infinity());
  for (std::size_t begin = 0; begin < asked.size(); begin += at_once) {
    std::size_t const end = std::min(begin + at_once, asked.size());
    std::vector<std::int32_t> pair_users, pair_items;
    for (std::size_t t = begin; t < end; ++t)
      for (std::size_t i = 0; i < items; ++i) {
        pair_users.push_back(asked[t]);
        pair_items.push_back(static_cast<std::int32_t>(i));
      }
    auto const into = detail::allocate<RatingVector<Real>>(
        exec, "carroll::tool::predictions", static_cast<std::int64_t>(pair_users.size()));
    (void)learnt.predict(to_device(exec, pair_users), to_device(exec, pair_items), into);
    auto const predictions = to_host_vector(exec, into);
    for (std::size_t t = begin; t < end; ++t) {
      Real const* const own = predictions.data() + (t - begin) * items;
      std::vector<bool> rated(items, false);
      auto const u = static_cast<std::size_t>(asked[t]);
      for (std::int64_t e = offsets[u]; e < offsets[u + 1]; ++e)
        rated[static_cast<std::size_t>(seen[static_cast<std::size_t>(e)])] = true;
      std::vector<std::int32_t> order;
      for (std::size_t i = 0; i < items; ++i)
        if (!rated[i] && own[i] > -std::numeric_limits<Real>::infinity())
          order.push_back(static_cast<std::int32_t>(i));
      std::size_t const count = std::min(top, order.size());
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                        order.end(), [&](std::int32_t a, std::int32_t b) {
                          return detail::comes_before(own[a], a, own[b], b);
                        });
      for (std::size_t place = 0; place < count; ++place) {
        ids[t * top + place] = order[place];
        scores[t * top + place] = own[order[place]];
      }
    }
  }
  detail::copy_to_device(exec, lists.ids.data(), ids.data(), ids.size());
  detail::copy_to_device(exec, lists.scores.data(), scores.data(), scores.size());
  exec.fence("carroll::tool: lists");
}

template <class Real>
Lists<Real> best_of(ExecSpace const& exec, Learnt<Real> const& learnt,
                    Ratings<Real, Memory> const& train, Indices const& users, std::int64_t top) {
  auto const rows = users.extent(0), cols = static_cast<std::size_t>(top);
  Lists<Real> lists;
  lists.ids = detail::allocate_matrix<decltype(lists.ids)>(exec, "carroll::tool::ids", rows, cols);
  lists.scores =
      detail::allocate_matrix<decltype(lists.scores)>(exec, "carroll::tool::scores", rows, cols);
  if (learnt.predict)
    best_of_predictions(exec, learnt, train, users, lists);
  else
    (void)recommend(exec, *learnt.model, train, users, lists.ids, lists.scores);
  return lists;
}

template <class Real>
RankingMetrics ranking_of_predictions(ExecSpace const& exec, Learnt<Real> const& learnt,
                                      Ratings<Real, Memory> const& train,
                                      Ratings<Real, Memory> const& test,
                                      RankingOptions const& options) {
  auto const users = detail::tested_users(exec, test.by_user(), options.relevant_from);
  auto const lists =
      best_of(exec, learnt, train, users, std::min<std::int64_t>(options.at, train.items()));
  return ranking_metrics(exec, users, lists.ids, test, options.relevant_from);
}

}  // namespace carroll::tool
