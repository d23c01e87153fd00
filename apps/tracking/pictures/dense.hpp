// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/spherical_mesh/types.hpp>
#include <vector>

#include "tracking/pictures/lens_pictures.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

/// The depths of all pixels that are read, as --start takes them: `inverse_depth` of the vertices,
/// in units of 1/`unit`; `scale` levels of the picture in a unit of length.
[[nodiscard]] DenseDepths dense_depths_of(LensPictures const& pictures,
                                          SphericalMesh<double> const& mesh,
                                          std::vector<double> const& inverse_depth, double unit,
                                          double scale);

}  // namespace carroll::tool
