// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/camera.hpp>
#include <carroll/lens.hpp>
#include <optional>
#include <tuple>

#include "files/camera/camera_file.hpp"

namespace carroll::tool {

/// The camera of a file as kernels take it; of a lens with distortion the one without.
[[nodiscard]] inline Camera<double> device_camera(CameraParameters const& camera) {
  if (camera.model == "equirectangular") {
    return Camera<double>::equirectangular(camera.width, camera.height);
  }
  return Camera<double>::unified(camera.width, camera.height, camera.fx, camera.fy, camera.cx,
                                 camera.cy, camera.chi);
}

/// The lens of a file, if it has a distortion.
[[nodiscard]] inline std::optional<Lens<double>> device_lens(CameraParameters const& camera) {
  auto const& [width, height, fx, fy, cx, cy] =
      std::tie(camera.width, camera.height, camera.fx, camera.fy, camera.cx, camera.cy);
  auto const& k = camera.coefficients;
  if (camera.distortion == Distortion::radial_tangential)
    return Lens<double>::radial_tangential(width, height, fx, fy, cx, cy,
                                           {k[0], k[1], k[2], k[3], k[4]});
  if (camera.distortion == Distortion::kannala_brandt)
    return Lens<double>::kannala_brandt(width, height, fx, fy, cx, cy, {k[0], k[1], k[2], k[3]});
  return std::nullopt;
}

}  // namespace carroll::tool
