// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hostile/tracker/drawn_tracks.hpp"

namespace carroll::test {

/// What has to hold of depths that are carried on from a frame: they are numbers above 0, the same
/// bits on another instance and in another layout, nearly themselves where the camera stands still;
/// and with the scale kept half of them have not become larger, nor half smaller.
void check_carried(DrawnTrack const& problem, std::vector<double> const& motion,
                   std::vector<double> const& depth,
                   std::function<void(std::string const&)> const& complain);

}  // namespace carroll::test
