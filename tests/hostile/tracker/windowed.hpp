// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/direct_tracker.hpp>
#include <functional>
#include <string>
#include <vector>

#include "hostile/tracker/drawn_tracks.hpp"

namespace carroll::test {

/// A window on the reference that the tracker has now, from a state in space: of the current image,
/// and of others that may have nothing to do with it. The same bits whoever tracks it, nothing but
/// numbers in its result, or nothing but NaN.
void check_windowed(Random& random, DrawnTrack const& problem,
                    DirectTrackerWorkspace<Kokkos::DefaultExecutionSpace> const& tracker,
                    std::vector<double> const& motion, std::vector<double> const& depth,
                    std::function<void(std::string const&)> const& complain);

}  // namespace carroll::test
