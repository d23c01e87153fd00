// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::detail {

/// The round-robin (circle) schedule: n columns, or n + 1 seats when n is odd, meet in
/// `sets` sets of `pairs` disjoint pairs; after all sets each pair has met once.
struct RoundRobin {
  int columns;
  KOKKOS_FUNCTION constexpr int seats() const { return columns + columns % 2; }
  KOKKOS_FUNCTION constexpr int sets() const { return columns > 1 ? seats() - 1 : 0; }
  KOKKOS_FUNCTION constexpr int pairs() const { return seats() / 2; }

  struct Pair {
    int p, q;  ///< p < q
  };

  /// Pair k of a set. The last seat stays, the others move round: seat s + k meets seat s - k.
  /// With an odd number of columns the last seat is empty: then q == columns, nobody to meet.
  KOKKOS_FUNCTION Pair pair(int set, int k) const {
    int const ring = seats() - 1;
    if (k == 0) return {set, ring};
    int const a = set + k < ring ? set + k : set + k - ring;
    int const b = set < k ? set + ring - k : set - k;
    return a < b ? Pair{a, b} : Pair{b, a};
  }

  /// Which pair of a set a column is in.
  KOKKOS_FUNCTION int slot_of(int set, int column) const {
    int const ring = seats() - 1;
    if (column == ring) return 0;
    int const k = column < set ? column - set + ring : column - set;
    return k > ring / 2 ? ring - k : k;
  }
};

}  // namespace carroll::detail
