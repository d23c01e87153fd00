// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace carroll {

struct TrackerWindowOptions {
  /// F, from 1 to 8: images of the window, besides the reference.
  int frames = 2;
  /// Of the pyramid, the finest ones; at most as many as the tracker has.
  int levels = 2;
  /// Over the samples of all frames on each level, besides two that look at the start; at least 2.
  int passes = 6;
};

/// What a window tracks, start and result: Views that kernels can read and write.
template <class MotionsView, class DepthView>
struct TrackerWindowState {
  MotionsView motions;      ///< of double, F×12: the rows of [R | t] of each frame
  DepthView inverse_depth;  ///< of float or double: ζ > 0 of the M vertices, 1/range
};

template <class M, class D>
TrackerWindowState(M, D) -> TrackerWindowState<M, D>;

}  // namespace carroll
