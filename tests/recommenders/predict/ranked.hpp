// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace carroll::test {

struct Ranked {
  std::vector<std::int32_t> ids;
  std::vector<double> scores;
};

/// All candidates of a row, sorted, and what stands behind them.
inline Ranked ranked(std::vector<double> const& scores, std::size_t wanted) {
  std::vector<std::int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  Ranked best;
  for (std::size_t place = 0; place < wanted; ++place) {
    double const score = scores[static_cast<std::size_t>(order[place])];
    best.ids.push_back(std::isinf(score) ? -1 : order[place]);
    best.scores.push_back(score);
  }
  return best;
}

inline constexpr double never = -std::numeric_limits<double>::infinity();

/// Measures of a list in the words of their definitions.
struct Measured {
  double precision = 0, recall = 0, map = 0, ndcg = 0, hit_rate = 0;
};
inline Measured measured(std::vector<std::int32_t> const& list, std::vector<bool> const& relevant) {
  auto const all = std::count(relevant.begin(), relevant.end(), true);
  Measured result;
  double hits = 0, gain = 0, best = 0;
  for (std::size_t place = 0; place < list.size(); ++place) {
    if (place < static_cast<std::size_t>(all)) best += 1 / std::log2(2. + double(place));
    if (list[place] < 0 || !relevant[static_cast<std::size_t>(list[place])]) continue;
    hits += 1;
    result.map += hits / double(place + 1);
    gain += 1 / std::log2(2. + double(place));
  }
  result.precision = hits / double(list.size());
  result.recall = hits / double(all);
  result.map /= double(std::min<std::ptrdiff_t>(all, std::ptrdiff_t(list.size())));
  result.ndcg = gain / best;
  result.hit_rate = hits > 0 ? 1 : 0;
  return result;
}

}  // namespace carroll::test
