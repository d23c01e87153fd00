// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
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

}  // namespace carroll::test
