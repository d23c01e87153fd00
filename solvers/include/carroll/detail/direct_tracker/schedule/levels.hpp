// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/camera.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <carroll/error.hpp>
#include <string>
#include <vector>

/// The levels of a tracker's pyramid, 0 the finest.
namespace carroll::detail {

struct TrackerLevel {
  Camera<double> camera;
  int stride = 1;  ///< from one sample of a triangle to the next that the level has
  int passes = 0;
  bool holds_depths = false;
};

/// Pixels for each vertex that a level has to have at least to better depths that are known. On a
/// road at the start of a real drive true depths and motion stay within 0.5° of direction and 80 %
/// of matching triangles with 29 of them; with 7 they go to 2° and 71 %, with 2 to 8° and 58 %.
inline constexpr double least_pixels_a_vertex = 16;

/// How often a camera's image can be halved, and still be worth it.
inline bool can_be_halved(Camera<double> const& camera, int least_rows) {
  bool const even = camera.model != CameraModel::equirectangular || camera.width % 2 == 0;
  return even && camera.width >= 2 * least_rows && camera.height >= 2 * least_rows;
}

/// Coarse levels have farther to go, and cost less: l + 3 of level l, two at least, or three where
/// there are as many: the start, what the level before has found, and a step. Levels that hold the
/// depths have done with what is left of the motion after a few.
inline void deal_out(std::vector<TrackerLevel>& levels, int iterations) {
  constexpr int most_of_motion = 6;
  int const count = static_cast<int>(levels.size());
  int const least = iterations >= 3 * count ? 3 : 2;
  int left = iterations, free = count;
  while (free > 1 && levels[free - 1].holds_depths) {
    int const passes = std::clamp(left / free, least, most_of_motion);
    levels[--free].passes = passes;
    left -= passes;
  }
  int const all = left;
  for (int l = 0; l < free; ++l) {
    int const share = 2 * all * (l + 3) / (free * (free + 5));
    levels[l].passes = std::max(least, share);
    left -= levels[l].passes;
  }
  for (int l = free - 1; left != 0; l = l == 0 ? free - 1 : l - 1) {
    int const change = left < 0 ? (levels[l].passes == least ? 0 : -1) : 1;
    levels[l].passes += change;
    left -= change;
  }
}

/// Coarse levels have every second, fourth … sample of each triangle, as long as about eight for a
/// vertex are left.
inline std::vector<TrackerLevel> tracker_levels(char const* function, Camera<double> const& finest,
                                                DirectTrackerOptions const& options,
                                                TrackerMesh const& mesh) {
  std::vector<TrackerLevel> levels;
  int const wanted = options.levels;
  Camera<double> camera = finest;
  int const most = wanted > 0 ? wanted : std::min(7, options.iterations / 2);
  int stride = 1;
  for (int l = 0; l < most; ++l) {
    if (l > 0) {
      if (!can_be_halved(camera, wanted > 0 ? 2 : 16)) {
        require(wanted == 0, function, [&] {
          return "options.levels is " + std::to_string(wanted) + ", but the image of " +
                 extents_text({finest.width, finest.height}) + " can be halved only " +
                 std::to_string(l - 1) + " times";
        });
        break;
      }
      camera = camera.halved();
      if (mesh.samples / (2 * stride) >= 8 * mesh.vertices) stride *= 2;
    }
    double const pixels = static_cast<double>(camera.width) * camera.height;
    bool const holds = options.known_depths && l > 0 &&
                       pixels < least_pixels_a_vertex * static_cast<double>(mesh.vertices);
    levels.push_back({camera, stride, 0, holds});
  }
  deal_out(levels, options.iterations);
  return levels;
}

}  // namespace carroll::detail
