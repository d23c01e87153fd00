// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace carroll::tool {

/// A camera, as files have it; carroll/camera.hpp tells what the numbers mean. Leaves Kokkos out.
struct CameraParameters {
  std::string model = "equirectangular";  ///< or "unified"
  int width = 0;
  int height = 0;
  double fx = 0, fy = 0, cx = 0, cy = 0, chi = 0;  ///< of "unified" only
};

/// Reads a camera from a JSON object such as {"model": "equirectangular", "width": 2048, "height":
/// 1024}, or with model "unified" and also fx, fy, cx, cy and chi. FileError names what is missing,
/// unknown or of the wrong kind.
[[nodiscard]] CameraParameters read_camera(std::string const& path);

/// The object that read_camera reads.
[[nodiscard]] nlohmann::ordered_json camera_json(CameraParameters const& camera);

}  // namespace carroll::tool
