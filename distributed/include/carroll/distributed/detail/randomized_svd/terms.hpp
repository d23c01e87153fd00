// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/distributed/detail/tall_qr/tree.hpp>
#include <cstdint>

namespace carroll::distributed::detail {

/// The terms of QᵀA, one for each stretch of rows, of which a rank has those from `first` to
/// `last`. They are added in the order of a tree over all of them, so that the sum has the same
/// bits on any number of ranks.
struct StretchTerms {
  std::int64_t first = 0, last = 0, all = 0;

  /// push(stretch, depth) for each of the rank's stretches, join(depth) where the two topmost of
  /// so many terms become one: what is left in the end are the rank's subtrees, in order.
  template <class Push, class Join>
  void go_through(Push const& push, Join const& join) const {
    std::int64_t depth = 0;
    for (std::int64_t t = first; t < last; ++t) {
      push(t, ++depth);
      for (std::int64_t half = 1; half <= t; half *= 2) {
        std::int64_t const right = t / half * half;
        if (right / half % 2 == 0) continue;
        auto const node = TreeNode::of(right, all);
        if (node.end == t + 1 && node.within(first, last)) join(depth--);
      }
    }
  }

  /// As many as are open at once.
  [[nodiscard]] std::int64_t most_open() const {
    std::int64_t most = 0;
    go_through([&](std::int64_t, std::int64_t depth) { most = std::max(most, depth); },
               [](std::int64_t) {});
    return most;
  }
};

}  // namespace carroll::distributed::detail
