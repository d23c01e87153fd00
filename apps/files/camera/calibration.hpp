// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/camera/camera_file.hpp"
#include "files/input_file.hpp"

namespace carroll::tool {

/// Is the file a text that is no JSON? Nothing of it is consumed.
[[nodiscard]] bool begins_as_calibration(InputFile& file);

/// The camera of a calibration file as data sets have them; the first one where there are several:
///
///   KITTI   lines of 12 numbers, the rows of a 3 x 4 projection, a name and a colon before them or
///           not; the picture says how large it is
///   EuRoC   YAML with resolution, intrinsics, distortion_model and distortion_coefficients, and
///           T_BS, which says where the camera is on the body; and Kalibr's, whose names are a
///           little different
///   TUM     a line of 4, 8 or 9 numbers: fx fy cx cy, k1 k2 p1 p2, k3; the picture says how large
///           it is
///
/// FileError where it is none of these.
[[nodiscard]] CameraParameters read_calibration(InputFile& file);

}  // namespace carroll::tool
