// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// Integers in double precision. Every value that the kernels of patches make is an integer, or one
/// times a power of two, below 2^51: sums and products are exact whatever their order and whether
/// they are fused, which makes the bits those of every host and device.
namespace carroll::detail {

/// The nearest integer, ties to even, of |x| < 2^51: 1.5·2^52 leaves no room for a fraction.
KOKKOS_INLINE_FUNCTION double nearest(double x) {
  constexpr double shift = 6755399441055744.0;
  return (x + shift) - shift;
}

/// The orthonormal cosine transform of eight samples times 2^20, rounded: entry (k, i) of it, and of
/// its transpose, which kernels read along the index that they add vectors of. A member of the
/// kernels, so that a device has it where it has their arguments.
struct CosineTable {
  double rows[64];     ///< 8k + i
  double columns[64];  ///< 8i + k

  CosineTable() {
    // 2^20·cos(jπ/16)/2, of which 2^20/√8 is the fourth.
    constexpr double cosines[9] = {524288, 514214, 484379, 435930, 370728,
                                   291279, 200636, 102284, 0};
    for (int k = 0; k < 8; ++k)
      for (int i = 0; i < 8; ++i) {
        int const angle = k == 0 ? 4 : (2 * i + 1) * k % 32;
        int const folded = angle > 16 ? 32 - angle : angle;
        double const entry = folded <= 8 ? cosines[folded] : -cosines[16 - folded];
        rows[8 * k + i] = columns[8 * i + k] = entry;
      }
  }
};

/// Where component r of the cosine transform stands in its 8×8 table: diagonals, lowest first.
KOKKOS_INLINE_FUNCTION int component_place(int r) {
  constexpr signed char places[64] = {
      0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
      41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
      30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
  return places[r];
}

}  // namespace carroll::detail
