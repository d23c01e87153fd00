// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/recommend/order.hpp>
#include <carroll/detail/recommend/problem.hpp>
#include <carroll/detail/recommend/tile.hpp>
#include <cstdint>

namespace carroll::detail {

/// The best of a row of scores by one thread: blocks in which nothing beats the worst that has been
/// kept are passed over with vector comparisons; the others go through a heap, of which there are
/// some N·ln(items/N) where scores come in no order.
template <class Real, class MemorySpace>
struct SelectOnHost {
  static constexpr int block = 64;
  BestProblem<Real, MemorySpace> problem;
  BestTile<Real, MemorySpace> tile;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    std::int64_t const items = problem.items();
    std::int64_t const row = problem.rows.data[(tile.begin + t) * problem.rows.stride];
    Real const bias = problem.bias_of(row);
    Real const* const products = tile.scores + t * items;
    Real const* const base = problem.base.data();
    WorstFirst<Real> best{tile.best_scores + t * problem.wanted,
                          tile.best_indices + t * problem.wanted, problem.wanted};
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    Real worst = -infinity;
    int bad = 0;
    for (std::int64_t begin = 0; begin < items; begin += block) {
      int const count = static_cast<int>(Kokkos::min<std::int64_t>(block, items - begin));
      Real scores[block];
      int better = 0;
      if (count == block)
        for (int j = 0; j < block; ++j) {
          scores[j] = (products[begin + j] + base[begin + j]) + bias;
          better |= scores[j] > worst;
          bad |= !(scores[j] < infinity);
        }
      else
        for (int j = 0; j < count; ++j) {
          scores[j] = (products[begin + j] + base[begin + j]) + bias;
          better |= scores[j] > worst;
          bad |= !(scores[j] < infinity);
        }
      if (!better) continue;
      for (int j = 0; j < count; ++j)
        if (scores[j] > worst) {
          best.add(scores[j], static_cast<std::int32_t>(begin + j));
          if (best.is_full()) worst = best.worst();
        }
    }
    best.sort();
    for (std::int32_t place = 0; place < problem.wanted; ++place) {
      bool const some = place < best.count;
      leave_best(problem, tile.begin + t, place, some ? best.scores[place] : Real(0),
                 some ? best.indices[place] : std::int32_t{no_index}, bad != 0);
    }
    count_best(tile, best.is_full(), bad != 0);
  }
};

}  // namespace carroll::detail
