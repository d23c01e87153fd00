// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace carroll::tool {

/// How a lens bends what a pinhole or an ideal fisheye lens would show. With a = right/forward and
/// b = down/forward, r² = a² + b², θ = atan r:
///
///   radial_tangential   a ← a(1 + k₁r² + k₂r⁴ + k₃r⁶) + 2p₁ab + p₂(r² + 2a²), b alike (Brown 1966)
///   kannala_brandt      r ← θ(1 + k₁θ² + k₂θ⁴ + k₃θ⁶ + k₄θ⁸), in its direction (2006)
enum class Distortion { none, radial_tangential, kannala_brandt };

/// A camera, as files have it; carroll/camera.hpp tells what the numbers mean. Leaves Kokkos out.
struct CameraParameters {
  std::string model = "equirectangular";  ///< or "unified"
  int width = 0;                          ///< 0: a file that does not say; that of the picture
  int height = 0;
  double fx = 0, fy = 0, cx = 0, cy = 0, chi = 0;  ///< of "unified" only
  Distortion distortion = Distortion::none;        ///< of "unified" with chi = 0 only
  /// k₁, k₂, p₁, p₂, k₃ or k₁ to k₄.
  std::array<double, 5> coefficients = {};
  /// Where a body has the camera, of EuRoC's and Kalibr's files: the rows of [R | t], from the
  /// camera's axes (right, down, forward) to the body's.
  std::optional<std::array<double, 12>> on_body = std::nullopt;
};

/// Reads a camera from a JSON object such as {"model": "equirectangular", "width": 2048, "height":
/// 1024}, or with model "unified" and also fx, fy, cx, cy and chi, or with model
/// "radial_tangential" or "kannala_brandt" and also fx, fy, cx, cy, k1 and so on; or from another
/// calibration file, see read_calibration. FileError names what is missing, unknown or of the wrong
/// kind.
[[nodiscard]] CameraParameters read_camera(std::string const& path);

/// The object that read_camera reads.
[[nodiscard]] nlohmann::ordered_json camera_json(CameraParameters const& camera);

}  // namespace carroll::tool
