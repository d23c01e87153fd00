// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/camera.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/random.hpp"

/// Pairs of pictures, and where the search for the way between them starts, that nobody chose.
namespace carroll::test {

/// Rows first.
struct Pair {
  int width = 0, height = 0;
  std::vector<float> reference, current;
  std::vector<float> reference_mask, current_mask;  ///< empty: none; 0 where it does not count
};

struct DrawnTrack {
  std::string name;
  Camera<double> camera;
  SphericalMesh<float> mesh;  ///< on the host
  Pair pictures;
  std::vector<double> motion, depth;  ///< where the search starts
  double rho = 0;                     ///< the truth, where `easy`
  DirectTrackerOptions options;
  bool easy = false;
  bool bad_input = false;  ///< a state with NaN or infinity, or a depth that is not above 0
};

/// What the method can find from depths that are nearly right and no turn.
DrawnTrack easy_problem(Random& random);
/// Rooms, cameras, ways and options of all kinds.
DrawnTrack any_problem(Random& random);
/// What no camera takes, or no start should be.
DrawnTrack special_problem(Random& random);

/// To the bit, but that one NaN is as another.
inline bool same(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}
inline bool same(std::vector<double> const& a, std::vector<double> const& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return same(x, y); });
}

}  // namespace carroll::test
