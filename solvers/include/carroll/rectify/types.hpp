// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace carroll {

/// A grey level between pixels.
enum class Interpolation : int {
  nearest,   ///< that of the nearest pixel: for masks and distances
  bilinear,  ///< between 4 pixels
  /// Between 16 pixels, by Catmull's and Rom's cubic, which weakens fine texture less; it may
  /// overshoot beside edges. At the border of the image the outermost pixels count on.
  bicubic,
};

struct RectifyOptions {
  Interpolation interpolation = Interpolation::bilinear;
};

}  // namespace carroll
