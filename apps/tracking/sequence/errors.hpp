// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "tracking/sequence/poses.hpp"

namespace carroll::tool {

/// How far a trajectory is from the true one, after Sturm and others 2012 and Zhang and Scaramuzza
/// 2018. Lengths are those of the truth.
struct TrajectoryErrors {
  int poses = 0;            ///< that have a truth
  double length = 0;        ///< of the true trajectory through these
  double scale = 1;         ///< from the trajectory's lengths to the truth's
  double ate = 0;           ///< root mean square of the places' distances, best aligned with scale
  double rotation_rms = 0;  ///< of a step, degrees (RPE)
  double rotation_median = 0;
  double translation_rms = 0;  ///< of a step with that scale (RPE)
  /// Of the direction of a step, degrees; none where nothing moves.
  std::optional<double> direction_median;
  /// At the end, with the first poses equal and each step as long as it is in truth.
  double drift = 0;
};

/// Of poses and true ones, as many, none in places where the truth is not known; at least two have
/// to be. O(n).
[[nodiscard]] TrajectoryErrors trajectory_errors(std::vector<Pose> const& found,
                                                 std::vector<std::optional<Pose>> const& truth);

}  // namespace carroll::tool
