// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/random.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/sgd/runs.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

/// Which ratings are whose turn: made on the host, once, from the ratings and a seed alone.
///
/// Users and items are dealt out to p groups each, so that groups have about as many ratings. In
/// step s of p, the blocks (i, (i + s) mod p) are worked on side by side: they share no user and no
/// item. It is one round of the bipartite round robin of Jacobi's orderings (Gemulla, Nijkamp, Haas
/// and Sismanis, KDD 2011, who give each machine a block). In a block, ratings are in runs of one
/// item.
namespace carroll::detail {

/// Numbers 0 … n−1 in the order of random keys.
inline std::vector<std::int32_t> random_order(std::int32_t n, std::uint64_t seed,
                                              std::uint32_t stream) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys(static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; ++i) {
    auto const bits = philox(seed, {static_cast<std::uint32_t>(i), 0, stream, 0});
    keys[i] = {std::uint64_t{bits[0]} << 32U | bits[1], i};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::int32_t> order(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) order[k] = keys[k].second;
  return order;
}

/// Rows dealt out to groups: the heaviest first, each to the group that has the least so far.
struct SgdGroups {
  std::vector<std::int32_t> group;  ///< of a row
  std::vector<std::int32_t> place;  ///< of a row, group after group

  SgdGroups(std::vector<std::int64_t> const& weights, int groups, std::uint64_t seed,
            std::uint32_t stream)
      : group(weights.size()), place(weights.size()) {
    auto order = random_order(static_cast<std::int32_t>(weights.size()), seed, stream);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return weights[a] > weights[b]; });
    using Load = std::pair<std::int64_t, int>;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
    for (int g = 0; g < groups; ++g) least.push({0, g});
    std::vector<std::int32_t> sizes(static_cast<std::size_t>(groups) + 1);
    for (std::int32_t const row : order) {
      auto [load, g] = least.top();
      least.pop();
      group[row] = g;
      ++sizes[g + 1];
      least.push({load + weights[row] + 1, g});  // rows without ratings are dealt out, too
    }
    std::partial_sum(sizes.begin(), sizes.end(), sizes.begin());
    for (std::int32_t const row : order) place[row] = sizes[group[row]]++;
  }
};

template <class Real>
struct SgdSchedule {
  int blocks = 1;
  SgdGroups users, items;
  std::vector<std::int64_t> begins;  ///< p² + 1
  std::vector<SgdRating<Real>> ratings;
  double balance = 1;

  /// About 40 ratings a block. On a device, p warps go through count/p ratings each, of which p
  /// times one waits for another one: more of them would wait more, fewer have more to go through.
  /// On a host the rows of smaller blocks would be in its caches for too short a while.
  static int blocks_for(std::int64_t count, std::int64_t users, std::int64_t items) {
    auto const wanted = static_cast<std::int64_t>(std::sqrt(static_cast<double>(count) / 40));
    return static_cast<int>(std::max<std::int64_t>(1, std::min({wanted, users, items})));
  }

  SgdSchedule(std::vector<std::int64_t> const& offsets, std::vector<std::int32_t> const& columns,
              std::vector<Real> const& values, std::int32_t column_count, int p, std::uint64_t seed)
      : blocks(p),
        users(counts_of_rows(offsets), p, seed, 1),
        items(counts_of_columns(columns, column_count), p, seed, 2) {
    auto const rows = static_cast<std::int32_t>(offsets.size()) - 1;
    std::size_t const all = static_cast<std::size_t>(p) * p;
    begins.assign(all + 1, 0);
    auto const for_all = [&](auto const& f) {
      for (std::int32_t r = 0; r < rows; ++r)
        for (std::int64_t e = offsets[r]; e < offsets[r + 1]; ++e)
          f(std::size_t(users.group[r]) * p + items.group[columns[e]], r, e);
    };
    for_all([&](std::size_t block, std::int32_t, std::int64_t) { ++begins[block + 1]; });
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    ratings.resize(columns.size());
    auto next = begins;
    for_all([&](std::size_t block, std::int32_t r, std::int64_t e) {
      ratings[next[block]++] = {users.place[r], items.place[columns[e]], values[e]};
    });
    RunOrder<Real> order(column_count);
    for (std::size_t block = 0; block < all; ++block)
      order.arrange(ratings.data() + begins[block], begins[block + 1] - begins[block]);
    measure_balance();
  }

 private:
  static std::vector<std::int64_t> counts_of_rows(std::vector<std::int64_t> const& offsets) {
    std::vector<std::int64_t> counts(offsets.size() - 1);
    for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = offsets[r + 1] - offsets[r];
    return counts;
  }
  static std::vector<std::int64_t> counts_of_columns(std::vector<std::int32_t> const& columns,
                                                     std::int32_t count) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(count));
    for (std::int32_t const column : columns) ++counts[column];
    return counts;
  }
  void measure_balance() {
    if (ratings.empty()) return;
    std::int64_t largest = 0;
    for (int s = 0; s < blocks; ++s) {
      std::int64_t most = 0;
      for (int i = 0; i < blocks; ++i) {
        std::size_t const b = std::size_t(i) * blocks + (i + s) % blocks;
        most = std::max(most, begins[b + 1] - begins[b]);
      }
      largest += most;
    }
    balance = static_cast<double>(largest) * blocks / static_cast<double>(ratings.size());
  }
};

}  // namespace carroll::detail
