// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/detail/packed_places.hpp>
#include <carroll/eigh/types.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll::detail {

/// Where the members of a ragged batch lie in the caller's packed Views, checked.
class EighPlaces {
 public:
  EighPlaces(char const* function, bool vectors)
      : function_(function), vectors_(vectors), places_(function) {}

  /// The next member; throws std::invalid_argument if its order or offsets are unusable.
  void add(EighMember const& at) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    require(at.n >= 0 && at.n <= most, function_, [&] {
      return places_.next() + " has the order " + std::to_string(at.n) + ", must be from 0 to " +
             std::to_string(most);
    });
    auto const usable = PackedPlaces<3>::usable;
    require(usable(at.a) && usable(at.w) && usable(at.v), function_, [&] {
      return places_.next() + " has an unusable offset (a " + std::to_string(at.a) + ", w " +
             std::to_string(at.w) + ", v " + std::to_string(at.v) + ")";
    });
    places_.add({at.a, at.w, at.v}, {at.n * at.n, at.n, vectors_ ? at.n * at.n : 0});
  }

  /// Throws unless every member has outputs of its own.
  void require_disjoint() {
    places_.require_disjoint(1, "W");
    places_.require_disjoint(2, "V");
  }

  /// What the packed Views of A, W and V must hold at least.
  [[nodiscard]] std::array<std::int64_t, 3> const& sizes() const { return places_.sizes(); }

 private:
  char const* function_;
  bool vectors_;
  PackedPlaces<3> places_;
};

}  // namespace carroll::detail
