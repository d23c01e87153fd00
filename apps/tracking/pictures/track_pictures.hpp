// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/camera.hpp>
#include <carroll/dense_depths/workspace.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <vector>

#include "files/picture.hpp"
#include "tracking/pictures/lens_pictures.hpp"

namespace carroll::tool {

/// A motion, and the depths that go with it.
struct TrackState {
  std::array<std::array<double, 3>, 3> rotation;  ///< the current camera's axes in columns
  std::array<double, 3> translation;
  std::vector<double> inverse_depth;  ///< of the vertices
};

/// Pictures of what a tracker has found, drawn for every pixel, not for the samples alone.
class TrackPictures {
 public:
  TrackPictures(SphericalMesh<double> const& mesh, Camera<double> const& camera,
                Pixels const& reference, Pixels const& current);

  /// The range of every pixel as a hue, from red for the nearest twentieth of the vertices to blue
  /// for the furthest, in the brightness of the reference picture. What no triangle covers is grey.
  [[nodiscard]] BytePicture depth(std::vector<double> const& inverse_depth) const;

  /// Current minus reference grey level, where the pixel is seen now: white for 0, red above, blue
  /// below, full from 40 on; grey where it is not seen. `before` above `after`.
  [[nodiscard]] BytePicture residuals(TrackState const& before, TrackState const& after) const;

 private:
  /// ζ of every pixel; NaN outside the mesh.
  [[nodiscard]] Pixels inverse_range(std::vector<double> const& inverse_depth) const;
  [[nodiscard]] std::vector<float> residual(TrackState const& state) const;

  Camera<double> camera_;
  Pixels reference_, current_;
  DenseDepthsWorkspace<Kokkos::DefaultExecutionSpace> dense_;
};

}  // namespace carroll::tool
