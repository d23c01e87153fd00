// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/allocate.hpp>
#include <carroll/detail/pseudoinverse/checks.hpp>
#include <carroll/distributed/arrow_step/types.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <limits>
#include <string>

/// What callers may ask a step over ranks for: std::invalid_argument for what they may not.
namespace carroll::distributed::detail {

inline void require_usable(char const* function, int ranks, ArrowLayout const& layout,
                           std::int64_t motions, ArrowStepOptions const& options) {
  using carroll::detail::require;
  require(layout.rows.ranks() == ranks && layout.segments.ranks() == ranks, function, [&] {
    return "the layout is of " + std::to_string(layout.segments.ranks()) +
           " ranks for segments and " + std::to_string(layout.rows.ranks()) +
           " for rows, must be of " + std::to_string(ranks);
  });
  require(motions >= 1 && motions < 10'000, function, [&] {
    return "the number of motion columns is " + std::to_string(motions) +
           ", must be from 1 to 9999";
  });
  require(options.leaf_segments >= 0, function, [&] {
    return "options.leaf_segments is " + std::to_string(options.leaf_segments) +
           ", must not be negative";
  });
  carroll::detail::check_pseudoinverse_options(function, options.step);
  carroll::detail::require_size(function, "the number of segments", layout.segments.length());
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t const rows = layout.rows.count(rank), segments = layout.segments.count(rank);
    require(rows <= std::numeric_limits<int>::max() - 4096, function, [&] {
      return "rank " + std::to_string(rank) + " has " + std::to_string(rows) +
             " rows, more than kernels can count";
    });
    require(rows == 0 || segments > 0, function, [&] {
      return "rank " + std::to_string(rank) + " has " + std::to_string(rows) +
             " rows and no segment";
    });
  }
}

inline void require_whole_leaves(char const* function, BlockLayout const& segments,
                                 std::int64_t unit) {
  for (auto const offset : segments.offsets)
    carroll::detail::require(offset % unit == 0 || offset == segments.length(), function, [&] {
      return "ranks share the segments at " + std::to_string(offset) +
             ", must do so at multiples of " + std::to_string(unit) +
             " (carroll::distributed::arrow_layout, or options.leaf_segments)";
    });
}

}  // namespace carroll::distributed::detail
