// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/tracker/drawn_masks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace carroll::test {

namespace {

std::vector<float> drawn_mask(Random& random, int width, int height, std::string& name) {
  std::vector<float> mask(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  auto const fill = [&](auto const& counts) {
    constexpr float levels[] = {1, 255, 0.25F};
    for (int v = 0; v < height; ++v)
      for (int u = 0; u < width; ++u)
        mask[static_cast<std::size_t>(v * width + u)] =
            counts(u, v) ? levels[random.index(3)] : 0.0F;
  };
  int const u0 = random.index(width), v0 = random.index(height);
  switch (random.index(7)) {
    case 0: {
      double const share = random.chance(0.5) ? 0.02 : random.uniform();
      name += " scattered";
      fill([&](int, int) { return random.uniform() >= share; });
      break;
    }
    case 1: {
      int const u1 = u0 + random.index(width - u0) + 1, v1 = v0 + random.index(height - v0) + 1;
      bool const inside = random.chance(0.5);
      name += inside ? " inside a rectangle" : " outside a rectangle";
      fill([&](int u, int v) { return (u >= u0 && u < u1 && v >= v0 && v < v1) == inside; });
      break;
    }
    case 2: {
      int const border = 1 + random.index(std::min(width, height) / 2);
      name += " without a border";
      fill([&](int u, int v) { return std::min({u, v, width - 1 - u, height - 1 - v}) >= border; });
      break;
    }
    case 3:
      name += " rows";
      fill([&](int, int v) { return v % 2 == 0; });
      break;
    case 4:
      name += " nothing";
      fill([](int, int) { return false; });
      break;
    case 5:
      name += " one pixel";
      fill([&](int u, int v) { return u == u0 && v == v0; });
      break;
    default: name += " all"; fill([](int, int) { return true; });
  }
  return mask;
}

template <class F>
void for_each_masked(std::vector<float> const& mask, F const& f) {
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] == 0) f(i);
}

}  // namespace

void draw_masks(Random& random, DrawnTrack& problem) {
  Pair& pictures = problem.pictures;
  int const which = 1 + random.index(3);
  if ((which & 1) != 0) {
    problem.name += ", reference:";
    pictures.reference_mask = drawn_mask(random, pictures.width, pictures.height, problem.name);
  }
  if ((which & 2) != 0) {
    problem.name += ", current:";
    pictures.current_mask = drawn_mask(random, pictures.width, pictures.height, problem.name);
  }
  pictures = with_other_garbage(random, pictures);
}

Pair with_other_garbage(Random& random, Pair const& pictures) {
  constexpr float garbage[] = {std::numeric_limits<float>::quiet_NaN(),
                               -std::numeric_limits<float>::infinity(),
                               3e38F,
                               -1,
                               0,
                               77};
  Pair changed = pictures;
  for_each_masked(changed.reference_mask,
                  [&](std::size_t i) { changed.reference[i] = garbage[random.index(6)]; });
  for_each_masked(changed.current_mask,
                  [&](std::size_t i) { changed.current[i] = garbage[random.index(6)]; });
  return changed;
}

bool has_bad_pixel(Pair const& pictures) {
  auto const bad = [](std::vector<float> const& grey, std::vector<float> const& mask) {
    for (std::size_t i = 0; i < grey.size(); ++i)
      if (!std::isfinite(grey[i]) && (mask.empty() || mask[i] != 0)) return true;
    return false;
  };
  return bad(pictures.reference, pictures.reference_mask) ||
         bad(pictures.current, pictures.current_mask);
}

int pixels_that_count(Pair const& pictures) {
  if (pictures.current_mask.empty()) return static_cast<int>(pictures.current.size());
  return static_cast<int>(
      std::ranges::count_if(pictures.current_mask, [](float x) { return x != 0; }));
}

}  // namespace carroll::test
