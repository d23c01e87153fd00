// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// The canonical tree over the blocks 0, 1, … of a matrix, the same shape as that of sums: blocks
/// 2k and 2k + 1 meet, then pairs of those, and one without a neighbour goes on as it is.
///
///   0   1   2   3   4        nodes, named by the first block of their right half: 1 {0 1},
///   └─1─┘   └─3─┘   │        3 {2 3}, 2 {0 … 3}, 4 {0 … 4}
///     └───2───┘     │
///         └────4────┘
///
/// Every block but 0 names one node. What comes of a node stands where its left half stood.
namespace carroll::distributed::detail {

struct TreeNode {
  std::int64_t left, right, end;  ///< blocks [left, right) and [right, end)

  /// The node named by block `right` > 0 of so many.
  KOKKOS_FUNCTION static TreeNode of(std::int64_t right, std::int64_t blocks) {
    std::int64_t const half = half_of(right);
    return {right - half, right, Kokkos::min(right + half, blocks)};
  }
  /// Blocks of a whole half of the node that `right` names.
  KOKKOS_FUNCTION static std::int64_t half_of(std::int64_t right) { return right & -right; }

  KOKKOS_FUNCTION bool within(std::int64_t first, std::int64_t last) const {
    return first <= left && end <= last;
  }
};

/// First blocks of the largest parts of the tree that lie within [first, last), at most two for
/// each level.
inline std::vector<std::int64_t> subtrees(std::int64_t first, std::int64_t last,
                                          std::int64_t blocks) {
  std::vector<std::int64_t> result;
  while (first < last) {
    result.push_back(first);
    std::int64_t size = first == 0 ? std::int64_t{1} << 62 : TreeNode::half_of(first);
    while (std::min(first + size, blocks) > last) size /= 2;
    first += size;
  }
  return result;
}

/// A node above the ranks: of two subtrees, by their numbers, and what they cover.
struct TopNode {
  int left, right;
  std::int64_t begin, end;
};

/// The nodes that join these subtrees, which together are the whole tree, in the order in which
/// they can be joined.
inline std::vector<TopNode> top_nodes(std::vector<std::int64_t> const& subtrees,
                                      std::int64_t blocks) {
  std::vector<TopNode> nodes;
  for (std::size_t k = 1; k < subtrees.size(); ++k) {
    auto const [left, right, end] = TreeNode::of(subtrees[k], blocks);
    auto const at = std::lower_bound(subtrees.begin(), subtrees.end(), left) - subtrees.begin();
    nodes.push_back({static_cast<int>(at), static_cast<int>(k), left, end});
  }
  std::stable_sort(nodes.begin(), nodes.end(), [&](TopNode const& a, TopNode const& b) {
    auto const half = [&](TopNode const& node) {
      return TreeNode::half_of(subtrees[static_cast<std::size_t>(node.right)]);
    };
    return half(a) < half(b);
  });
  return nodes;
}

}  // namespace carroll::distributed::detail
