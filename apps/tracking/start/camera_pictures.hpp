// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "files/camera/camera_file.hpp"
#include "files/host_matrix.hpp"
#include "files/picture.hpp"

namespace carroll::tool {

/// The files of one camera: pictures, masks and distances as large as it says.
class CameraPictures {
 public:
  /// The camera of `camera_file`; where that does not say how large pictures are, they are as large
  /// as the one in `first`. FileError.
  CameraPictures(std::string const& camera_file, std::string const& first);

  /// From here on pictures are divided by that of `path`, the light that the lens lets through in
  /// units of its brightest pixel, of which less than a fiftieth counts as one. FileError where it
  /// is not as large as the camera says, or black.
  void divide_by(std::string const& path);

  [[nodiscard]] CameraParameters const& camera() const { return camera_; }

  /// Where a body has the camera, if its file says so, see CameraParameters.
  [[nodiscard]] std::optional<std::array<double, 12>> const& on_body() const {
    return camera_.on_body;
  }

  /// FileError where it is not as large as the camera says.
  [[nodiscard]] GreyPicture read(std::string const& path) const;
  [[nodiscard]] GreyPicture read_mask(std::string const& path) const;
  /// Where that picture is neither black nor white: 1, else 0.
  [[nodiscard]] GreyPicture mask_of_clipped(std::string const& path) const;

  /// FileError where the array of the file `path` is not height x width.
  void check_size(std::string const& path, HostMatrix<float> const& depths) const;
  /// Of a PNG picture of 16 bits with `scale` levels in a unit of length: distances along the axis,
  /// but for whole spheres, height x width, and 0 where there is none. FileError.
  [[nodiscard]] HostMatrix<float> read_depth_picture(std::string const& path, double scale) const;

 private:
  [[nodiscard]] GreyPicture read_whole(std::string const& path) const;

  CameraParameters camera_;
  std::vector<float> vignette_;  ///< what grey levels are multiplied by; empty: nothing
};

}  // namespace carroll::tool
