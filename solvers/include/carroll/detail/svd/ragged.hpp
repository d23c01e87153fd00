// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <carroll/error.hpp>
#include <carroll/svd/types.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace carroll::detail {

/// Where the members of a ragged batch lie in the caller's packed Views, checked.
class PackedOutputs {
 public:
  PackedOutputs(char const* function, SvdVectors u, SvdVectors v)
      : function_(function), u_(u), v_(v) {}

  /// The next member; throws std::invalid_argument if its extents or offsets are unusable.
  void add(SvdMember const& at) {
    require_usable(at);
    std::int64_t const least = std::min(at.rows, at.cols);
    grow(0, at.a, at.rows * at.cols);
    grow(1, at.u, at.rows * vector_columns(u_, at.rows, least));
    grow(2, at.s, least);
    grow(3, at.v, at.cols * vector_columns(v_, at.cols, least));
    ++members_;
  }

  /// Throws unless every member has outputs of its own.
  void require_disjoint() {
    require_disjoint("U", places_[1]);
    require_disjoint("S", places_[2]);
    require_disjoint("V", places_[3]);
  }

  /// What the packed Views of A, U, S and V must hold at least.
  [[nodiscard]] std::array<std::int64_t, 4> const& sizes() const { return sizes_; }

 private:
  /// Of one member.
  struct Place {
    std::int64_t offset, size;
    std::size_t member;
  };

  void grow(std::size_t k, std::int64_t offset, std::int64_t size) {
    if (size == 0) return;
    sizes_[k] = std::max(sizes_[k], offset + size);
    places_[k].push_back({offset, size, members_});
  }

  void require_usable(SvdMember const& at) const {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    auto const name = [&] { return "members[" + std::to_string(members_) + "]"; };
    require(at.rows >= 0 && at.rows <= most && at.cols >= 0 && at.cols <= most, function_, [&] {
      return name() + " has " + std::to_string(at.rows) + " rows and " + std::to_string(at.cols) +
             " columns, each must be from 0 to " + std::to_string(most);
    });
    // An end that does not overflow: each matrix holds less than 2^62 entries.
    auto const usable = [](std::int64_t offset) {
      return offset >= 0 && offset <= std::numeric_limits<std::int64_t>::max() / 2;
    };
    require(usable(at.a) && usable(at.u) && usable(at.s) && usable(at.v), function_, [&] {
      return name() + " has an unusable offset (a " + std::to_string(at.a) + ", u " +
             std::to_string(at.u) + ", s " + std::to_string(at.s) + ", v " + std::to_string(at.v) +
             ")";
    });
  }

  void require_disjoint(char const* name, std::vector<Place>& places) const {
    std::ranges::sort(places, {}, &Place::offset);
    for (std::size_t k = 1; k < places.size(); ++k)
      require(places[k - 1].offset + places[k - 1].size <= places[k].offset, function_, [&] {
        return std::string(name) + " of members[" + std::to_string(places[k - 1].member) +
               "] and of members[" + std::to_string(places[k].member) + "] overlap";
      });
  }

  char const* function_;
  SvdVectors u_, v_;
  std::size_t members_ = 0;
  std::array<std::int64_t, 4> sizes_{};
  std::array<std::vector<Place>, 4> places_;  ///< of A, U, S and V
};

}  // namespace carroll::detail
