// SPDX-License-Identifier: BSD-3-Clause
#include "occupancy/picture.hpp"

#include <string>
#include <string_view>

#include "output/pictures/canvas.hpp"

namespace carroll::tool {

namespace {

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
    canvas.text(Chart::left - 6 - Canvas::advance * static_cast<int>(label.size()), y - 7, label);
  }
  int x = Chart::left + Chart::gap;
  for (auto const& point : report.curve) {
    int const length = static_cast<int>(Chart::height * point.fraction() + 0.5);
    canvas.box(x, Chart::base - length, Chart::bar, length, colour_of(point.limiter));
    int const threads = point.kernel.threads;
    if (threads % 128 == 0) {
      std::string const label = std::to_string(threads);
      canvas.box(x + Chart::bar / 2, Chart::base, 1, 6, black);
      canvas.text(x + Chart::bar / 2 - Canvas::advance * static_cast<int>(label.size()) / 2 + 1,
                  Chart::base + 14, label);
    }
    if (threads == report.found.kernel.threads)
      canvas.box(x, Chart::base + 7, Chart::bar, 4, black);
    x += Chart::bar + Chart::gap;
  }
  canvas.text(Chart::left + width / 2 - 3 * Canvas::advance, Chart::base + 36, "threads");
  x = Chart::left;
  for (auto const limiter : {OccupancyLimiter::warps, OccupancyLimiter::blocks,
                             OccupancyLimiter::registers, OccupancyLimiter::scratch}) {
    std::string_view const name = to_string(limiter);
    canvas.box(x, 10, 14, 14, colour_of(limiter));
    canvas.text(x + 20, 10, name);
    x += 44 + Canvas::advance * static_cast<int>(name.size());
  }
  return canvas.picture();
}

}  // namespace carroll::tool
