// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "files/camera/camera_file.hpp"
#include "files/picture.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// What `carroll synth-sequence` renders. This header leaves Kokkos out.
struct SequenceWishes {
  std::string scene = "box";  ///< or "street"
  int frames = 2;
  CameraParameters camera;
  double noise = 0;  ///< grey levels
  std::uint64_t seed = 1;
  double rho = 0;       ///< of every step
  double baseline = 0;  ///< metres, of every step
};

struct SequenceFrame {
  int index = 0;
  BytePicture image;
  std::vector<float> range;                         ///< metres, row after row
  std::array<std::array<double, 3>, 3> rotation{};  ///< the camera's axes in columns
  std::array<double, 3> position{};
};

/// Renders frame after frame and hands each to `take`. Returns the name of the backend. Needs a
/// Runtime.
std::string synthesize(SequenceWishes const& wishes,
                       std::function<void(SequenceFrame const&)> const& take, Progress& progress);

}  // namespace carroll::tool
