// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "files/picture.hpp"

namespace carroll::tool {

using Colour = std::array<std::uint8_t, 3>;
inline constexpr Colour black{0, 0, 0}, light_grey{216, 216, 216};

/// A picture to draw on, white at first.
class Canvas {
 public:
  Canvas(int width, int height);

  /// Fills columns from x and rows from y, as far as they are in the picture.
  void box(int x, int y, int width, int height, Colour const& colour);

  /// Writes words with their upper left corner at x and y; what has no glyph is a blank.
  void text(int x, int y, std::string_view words);

  [[nodiscard]] BytePicture const& picture() const { return picture_; }

  static constexpr int advance = 12;  ///< pixels from one character to the next

 private:
  BytePicture picture_;
};

}  // namespace carroll::tool
