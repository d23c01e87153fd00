// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>

#include "files/picture.hpp"
#include "output/json.hpp"
#include "output/table.hpp"

/// What reports tell of a picture in a file.
namespace carroll::tool {

inline void add_picture(Json& object, PictureShape const& shape) {
  object["width"] = shape.width;
  object["height"] = shape.height;
  object["channels"] = shape.channels;
  object["bits"] = shape.bits;
}
inline void add_picture(std::string& text, PictureShape const& shape, std::string const& input) {
  add_line(text, "picture",
           fmt::format("{} x {}, {} {} of {} bits, {}", shape.width, shape.height, shape.channels,
                       shape.channels == 1 ? "channel" : "channels", shape.bits, input));
}

/// The lines that end a table of what was made of pictures.
inline void add_end(std::string& text, std::vector<std::string> const& files, double seconds) {
  for (auto const& file : files) add_line(text, "written", file);
  add_line(text, "time", fmt::format("{:.3f} s", seconds));
}

}  // namespace carroll::tool
