// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll::detail {

/// Luma of a pixel (ITU-R BT.601) in 65536ths of a level, and its differences of blue and red, whole
/// range, 32768 where there is no colour: 16-bit integers that the weights of JFIF are rounded to.
struct Luma {
  std::int64_t y, blue, red;
  KOKKOS_FUNCTION Luma(std::int64_t r, std::int64_t g, std::int64_t b)
      : y(19595 * r + 38470 * g + 7471 * b),
        blue(-11058 * r - 21710 * g + 32768 * b),
        red(32768 * r - 27439 * g - 5329 * b) {}
};

KOKKOS_INLINE_FUNCTION std::int32_t level_of(std::int64_t x) {
  return static_cast<std::int32_t>(x < 0 ? 0 : x > 65535 ? 65535 : x);
}

/// One 2×2 square of pixels per work item: four lumas, and the mean of its chromas. 12 integers in,
/// 6 out; 60 operations.
template <class Pixels, class Plane>
struct SplitColours {
  Pixels pixels;  ///< rows×columns×(3 or more), levels of 16 bits
  Plane luma, blue, red;

  KOKKOS_FUNCTION void operator()(std::int64_t square_row, std::int64_t square_column) const {
    auto const rows = static_cast<std::int64_t>(luma.extent(0));
    auto const columns = static_cast<std::int64_t>(luma.extent(1));
    auto const top = 2 * square_row, left = 2 * square_column;
    std::int64_t blues = 0, reds = 0;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        auto const row = top + i < rows ? top + i : rows - 1;
        auto const column = left + j < columns ? left + j : columns - 1;
        Luma const pixel(pixels(row, column, 0), pixels(row, column, 1), pixels(row, column, 2));
        luma(row, column) = level_of((pixel.y + 32768) >> 16);
        blues += pixel.blue;
        reds += pixel.red;
      }
    blue(square_row, square_column) = level_of(((blues + (1 << 17)) >> 18) + 32768);
    red(square_row, square_column) = level_of(((reds + (1 << 17)) >> 18) + 32768);
  }
};

/// One pixel per work item: its chromas are interpolated between the nearest four, nearer ones with
/// weight 3/4 in each direction. 9 integers in, 3 out; 50 operations.
template <class Plane, class Pixels>
struct JoinColours {
  Plane luma, blue, red;
  Pixels pixels;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t column) const {
    std::int64_t const y = luma(row, column);
    std::int64_t const b = between(blue, row, column) - 32768;
    std::int64_t const r = between(red, row, column) - 32768;
    using Level = typename Pixels::non_const_value_type;
    constexpr std::int64_t half = 32768;
    pixels(row, column, 0) = static_cast<Level>(level_of(y + ((91881 * r + half) >> 16)));
    pixels(row, column, 1) =
        static_cast<Level>(level_of(y - ((22553 * b + 46802 * r + half) >> 16)));
    pixels(row, column, 2) = static_cast<Level>(level_of(y + ((116130 * b + half) >> 16)));
  }

 private:
  KOKKOS_FUNCTION static std::int64_t between(Plane const& plane, std::int64_t row,
                                              std::int64_t column) {
    auto const last_row = static_cast<std::int64_t>(plane.extent(0)) - 1;
    auto const last_column = static_cast<std::int64_t>(plane.extent(1)) - 1;
    auto const near_row = row / 2, near_column = column / 2;
    auto far_row = near_row + (row % 2 == 0 ? -1 : 1);
    auto far_column = near_column + (column % 2 == 0 ? -1 : 1);
    if (far_row < 0 || far_row > last_row) far_row = near_row;
    if (far_column < 0 || far_column > last_column) far_column = near_column;
    std::int64_t const sum = 9 * std::int64_t{plane(near_row, near_column)} +
                             3 * std::int64_t{plane(near_row, far_column)} +
                             3 * std::int64_t{plane(far_row, near_column)} +
                             plane(far_row, far_column);
    return (sum + 8) >> 4;
  }
};

}  // namespace carroll::detail
