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
};

/// How often a camera's image can be halved, and still be worth it.
inline bool can_be_halved(Camera<double> const& camera, int least_rows) {
  bool const even = camera.model != CameraModel::equirectangular || camera.width % 2 == 0;
  return even && camera.width >= 2 * least_rows && camera.height >= 2 * least_rows;
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
    levels.push_back({camera, stride});
  }
  int const count = static_cast<int>(levels.size());
  // Coarse levels have farther to go, and cost less: l + 3 of level l, two at least, or three where
  // there are as many: the start, what the level before has found, and a step.
  int const least = options.iterations >= 3 * count ? 3 : 2;
  int left = options.iterations;
  for (int l = 0; l < count; ++l) {
    int const share = 2 * options.iterations * (l + 3) / (count * (count + 5));
    levels[l].passes = std::max(least, share);
    left -= levels[l].passes;
  }
  auto const before = [&](int l) { return l == 0 ? count - 1 : l - 1; };
  for (int l = count - 1; left != 0; l = before(l)) {
    int const change = left < 0 ? (levels[l].passes == least ? 0 : -1) : 1;
    levels[l].passes += change;
    left -= change;
  }
  return levels;
}

}  // namespace carroll::detail
