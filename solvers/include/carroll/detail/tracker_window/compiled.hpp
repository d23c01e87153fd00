// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/tracker_window.hpp>

/// The kernels of `track_window` that know nothing of the types of images and states.
#define CARROLL_WINDOW_INSTANCE(TEMPLATE, model)                                      \
  TEMPLATE void carroll::detail::enqueue_window_passes<Kokkos::DefaultExecutionSpace, \
                                                       carroll::CameraModel::model>(  \
      Kokkos::DefaultExecutionSpace const&,                                           \
      carroll::TrackerWindowWorkspace<Kokkos::DefaultExecutionSpace>&)

CARROLL_WINDOW_INSTANCE(extern template, equirectangular);
CARROLL_WINDOW_INSTANCE(extern template, unified);
