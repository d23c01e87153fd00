// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/rows.hpp>

/// Rows of a window: those of each frame are the tracker's, with the frame's own image and pose,
/// and the depths that all frames share.
namespace carroll::detail {

template <CameraModel Model>
using WindowFrameRows = TrackerRows<Model, TrackerMotion::se3, false>;

template <CameraModel Model>
struct WindowRows {
  WindowFrameRows<Model> const* frames;  ///< in device memory, F

  KOKKOS_FUNCTION auto operator()(int frame, int triangle) const {
    return frames[frame](frame, triangle);
  }
};

}  // namespace carroll::detail
