// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/spherical_mesh/types.hpp>
#include <vector>

#include "tracking/pictures/lens_pictures.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

/// ζ of the vertices to start with, in 1/baselines. Ranges that are no numbers above 0 count as the
/// given one's geometric mean, and nothing as further away than 10000 baselines.
[[nodiscard]] std::vector<double> start_depths(TrackInput const& input,
                                               LensPictures const& pictures,
                                               SphericalMesh<double> const& mesh);

}  // namespace carroll::tool
