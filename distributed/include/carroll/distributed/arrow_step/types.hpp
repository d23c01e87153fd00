// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/error.hpp>
#include <carroll/pseudoinverse/options.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carroll::distributed {

/// How an arrow Jacobian is shared out: whole segments, and with them their rows.
struct ArrowLayout {
  BlockLayout segments, rows;
  friend bool operator==(ArrowLayout const&, ArrowLayout const&) = default;
};

struct ArrowStepOptions {
  PseudoinverseOptions step;
  /// Segments of a leaf, of which one small system is left, counted from the first segment of all;
  /// ranks must not share a leaf. 0: as many as make leaves of 2^18 rows on average, but no more
  /// than 64 of them, and of 2^20 rows beyond, up to 1024.
  std::int64_t leaf_segments = 0;
};

/// The segments of a leaf, for so many rows and segments in all.
inline std::int64_t leaf_segments(ArrowStepOptions const& options, std::int64_t rows,
                                  std::int64_t segments) {
  if (options.leaf_segments > 0)
    return std::min(options.leaf_segments, std::max<std::int64_t>(segments, 1));
  // A launch is to pay for itself; and large problems are to have a leaf for each of many ranks.
  std::int64_t const few = std::min<std::int64_t>(rows >> 18, 64),
                     many = std::min<std::int64_t>(rows >> 20, 1024);
  std::int64_t const leaves = std::max({few, many, std::int64_t{1}});
  return std::max<std::int64_t>(1, (segments + leaves - 1) / leaves);
}

namespace detail {

inline void require_segment_offsets(char const* function, std::span<std::int64_t const> offsets) {
  carroll::detail::require(
      !offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()),
      function, [] { return std::string("segment offsets must rise from 0"); });
}

}  // namespace detail

/// Whole leaves for each rank, with as even a number of rows as they allow. `offsets`: m + 1, of
/// all segments, from 0 to the number of rows. Throws std::invalid_argument for others.
inline ArrowLayout arrow_layout(int ranks, std::span<std::int64_t const> offsets,
                                ArrowStepOptions const& options = {}) {
  constexpr char const* function = "carroll::distributed::arrow_layout";
  detail::require_segment_offsets(function, offsets);
  carroll::detail::require(ranks >= 1, function,
                           [] { return std::string("there must be a rank or more"); });
  auto const m = static_cast<std::int64_t>(offsets.size()) - 1;
  std::int64_t const n = offsets.back(), unit = leaf_segments(options, n, m);
  auto const row = [&](std::int64_t segment) { return offsets[static_cast<std::size_t>(segment)]; };
  ArrowLayout layout;
  std::int64_t at = 0;
  for (std::int64_t rank = 1; rank <= ranks; ++rank) {
    std::int64_t const wanted = n / ranks * rank + n % ranks * rank / ranks;
    auto const behind = [&] { return std::min(at + unit, m); };
    // On to the leaf after which no more rows are missing than would be too many.
    while (at < m && (rank == ranks || row(behind()) - wanted <= wanted - row(at))) at = behind();
    layout.segments.offsets.push_back(at);
    layout.rows.offsets.push_back(row(at));
  }
  return layout;
}

/// The same for rows that have been shared out. Throws std::invalid_argument where a segment is cut
/// between ranks; of empty segments between two ranks the second one gets those that are left.
inline ArrowLayout arrow_layout(BlockLayout const& rows, std::span<std::int64_t const> offsets) {
  constexpr char const* function = "carroll::distributed::arrow_layout";
  detail::require_segment_offsets(function, offsets);
  ArrowLayout layout{{}, rows};
  for (int rank = 0; rank < rows.ranks(); ++rank) {
    auto const end = rank + 1 == rows.ranks()
                         ? offsets.end() - 1
                         : std::lower_bound(offsets.begin(), offsets.end(), rows.end(rank));
    std::int64_t const segment = end - offsets.begin();
    bool const whole = end != offsets.end() && *end == rows.end(rank);
    carroll::detail::require(whole, function, [&] {
      return "segment " + std::to_string(segment - 1) + " is cut between ranks, at row " +
             std::to_string(rows.end(rank)) + "; ranks must have whole segments";
    });
    layout.segments.offsets.push_back(segment);
  }
  return layout;
}

}  // namespace carroll::distributed
