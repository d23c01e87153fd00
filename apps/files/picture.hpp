// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace carroll::tool {

/// Grey levels from 0 to 255, row after row; not rounded where they come from more bits or colours.
struct GreyPicture {
  int width = 0;
  int height = 0;
  std::vector<float> grey;
};

/// Bytes, row after row, of one (grey) or three (red, green, blue) channels.
struct BytePicture {
  int width = 0;
  int height = 0;
  int channels = 1;
  std::vector<std::uint8_t> bytes;
};

}  // namespace carroll::tool
