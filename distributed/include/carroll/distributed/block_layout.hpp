// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace carroll::distributed {

/// Who has what of `length()` rows (entries, columns, members of a batch): rank r those from
/// offsets[r] to offsets[r + 1] - 1, which may be none.
struct BlockLayout {
  std::vector<std::int64_t> offsets = {0};

  [[nodiscard]] int ranks() const { return static_cast<int>(offsets.size()) - 1; }
  [[nodiscard]] std::int64_t length() const { return offsets.back(); }
  [[nodiscard]] std::int64_t begin(int rank) const { return offsets[std::size_t(rank)]; }
  [[nodiscard]] std::int64_t end(int rank) const { return offsets[std::size_t(rank) + 1]; }
  [[nodiscard]] std::int64_t count(int rank) const { return end(rank) - begin(rank); }
  /// The rank that has row i, which is one of them.
  [[nodiscard]] int owner(std::int64_t i) const {
    return static_cast<int>(std::upper_bound(offsets.begin(), offsets.end(), i) - offsets.begin()) -
           1;
  }
  /// What each rank has, in rank order.
  [[nodiscard]] std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> counts;
    for (int rank = 0; rank < ranks(); ++rank) counts.push_back(count(rank));
    return counts;
  }

  friend bool operator==(BlockLayout const&, BlockLayout const&) = default;
};

/// Consecutive rows for each rank, in whole units of `unit` rows, of which no rank has two more
/// than another; the last unit may be cut off. Throws std::invalid_argument for fewer than one
/// rank, rows below 0 or a unit below 1.
inline BlockLayout block_layout(int ranks, std::int64_t length, std::int64_t unit = 1) {
  auto const number = [](char const* what, std::int64_t is, char const* least) {
    return [=] {
      return std::string(what) + " is " + std::to_string(is) + ", must be at least " + least;
    };
  };
  constexpr char const* function = "carroll::distributed::block_layout";
  carroll::detail::require(ranks >= 1, function, number("the number of ranks", ranks, "1"));
  carroll::detail::require(length >= 0, function, number("the length", length, "0"));
  carroll::detail::require(unit >= 1, function, number("the unit", unit, "1"));
  std::int64_t const units = length / unit + (length % unit != 0);
  BlockLayout layout;
  for (std::int64_t rank = 1; rank <= ranks; ++rank) {
    std::int64_t const more = units % ranks;
    std::int64_t const before = units / ranks * rank + std::min(more, rank);
    layout.offsets.push_back(before >= units ? length : before * unit);
  }
  return layout;
}

}  // namespace carroll::distributed
