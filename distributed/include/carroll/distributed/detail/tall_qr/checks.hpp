// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/allocate.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/tall_layout.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>

/// What a call refuses.
namespace carroll::distributed::detail {

/// Throws std::invalid_argument for a layout that is none of so many ranks.
inline void require_layout(char const* function, BlockLayout const& layout, int ranks) {
  using carroll::detail::require;
  require(layout.ranks() == ranks, function, [&] {
    return "the layout is for " + std::to_string(layout.ranks()) +
           " ranks, must be for those of the communicator, " + std::to_string(ranks);
  });
  require(layout.offsets.front() == 0, function,
          [&] { return "the layout begins with " + std::to_string(layout.begin(0)) + ", not 0"; });
  for (int rank = 0; rank < ranks; ++rank)
    require(layout.count(rank) >= 0, function, [&] {
      return "rank " + std::to_string(rank) + " of the layout has " +
             std::to_string(layout.count(rank)) + " rows";
    });
}

/// The same, and for one that cuts a block: a rank works on whole ones.
template <class Real>
void require_tall(char const* function, BlockLayout const& layout, std::int64_t cols, int ranks) {
  using carroll::detail::require;
  require_layout(function, layout, ranks);
  carroll::detail::require_size(function, "the number of columns", cols);
  std::int64_t const block = tall_block_rows<Real>(cols);
  for (int rank = 0; rank < ranks; ++rank) {
    carroll::detail::require_size(function, "a rank's number of rows", layout.count(rank));
    std::int64_t const end = layout.end(rank);
    require(end % block == 0 || end == layout.length(), function, [&] {
      return "rank " + std::to_string(rank) + " of the layout ends with row " +
             std::to_string(end) + ", must end with a multiple of " + std::to_string(block) +
             " or the last row, " + std::to_string(layout.length()) +
             ": carroll::distributed::tall_layout makes such layouts";
    });
  }
  require(layout.length() >= cols, function, [&] {
    return "A is " + carroll::detail::extents_text({layout.length(), cols}) +
           ", must have at least as many rows as columns";
  });
}

}  // namespace carroll::distributed::detail
