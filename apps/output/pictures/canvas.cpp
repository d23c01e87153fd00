// SPDX-License-Identifier: BSD-3-Clause
#include "output/pictures/canvas.hpp"

#include <algorithm>

namespace carroll::tool {

namespace {

struct Glyph {
  char character;
  std::uint64_t rows;  ///< nine of five bits, the uppermost in the highest bits, two below the line
};

// clang-format off
constexpr Glyph glyphs[] = {
    {'0', 0x0e8ceb98b800}, {'1', 0x046108423800}, {'2', 0x0e884c887c00}, {'3', 0x1e085c10f800},
    {'4', 0x0232a5f10800}, {'5', 0x1f878218b800}, {'6', 0x06443d18b800}, {'7', 0x1f0888842000},
    {'8', 0x0e8c5d18b800}, {'9', 0x0e8c5e113000}, {'%', 0x19c88889cc00}, {'a', 0x000382f8bc00},
    {'b', 0x1087a318f800}, {'c', 0x0003a308b800}, {'d', 0x010be318bc00}, {'e', 0x0003a3f83800},
    {'g', 0x0003e318bc2e}, {'h', 0x1085b318c400}, {'i', 0x040308423800}, {'k', 0x1084a98a4800},
    {'l', 0x0c2108423800}, {'o', 0x0003a318b800}, {'p', 0x0007a318fa10}, {'r', 0x0005b3084000},
    {'s', 0x0003e0e0f800}, {'t', 0x084710849800}, {'w', 0x0004635aa800},
    {'y', 0x00046318bc2e}, {'n', 0x0005b318c400}, {'B', 0x1e8c7d18f800}, {'.', 0x000000063000},
};
// clang-format on

constexpr int glyph_width = 5, glyph_height = 9, glyph_scale = 2;
static_assert(Canvas::advance == glyph_scale * (glyph_width + 1));

}  // namespace

Canvas::Canvas(int width, int height) {
  picture_.width = width;
  picture_.height = height;
  picture_.channels = 3;
  picture_.bytes.assign(static_cast<std::size_t>(3) * static_cast<std::size_t>(width) *
                            static_cast<std::size_t>(height),
                        255);
}

void Canvas::box(int x, int y, int width, int height, Colour const& colour) {
  for (int row = std::max(0, y); row < std::min(picture_.height, y + height); ++row) {
    for (int column = std::max(0, x); column < std::min(picture_.width, x + width); ++column) {
      auto const at = 3 * (static_cast<std::ptrdiff_t>(row) * picture_.width + column);
      std::ranges::copy(colour, picture_.bytes.begin() + at);
    }
  }
}

void Canvas::text(int x, int y, std::string_view words) {
  for (char const c : words) {
    auto const glyph = std::ranges::find(glyphs, c, &Glyph::character);
    for (int bit = 0; glyph != std::end(glyphs) && bit < glyph_width * glyph_height; ++bit) {
      if ((glyph->rows >> (glyph_width * glyph_height - 1 - bit) & 1U) == 0) continue;
      box(x + glyph_scale * (bit % glyph_width), y + glyph_scale * (bit / glyph_width), glyph_scale,
          glyph_scale, black);
    }
    x += advance;
  }
}

}  // namespace carroll::tool
