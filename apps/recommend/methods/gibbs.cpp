// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <carroll/gibbs.hpp>
#include <cmath>
#include <vector>

#include "recommend/methods.hpp"
#include "recommend/move.hpp"

namespace carroll::tool {

/// The test is predicted by the mean of predictions over the chain, all else by the means of the
/// factors.
template <class Real>
Learnt<Real> learn_gibbs(Lesson<Real> const& lesson) {
  auto const& [exec, ratings, wanted, users, items, progress] = lesson;
  GibbsOptions options;
  options.sweeps = wanted.iterations.value_or(options.sweeps);
  options.seed = wanted.seed;
  options.posterior_means = true;
  if (std::isfinite(wanted.lowest) && std::isfinite(wanted.highest)) {
    options.least = wanted.lowest;
    options.most = wanted.highest;
  }
  // Of pairs with one of whom nothing is known the mean is all that can be said.
  auto const test_users = to_host_vector(exec, users), test_items = to_host_vector(exec, items);
  auto const user_offsets = to_host_vector(exec, ratings.by_user().offsets);
  auto const item_offsets = to_host_vector(exec, ratings.by_item().offsets);
  auto const rated = [](std::vector<std::int64_t> const& offsets, std::int32_t index) {
    auto const k = static_cast<std::size_t>(index);
    return index >= 0 && offsets[k] < offsets[k + 1];
  };
  std::vector<std::int32_t> known_users, known_items;
  std::vector<std::size_t> places;
  for (std::size_t e = 0; e < test_users.size(); ++e) {
    if (!rated(user_offsets, test_users[e]) || !rated(item_offsets, test_items[e])) continue;
    known_users.push_back(test_users[e]);
    known_items.push_back(test_items[e]);
    places.push_back(e);
  }
  auto const means = detail::allocate<RatingVector<Real>>(exec, "carroll::tool::means",
                                                          static_cast<std::int64_t>(places.size()));
  progress.phase("gibbs: " + std::to_string(options.burn_in + options.sweeps) + " sweeps over " +
                 std::to_string(ratings.count()) + " ratings");
  auto model = new_model(lesson, wanted.factors, false);
  auto const info =
      gibbs(exec, ratings, model, options,
            GibbsPairs{to_device(exec, known_users), to_device(exec, known_items), means, none});
  Learnt<Real> learnt;
  learnt.status = to_string(info.status);
  learnt.model = model;
  std::vector<Real> predictions(test_users.size(), static_cast<Real>(info.mean));
  auto const known = to_host_vector(exec, means);
  for (std::size_t k = 0; k < places.size(); ++k) predictions[places[k]] = known[k];
  learnt.test_predictions = to_device(exec, predictions);
  return learnt;
}

template Learnt<float> learn_gibbs(Lesson<float> const&);
template Learnt<double> learn_gibbs(Lesson<double> const&);

}  // namespace carroll::tool
