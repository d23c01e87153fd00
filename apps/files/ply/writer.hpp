// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "output/files.hpp"

namespace carroll::tool {

/// Points in space with grey levels, and triangles between them, anticlockwise from their front.
struct PointCloud {
  std::vector<std::array<float, 3>> points;
  std::vector<std::uint8_t> grey;  ///< of each point
  std::vector<std::array<std::int32_t, 3>> triangles;
};

/// Adds a PLY file, binary and little endian, to `files`: vertices of x, y, z (float), red, green
/// and blue (uchar, all of them the grey level), and faces. `comment` is one line.
void write_ply(OutputFiles& files, std::string const& path, PointCloud const& cloud,
               std::string const& comment);

}  // namespace carroll::tool
