// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace carroll::detail {

/// Size classes of a family, smallest first: a matrix takes the first one that it fits. `by_team`:
/// the warps of a team hold a matrix together, not one each.
template <bool by_team, class... Shapes>
struct ShapeList {
  static constexpr int count = sizeof...(Shapes);
  static constexpr int most_rows = std::max({Shapes::rows...});

  /// The largest.
  using Last = std::tuple_element_t<sizeof...(Shapes) - 1, std::tuple<Shapes...>>;

  template <class Shape>
  static constexpr int cols = Shape::cols*(by_team ? Shape::warps_per_team : 1);

  /// Place of that class for a rows×cols matrix, rows >= cols > 0; `count` if it fits none.
  static constexpr int class_of(std::int64_t rows, std::int64_t columns) {
    int k = 0;
    bool found = false;
    ((found = found || (rows <= Shapes::rows && columns <= cols<Shapes>), k += found ? 0 : 1), ...);
    return k;
  }
};

}  // namespace carroll::detail
