// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "files/camera_file.hpp"
#include "files/host_matrix.hpp"
#include "files/picture.hpp"

namespace carroll::tool {

/// From the pictures of a lens with distortion to those of a camera without: a pinhole, or of
/// fisheye lenses the unified camera of χ = 1, which sees as far. It looks where the lens does,
/// with the lens' scale in the middle, and is the largest, up to the lens' own or half as large
/// again of fisheye lenses, whose pixels the lens all sees: so no mask is needed. Of a camera
/// without distortion pictures stay as they are.
class Rectifier {
 public:
  /// std::invalid_argument where hardly anything is left.
  explicit Rectifier(CameraParameters const& lens);

  [[nodiscard]] CameraParameters const& camera() const { return camera_; }

  /// Interpolated between four pixels.
  [[nodiscard]] GreyPicture operator()(GreyPicture const& picture) const;
  /// The nearest pixel's, of masks and distances.
  [[nodiscard]] GreyPicture nearest(GreyPicture const& picture) const;
  [[nodiscard]] HostMatrix<float> nearest(HostMatrix<float> const& ranges) const;

 private:
  [[nodiscard]] bool bends() const { return lens_.distortion != Distortion::none; }
  template <class F>
  [[nodiscard]] std::vector<float> map(F const& f) const;

  CameraParameters lens_, camera_;
};

}  // namespace carroll::tool
