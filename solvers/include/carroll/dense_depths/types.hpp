// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace carroll {

/// What is told of each pixel.
enum class DenseDepth : int {
  inverse_range,  ///< ζ
  range,          ///< distance from the camera, 1/ζ
  along_axis,     ///< distance in front of the camera; NaN of pixels that look to the side or back
};

struct DenseDepthOptions {
  DenseDepth quantity = DenseDepth::range;
  double unit = 1;  ///< the length whose inverse range is 1, such as the baseline in metres
};

}  // namespace carroll
