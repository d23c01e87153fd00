// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/picture.hpp"
#include "occupancy/report.hpp"

namespace carroll::tool {

/// The curve over block sizes: a bar for each, as high as the occupancy, in the colour of what
/// limits it, and a mark below the size that the report is on.
[[nodiscard]] BytePicture picture_of(OccupancyReport const& report);

}  // namespace carroll::tool
