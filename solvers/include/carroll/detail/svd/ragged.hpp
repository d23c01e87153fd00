// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <carroll/detail/packed_places.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll::detail {

/// Where the members of a ragged batch lie in the caller's packed Views, checked.
class PackedOutputs {
 public:
  PackedOutputs(char const* function, SvdVectors u, SvdVectors v)
      : function_(function), u_(u), v_(v), places_(function) {}

  /// The next member; throws std::invalid_argument if its extents or offsets are unusable.
  void add(SvdMember const& at) {
    require_usable(at);
    std::int64_t const least = std::min(at.rows, at.cols);
    places_.add({at.a, at.u, at.s, at.v},
                {at.rows * at.cols, at.rows * vector_columns(u_, at.rows, least), least,
                 at.cols * vector_columns(v_, at.cols, least)});
  }

  /// Throws unless every member has outputs of its own.
  void require_disjoint() {
    places_.require_disjoint(1, "U");
    places_.require_disjoint(2, "S");
    places_.require_disjoint(3, "V");
  }

  /// What the packed Views of A, U, S and V must hold at least.
  [[nodiscard]] std::array<std::int64_t, 4> const& sizes() const { return places_.sizes(); }

 private:
  void require_usable(SvdMember const& at) const {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    require(at.rows >= 0 && at.rows <= most && at.cols >= 0 && at.cols <= most, function_, [&] {
      return places_.next() + " has " + std::to_string(at.rows) + " rows and " +
             std::to_string(at.cols) + " columns, each must be from 0 to " + std::to_string(most);
    });
    auto const usable = PackedPlaces<4>::usable;
    require(usable(at.a) && usable(at.u) && usable(at.s) && usable(at.v), function_, [&] {
      return places_.next() + " has an unusable offset (a " + std::to_string(at.a) + ", u " +
             std::to_string(at.u) + ", s " + std::to_string(at.s) + ", v " + std::to_string(at.v) +
             ")";
    });
  }

  char const* function_;
  SvdVectors u_, v_;
  PackedPlaces<4> places_;
};

}  // namespace carroll::detail
