// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll::detail {

/// Rows that implicit QL steps take at most: one after the other, where merges have many at work.
inline constexpr int most_leaf_rows = 8;

/// How a tridiagonal matrix of order n is divided: 2^levels leaves, and merges of two neighbours
/// each at levels 1, 2, …, levels. Depends on n alone.
struct DivideTree {
  int n;
  int levels = 0;

  KOKKOS_FUNCTION explicit constexpr DivideTree(int order) : n(order) {
    while (largest_part(levels) > most_leaf_rows) ++levels;
  }

  /// Of 2^depth parts.
  KOKKOS_FUNCTION constexpr int begin_of(int depth, int part) const {
    return static_cast<int>((std::int64_t{n} * part) >> depth);
  }
  KOKKOS_FUNCTION constexpr int largest_part(int depth) const {
    return static_cast<int>(((std::int64_t{n} - 1) >> depth) + 1);
  }

  KOKKOS_FUNCTION constexpr int leaves() const { return 1 << levels; }
  KOKKOS_FUNCTION constexpr int merges_at(int level) const { return 1 << (levels - level); }

  /// Leaves and merges leave S in one of two squares in turn, the last one in the one that is
  /// wanted.
  KOKKOS_FUNCTION constexpr bool in_place_after(int level) const {
    return (levels - level) % 2 == 0;
  }
};

}  // namespace carroll::detail
