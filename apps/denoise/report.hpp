// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/picture.hpp"

namespace carroll::tool {

/// What `carroll denoise` tells.
struct DenoiseReport {
  std::string input;
  std::string status;
  PictureShape shape;
  double noise = 0;  ///< in levels of 8 bits
  bool estimated = false;
  int iterations = 0;
  double seconds = 0;  ///< files left out
  std::vector<std::string> files;
};

/// What `carroll background` tells.
struct BackgroundReport {
  std::string status;
  std::size_t frames = 0;
  int width = 0, height = 0;
  int rank = 0, iterations = 0;
  double residual = 0, foreground = 0;
  double seconds = 0;
  std::vector<std::string> files;
};

[[nodiscard]] std::string json(DenoiseReport const& report);
[[nodiscard]] std::string table(DenoiseReport const& report);
[[nodiscard]] std::string json(BackgroundReport const& report);
[[nodiscard]] std::string table(BackgroundReport const& report);

}  // namespace carroll::tool
