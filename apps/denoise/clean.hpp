// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/picture.hpp"
#include "progress.hpp"

namespace carroll::tool {

struct CleanPicture {
  std::string status;
  double noise = 0;  ///< in levels of 8 bits
  int iterations = 0;
  SamplePicture picture;
};

/// The picture without its noise, of `sigma` levels of 8 bits or as much as it seems to have. Alpha
/// stays as it is.
[[nodiscard]] CleanPicture clean(SamplePicture const& noisy, std::optional<double> sigma, bool fast,
                                 Progress& progress);

struct SeparatedFrames {
  std::string status;
  int rank = 0;
  int iterations = 0;
  double residual = 0;
  double foreground = 0;                 ///< part of all pixels
  std::vector<BytePicture> background;   ///< grey
  std::vector<BytePicture> differences;  ///< |foreground| in grey levels
};

/// Background and foreground of frames of one size.
[[nodiscard]] SeparatedFrames separate(std::vector<GreyPicture> const& frames, double tolerance,
                                       int max_iterations, Progress& progress);

}  // namespace carroll::tool
