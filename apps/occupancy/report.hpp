// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/occupancy.hpp>
#include <optional>
#include <string>
#include <vector>

namespace carroll::tool {

/// What `carroll occupancy` tells about one kernel on one device.
struct OccupancyReport {
  std::optional<DeviceModel> device;  ///< where it was named
  MultiprocessorLimits limits;
  Occupancy found;               ///< at the threads that were asked for, or at the best ones
  std::vector<Occupancy> curve;  ///< over block sizes
  std::vector<std::string> files;
};

/// Compute capability and name, for titles.
[[nodiscard]] std::string title_of(OccupancyReport const& report);

[[nodiscard]] std::string json(OccupancyReport const& report);
[[nodiscard]] std::string table(OccupancyReport const& report);

/// All that have a name, and what is known of compute capabilities.
[[nodiscard]] std::string device_list_json();
[[nodiscard]] std::string device_list_table();

}  // namespace carroll::tool
