// SPDX-License-Identifier: BSD-3-Clause
#include "occupancy/picture.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace carroll::tool {

namespace {

using Colour = std::array<std::uint8_t, 3>;

constexpr Colour black{0, 0, 0}, light_grey{216, 216, 216};

/// Of Okabe and Ito, which people with any colour vision can tell apart.
constexpr Colour colour_of(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::warps: return {0x00, 0x72, 0xB2};
    case OccupancyLimiter::blocks: return {0xE6, 0x9F, 0x00};
    case OccupancyLimiter::registers: return {0xD5, 0x5E, 0x00};
    case OccupancyLimiter::scratch: return {0x00, 0x9E, 0x73};
    case OccupancyLimiter::does_not_fit: break;
  }
  return black;
}

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
};
// clang-format on

constexpr int glyph_width = 5, glyph_height = 9, glyph_scale = 2;
constexpr int advance = glyph_scale * (glyph_width + 1);

class Canvas {
 public:
  Canvas(int width, int height) {
    picture_.width = width;
    picture_.height = height;
    picture_.channels = 3;
    picture_.bytes.assign(static_cast<std::size_t>(3 * width * height), 255);
  }

  /// Fills columns from x and rows from y, as far as they are in the picture.
  void box(int x, int y, int width, int height, Colour const& colour) {
    for (int row = std::max(0, y); row < std::min(picture_.height, y + height); ++row) {
      for (int column = std::max(0, x); column < std::min(picture_.width, x + width); ++column) {
        auto const at = static_cast<std::ptrdiff_t>(3 * (row * picture_.width + column));
        std::ranges::copy(colour, picture_.bytes.begin() + at);
      }
    }
  }

  /// Writes words with their upper left corner at x and y; what has no glyph is a blank.
  void text(int x, int y, std::string_view words) {
    for (char const c : words) {
      auto const glyph = std::ranges::find(glyphs, c, &Glyph::character);
      for (int bit = 0; glyph != std::end(glyphs) && bit < glyph_width * glyph_height; ++bit) {
        if ((glyph->rows >> (glyph_width * glyph_height - 1 - bit) & 1U) == 0) continue;
        box(x + glyph_scale * (bit % glyph_width), y + glyph_scale * (bit / glyph_width),
            glyph_scale, glyph_scale, black);
      }
      x += advance;
    }
  }

  BytePicture const& picture() const { return picture_; }

 private:
  BytePicture picture_;
};

/// Where things are, in pixels.
struct Chart {
  static constexpr int bar = 16, gap = 3, height = 240;
  static constexpr int left = 64, top = 40, bottom = 56, right = 16;
  static constexpr int base = top + height;
};

}  // namespace

BytePicture picture_of(OccupancyReport const& report) {
  int const width = static_cast<int>(report.curve.size()) * (Chart::bar + Chart::gap) + Chart::gap;
  Canvas canvas(Chart::left + width + Chart::right, Chart::top + Chart::height + Chart::bottom);
  for (int const percent : {0, 25, 50, 75, 100}) {
    int const y = Chart::base - Chart::height * percent / 100;
    canvas.box(Chart::left, y, width, 1, percent == 0 ? black : light_grey);
    std::string const label = std::to_string(percent) + "%";
    canvas.text(Chart::left - 6 - advance * static_cast<int>(label.size()), y - 7, label);
  }
  int x = Chart::left + Chart::gap;
  for (auto const& point : report.curve) {
    int const length = static_cast<int>(Chart::height * point.fraction() + 0.5);
    canvas.box(x, Chart::base - length, Chart::bar, length, colour_of(point.limiter));
    int const threads = point.kernel.threads;
    if (threads % 128 == 0) {
      std::string const label = std::to_string(threads);
      canvas.box(x + Chart::bar / 2, Chart::base, 1, 6, black);
      canvas.text(x + Chart::bar / 2 - advance * static_cast<int>(label.size()) / 2 + 1,
                  Chart::base + 14, label);
    }
    if (threads == report.found.kernel.threads)
      canvas.box(x, Chart::base + 7, Chart::bar, 4, black);
    x += Chart::bar + Chart::gap;
  }
  canvas.text(Chart::left + width / 2 - 3 * advance, Chart::base + 36, "threads");
  x = Chart::left;
  for (auto const limiter : {OccupancyLimiter::warps, OccupancyLimiter::blocks,
                             OccupancyLimiter::registers, OccupancyLimiter::scratch}) {
    std::string_view const name = to_string(limiter);
    canvas.box(x, 10, 14, 14, colour_of(limiter));
    canvas.text(x + 20, 10, name);
    x += 44 + advance * static_cast<int>(name.size());
  }
  return canvas.picture();
}

}  // namespace carroll::tool
