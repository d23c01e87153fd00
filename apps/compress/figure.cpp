// SPDX-License-Identifier: BSD-3-Clause
#include "compress/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <carroll/picture_rank.hpp>
#include <string>

#include "compress/patches.hpp"
#include "output/pictures/canvas.hpp"

namespace carroll::tool {

namespace {

constexpr int largest_panel = 384, margin = 12, label_height = 30, chart_height = 200;
constexpr int scale_width = 5 * Canvas::advance;

/// One pixel of every so many is the mean of as many rows and columns.
struct Panel {
  explicit Panel(SamplePicture const& picture)
      : shrink((std::max(picture.width, picture.height) + largest_panel - 1) / largest_panel),
        width(std::max(1, picture.width / shrink)),
        height(std::max(1, picture.height / shrink)) {}
  int shrink, width, height;
};

Colour mean_colour(SamplePicture const& picture, Panel const& panel, int x, int y) {
  Colour colour{};
  for (int c = 0; c < 3; ++c) {
    int const channel = picture.channels >= 3 ? c : 0;
    std::int64_t sum = 0, count = 0;
    for (int v = y * panel.shrink; v < std::min(picture.height, (y + 1) * panel.shrink); ++v)
      for (int u = x * panel.shrink; u < std::min(picture.width, (x + 1) * panel.shrink); ++u) {
        sum += picture.levels[static_cast<std::size_t>(
            (std::int64_t{v} * picture.width + u) * picture.channels + channel)];
        ++count;
      }
    colour[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>((sum / count + 128) / 257);
  }
  return colour;
}

void draw(Canvas& canvas, SamplePicture const& picture, Panel const& panel, int left, int top) {
  for (int y = 0; y < panel.height; ++y)
    for (int x = 0; x < panel.width; ++x)
      canvas.box(left + x, top + y, 1, 1, mean_colour(picture, panel, x, y));
}

/// Σ_{j<=k} σ_j² over all of them, for each k across the chart.
void draw_energy(Canvas& canvas, SingularMatrix const& matrix, int top, int width) {
  constexpr Colour blue{0x00, 0x72, 0xB2};
  int const base = top + chart_height, left = margin + scale_width;
  int const across = width - left - margin;
  for (int const percent : {0, 25, 50, 75, 100}) {
    int const y = base - chart_height * percent / 100;
    canvas.box(left, y, across, 1, percent == 0 ? black : light_grey);
    std::string const label = std::to_string(percent) + "%";
    canvas.text(left - 6 - Canvas::advance * static_cast<int>(label.size()), y - 7, label);
  }
  auto const count = static_cast<std::int64_t>(matrix.values.size());
  auto const samples = matrix.rows * matrix.columns;
  double const all = truncation_mse(matrix.values, 0, samples);
  auto const tails = detail::squared_tails(matrix.values);
  for (int x = 0; x < across; ++x) {
    auto const k = static_cast<std::size_t>(count * x / std::max(1, across - 1));
    double const energy = all > 0 ? 1 - tails[k] / static_cast<double>(samples) / all : 1;
    int const y = base - static_cast<int>(chart_height * energy + .5);
    canvas.box(left + x, y - 1, 1, 3, blue);
  }
  canvas.text(left, base + 10, "0");
  std::string const last = std::to_string(count);
  canvas.text(width - margin - Canvas::advance * static_cast<int>(last.size()), base + 10, last);
  canvas.text(left + across / 2 - 6 * Canvas::advance, base + 10, "energy by k");
}

}  // namespace

BytePicture figure_of(SamplePicture const& picture, SingularPicture const& singular,
                      std::vector<std::int64_t> const& ranks) {
  std::vector<std::vector<std::int64_t>> shown;
  for (std::int64_t const k : {1, 5, 20})
    if (k < *std::ranges::min_element(ranks)) shown.emplace_back(ranks.size(), k);
  shown.push_back(ranks);

  Panel const panel(picture);
  int const place = std::max(panel.width, 18 * Canvas::advance) + margin;
  int const width = margin + place * static_cast<int>(shown.size() + 1);
  int const chart = margin + label_height + panel.height + 2 * margin;
  Canvas canvas(width, chart + chart_height + label_height + margin);
  int left = margin;
  for (auto const& k : shown) {
    auto const seen = decode_singular(truncate(singular, k));
    canvas.text(left, margin, fmt::format("k {}  {:.2f} dB", k.front(), psnr_of(seen, picture)));
    draw(canvas, seen, panel, left, margin + label_height);
    left += place;
  }
  canvas.text(left, margin, "original");
  draw(canvas, picture, panel, left, margin + label_height);
  draw_energy(canvas, singular.matrices.front(), chart, width);
  return canvas.picture();
}

}  // namespace carroll::tool
