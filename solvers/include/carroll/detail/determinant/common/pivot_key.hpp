// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// |x| to some bits less than it has, and in their place its column: the largest key tells how
/// large and where at once. Numbers whose magnitudes differ in those bits alone count as equal, and
/// of them the key of the first column is the largest.
template <int Bits>
struct ColumnKey {
  static constexpr int below = (1 << Bits) - 1;

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static int of(T x, int column) {
    return (magnitude(x) & ~below) | (below - column);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int column(int key) { return ~key & below; }
};

}  // namespace carroll::detail
