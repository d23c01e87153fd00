// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/direct_tracker.hpp>

/// The kernels of `set_reference_async` and `track_frame` that know nothing of the types of images
/// and states.
#define CARROLL_TRACKER_REFERENCE_INSTANCE(TEMPLATE)                               \
  TEMPLATE void carroll::detail::enqueue_reference<Kokkos::DefaultExecutionSpace>( \
      Kokkos::DefaultExecutionSpace const&,                                        \
      carroll::DirectTrackerWorkspace<Kokkos::DefaultExecutionSpace>&)
#define CARROLL_TRACKER_INSTANCE(TEMPLATE, model, motion)                                          \
  TEMPLATE void carroll::detail::enqueue_iterations<                                               \
      Kokkos::DefaultExecutionSpace, carroll::CameraModel::model, carroll::TrackerMotion::motion>( \
      Kokkos::DefaultExecutionSpace const&,                                                        \
      carroll::DirectTrackerWorkspace<Kokkos::DefaultExecutionSpace>&)

CARROLL_TRACKER_REFERENCE_INSTANCE(extern template);
CARROLL_TRACKER_INSTANCE(extern template, equirectangular, ackermann);
CARROLL_TRACKER_INSTANCE(extern template, equirectangular, se3);
CARROLL_TRACKER_INSTANCE(extern template, unified, ackermann);
CARROLL_TRACKER_INSTANCE(extern template, unified, se3);
