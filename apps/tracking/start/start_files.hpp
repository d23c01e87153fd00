// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tracking/start/camera_pictures.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

/// The distances to start with: of `word`, a number, an array or a picture of the camera's height
/// and width, or the PREFIX_depth.npy of a track before, beside which PREFIX_vertices.npy says
/// where they are, or a PLY file of points in the camera's axes. FileError for what is none of
/// these.
void read_start_ranges(TrackInput& input, std::string const& word, double depth_scale,
                       CameraPictures const& pictures);

/// The masks of both pictures, of files whose names are not empty. FileError.
void read_masks(TrackInput& input, std::string const& reference, std::string const& current,
                CameraPictures const& pictures);

/// Nor do black and white pixels of the current picture count.
void mask_clipped(TrackInput& input, std::string const& current, CameraPictures const& pictures);

/// The motion to start with: "still", "forward", or a JSON file that `carroll track --json` wrote,
/// of which rotation and translation are taken, or rho. FileError for what is none of these.
void read_start_motion(TrackInput& input, std::string const& word, bool se3);

}  // namespace carroll::tool
