// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/denoise/types.hpp>
#include <carroll/detail/denoise/planes.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/error.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll::detail {

inline void require_between(char const* function, char const* name, double value, double low,
                            double high) {
  require(value >= low && value <= high, function, [&] {
    auto const text = [](double x) {
      std::string digits = std::to_string(x);
      return x == std::floor(x) ? digits.substr(0, digits.find('.')) : digits;
    };
    return std::string(name) + " is " + text(value) + ", must be from " + text(low) + " to " +
           text(high);
  });
}

inline void require_noise(char const* function, double noise) {
  require(std::isfinite(noise) && noise >= 0, function, [&] {
    return "options.noise is " + std::to_string(noise) + ", must be finite and not negative";
  });
}

inline void require_usable(char const* function, DenoiseOptions const& options) {
  constexpr int many = 1 << 20;
  require_noise(function, options.noise);
  require_between(function, "options.patch", options.patch, 1, StackProblem::most_patch);
  require_between(function, "options.step", options.step, 1, many);
  require_between(function, "options.window", options.window, 1, 128);
  require_between(function, "options.members", options.members, 1, StackProblem::most_members);
  require_between(function, "options.fewer", options.fewer, 0, StackProblem::most_members);
  require_between(function, "options.iterations", options.iterations, 0, many);
  require_between(function, "options.searched_every", options.searched_every, 1, many);
  require_between(function, "options.weight", options.weight, 0, many);
  require_between(function, "options.feedback", options.feedback, 0, 1);
  require_between(function, "options.residual", options.residual, 0, 10);
}

inline void require_usable(char const* function, FrameDenoiseOptions const& options) {
  require_noise(function, options.noise);
  require_between(function, "options.patch", options.patch, 1, StackProblem::most_patch);
  require_between(function, "options.step", options.step, 1, 1 << 20);
}

inline void require_planes(char const* function, int planes) {
  require_between(function, "the number of planes", planes, 0, most_planes);
}

/// Places and stacks are counted in 32 bits.
inline void require_places(char const* function, std::int64_t numbers, std::int64_t stacks) {
  require(std::max(numbers, stacks) <= std::numeric_limits<std::int32_t>::max(), function, [&] {
    return "the picture needs " + std::to_string(std::max(numbers, stacks)) +
           " places, there may be 2147483647";
  });
}

/// Patches no larger than the plane; none where it is empty.
inline StackProblem patches_of_plane(int height, int width, int patch, int step, int window) {
  StackProblem problem;
  problem.patch = std::max(std::min({patch, height, width}), 1);
  problem.window = window;
  problem.layout = PictureLayout::of(height, width, problem.patch, window);
  bool const empty = height == 0 || width == 0;
  problem.down = {empty ? 0 : height - problem.patch + 1, step};
  problem.across = {empty ? 0 : width - problem.patch + 1, step};
  return problem;
}

}  // namespace carroll::detail
