// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/camera.hpp>

#include "files/camera_file.hpp"

namespace carroll::tool {

/// The camera of a file as kernels take it.
[[nodiscard]] inline Camera<double> device_camera(CameraParameters const& camera) {
  if (camera.model == "equirectangular") {
    return Camera<double>::equirectangular(camera.width, camera.height);
  }
  return Camera<double>::unified(camera.width, camera.height, camera.fx, camera.fy, camera.cx,
                                 camera.cy, camera.chi);
}

}  // namespace carroll::tool
