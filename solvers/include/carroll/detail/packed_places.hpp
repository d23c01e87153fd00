// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace carroll::detail {

/// Where the members of a ragged batch lie in N packed Views of the caller.
template <std::size_t N>
class PackedPlaces {
 public:
  explicit PackedPlaces(char const* function) : function_(function) {}

  /// The next member, whose part of the k-th View is of sizes[k] entries from offsets[k] on, both
  /// usable.
  void add(std::array<std::int64_t, N> const& offsets, std::array<std::int64_t, N> const& sizes) {
    for (std::size_t k = 0; k < N; ++k) {
      if (sizes[k] == 0) continue;
      sizes_[k] = std::max(sizes_[k], offsets[k] + sizes[k]);
      places_[k].push_back({offsets[k], sizes[k], members_});
    }
    ++members_;
  }
  [[nodiscard]] std::string next() const { return "members[" + std::to_string(members_) + "]"; }

  /// From this on an end does not overflow: each matrix holds less than 2^62 entries.
  static bool usable(std::int64_t offset) {
    return offset >= 0 && offset <= std::numeric_limits<std::int64_t>::max() / 2;
  }

  /// Throws unless every member has a part of the k-th View of its own.
  void require_disjoint(std::size_t k, char const* name) {
    auto& places = places_[k];
    std::ranges::sort(places, {}, &Place::offset);
    for (std::size_t i = 1; i < places.size(); ++i)
      require(places[i - 1].offset + places[i - 1].size <= places[i].offset, function_, [&] {
        return std::string(name) + " of members[" + std::to_string(places[i - 1].member) +
               "] and of members[" + std::to_string(places[i].member) + "] overlap";
      });
  }

  /// What the Views must hold at least.
  [[nodiscard]] std::array<std::int64_t, N> const& sizes() const { return sizes_; }

 private:
  /// Of one member.
  struct Place {
    std::int64_t offset, size;
    std::size_t member;
  };

  char const* function_;
  std::size_t members_ = 0;
  std::array<std::int64_t, N> sizes_{};
  std::array<std::vector<Place>, N> places_;
};

}  // namespace carroll::detail
