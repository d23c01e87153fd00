// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"

namespace carroll::tool {

/// Runs `carroll occupancy`; returns the exit status, 0 or 1. FileError when the picture cannot be
/// written.
[[nodiscard]] int run_occupancy(OccupancyArguments const& arguments);

}  // namespace carroll::tool
