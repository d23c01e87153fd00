// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::tool {

/// Grey levels from 0 to 255, row after row; not rounded where they come from more bits or colours.
struct GreyPicture {
  int width = 0;
  int height = 0;
  std::vector<float> grey;
  float white = 255;  ///< the brightest level that a pixel can have
};

/// Bytes, row after row, of one (grey), two (grey, alpha), three (red, green, blue) or four
/// channels.
struct BytePicture {
  int width = 0;
  int height = 0;
  int channels = 1;
  std::vector<std::uint8_t> bytes;
  int bits = 8;  ///< of a channel; or 16, in two bytes, the higher first
};

/// Levels from 0 to 65535, row after row, channels of a pixel together as in BytePicture.
struct SamplePicture {
  int width = 0;
  int height = 0;
  int channels = 1;
  int bits = 8;  ///< 8 where all levels are multiples of 257, as those of 8 bits are; or 16
  std::vector<std::uint16_t> levels;
};

struct PictureShape {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 1;  ///< 1 grey, 2 and alpha, 3 red, green and blue, 4 and alpha
  int bits = 8;      ///< of a channel, 8 or 16

  [[nodiscard]] bool colours() const { return channels >= 3; }
  [[nodiscard]] bool alpha() const { return channels % 2 == 0; }
};

[[nodiscard]] inline PictureShape shape_of(SamplePicture const& picture) {
  return {picture.width, picture.height, picture.channels, picture.bits};
}

/// A picture of that shape, all black.
[[nodiscard]] inline SamplePicture black_picture(PictureShape const& shape) {
  return {static_cast<int>(shape.width), static_cast<int>(shape.height), shape.channels, shape.bits,
          std::vector<std::uint16_t>(
              static_cast<std::size_t>(shape.width * shape.height * shape.channels))};
}

}  // namespace carroll::tool
