// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/camera.hpp>
#include <carroll/lens.hpp>
#include <carroll/rectify.hpp>
#include <cstdint>
#include <optional>

#include "files/camera/camera_file.hpp"
#include "files/picture.hpp"

namespace carroll::tool {

/// Height x width grey levels, or inverse ranges, where the default execution space works.
using Pixels = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::DefaultExecutionSpace>;

/// The pictures of one camera as the tracker takes them: on the device, and those of a lens with
/// distortion rectified there.
class LensPictures {
 public:
  explicit LensPictures(CameraParameters const& parameters);

  /// Of the pictures on the device.
  [[nodiscard]] Camera<double> const& camera() const { return camera_; }
  /// Of those that are read, if it has a distortion.
  [[nodiscard]] std::optional<Lens<double>> const& lens() const { return lens_; }

  [[nodiscard]] Pixels on_device(char const* label, GreyPicture const& picture) const {
    return on_device(label, picture, Interpolation::bilinear);
  }
  /// The nearest pixel's, of masks.
  [[nodiscard]] Pixels mask_on_device(char const* label, GreyPicture const& mask) const {
    return on_device(label, mask, Interpolation::nearest);
  }

  /// Which of the pixels that are read is nearest to where the ray is seen; none where the camera
  /// has no place for it.
  [[nodiscard]] std::optional<std::int64_t> pixel_of(Kokkos::Array<double, 3> const& ray) const;

 private:
  using ExecSpace = Kokkos::DefaultExecutionSpace;

  [[nodiscard]] Pixels on_device(char const* label, GreyPicture const& picture,
                                 Interpolation interpolation) const;

  std::optional<Lens<double>> lens_;
  Camera<double> camera_;
  std::optional<LensRectifier<ExecSpace>> rectifier_;
};

}  // namespace carroll::tool
