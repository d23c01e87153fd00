// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/direct_tracker.hpp>

#include "support/tracker/problem.hpp"

/// Cameras of small pictures, and tracking by a workspace of its own.
namespace carroll::test {

inline Camera<double> sphere() {
  return Camera<double>::equirectangular(512, 256);
}
inline Camera<double> fisheye() {
  return Camera<double>::unified(512, 512, 190, 190, 255.5, 255.5, 1);
}

inline DirectTrackerInfo track(TrackerProblem const& problem, TrackedState const& state,
                               DirectTrackerOptions const& options = {}) {
  return track_frame(TrackerProblem::Exec(), problem.camera, problem.reference, problem.current,
                     problem.mesh, state.view(), options);
}

}  // namespace carroll::test
