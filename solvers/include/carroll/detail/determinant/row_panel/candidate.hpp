// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/pivot_key.hpp>
#include <carroll/detail/device/math.hpp>
#include <cstdint>

/// Columns that may become a pivot's, and how they are compared.
namespace carroll::detail {

/// Four numbers that are read and written together.
template <class T>
struct alignas(4 * sizeof(T) <= 16 ? 4 * sizeof(T) : 16) RowPanelQuad {
  T x[4];
};

/// A column that may become the pivot's: the best of a warp, or of a team.
template <class T, int R>
struct RowPanelCandidate {
  T pivot;
  T reciprocal;  ///< of the pivot, unless that is too small
  int index;     ///< of the column among those of the matrix
  RowPanelQuad<T> column[R / 4];
};

/// What the warps of a team tell one another at each step, in scratch, twice: while one step is
/// read, the next is written.
template <class T, int R, int W>
struct RowPanelScratch {
  static constexpr int most_warps = W;
  alignas(16) int keys[2][most_warps];
  alignas(16) RowPanelCandidate<T, R> candidates[2][most_warps];
  T pivots[R];
  int columns[R];  ///< that the pivots stood in
};

/// 1/x for numbers that are far from the ends of the range.
KOKKOS_INLINE_FUNCTION double row_panel_reciprocal(double x) {
  return refined_reciprocal(x, rough_reciprocal(x));
}
KOKKOS_INLINE_FUNCTION float row_panel_reciprocal(float x) {
  float const y = rough_reciprocal(x);
  return Kokkos::fma(y, Kokkos::fma(-x, y, 1.0F), y);
}

/// Keys of row panels: numbers that are equal to 2^-15 (double precision: 2^-12) count as equal, as
/// do 0 and the smallest 2^-15 (2^-12) of subnormal numbers. Columns are in the order of c, warp
/// and lane, so that the choice does not depend on the number of threads.
struct PivotKey : ColumnKey<8> {
  static constexpr int owners = 32, most_columns = (below + 1) / owners;

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static int of(T x, int c, int lane) {
    return ColumnKey<8>::of(x, owners * c + lane);
  }
  /// The last of the numbers that count as equal to x.
  KOKKOS_FORCEINLINE_FUNCTION static float last_equal(float x) {
    return Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(x) | below);
  }
  KOKKOS_FORCEINLINE_FUNCTION static double last_equal(double x) {
    constexpr std::uint64_t last = (std::uint64_t{below + 1} << 32) - 1;
    return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) | last);
  }
  /// The same with a warp in the place of the lane.
  KOKKOS_FORCEINLINE_FUNCTION static int of_warp(int key, int warp) {
    return (key | (owners - 1)) - warp;
  }
  KOKKOS_FORCEINLINE_FUNCTION static int owner(int key) { return column(key) % owners; }
};

}  // namespace carroll::detail
