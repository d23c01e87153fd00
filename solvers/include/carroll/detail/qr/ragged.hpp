// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/detail/packed_places.hpp>
#include <carroll/error.hpp>
#include <carroll/qr/types.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll::detail {

/// Where the members of a ragged batch lie in the caller's packed Views, checked.
class QrPlaces {
 public:
  QrPlaces(char const* function, QrMode mode, bool pivoted)
      : function_(function), mode_(mode), pivoted_(pivoted), places_(function) {}

  /// The next member; throws std::invalid_argument if its extents or offsets are unusable.
  void add(QrMember const& at) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    auto const is_size = [&](std::int64_t x) { return x >= 0 && x <= most; };
    require(is_size(at.rows) && is_size(at.cols), function_, [&] {
      return places_.next() + " is " + std::to_string(at.rows) + "×" + std::to_string(at.cols) +
             ", extents must be from 0 to " + std::to_string(most);
    });
    auto const usable = PackedPlaces<4>::usable;
    require(usable(at.a) && usable(at.q) && usable(at.r) && usable(at.p), function_, [&] {
      return places_.next() + " has an unusable offset (a " + std::to_string(at.a) + ", q " +
             std::to_string(at.q) + ", r " + std::to_string(at.r) + ", p " + std::to_string(at.p) +
             ")";
    });
    QrExtents const shape{1, at.rows, at.cols, mode_};
    places_.add({at.a, at.q, at.r, at.p}, {at.rows * at.cols, at.rows * shape.q_cols(),
                                           shape.r_rows() * at.cols, pivoted_ ? at.cols : 0});
  }

  /// Throws unless every member has outputs of its own.
  void require_disjoint() {
    places_.require_disjoint(1, "Q");
    places_.require_disjoint(2, "R");
    places_.require_disjoint(3, "P");
  }

  /// What the packed Views of A, Q, R and P must hold at least.
  [[nodiscard]] std::array<std::int64_t, 4> const& sizes() const { return places_.sizes(); }

 private:
  char const* function_;
  QrMode mode_;
  bool pivoted_;
  PackedPlaces<4> places_;
};

}  // namespace carroll::detail
