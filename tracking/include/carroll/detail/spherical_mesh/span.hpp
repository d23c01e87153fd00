// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/vec3.hpp>
#include <vector>

namespace carroll::detail {

/// What points on the sphere span together with its centre: a line, a plane, or space. A point
/// widens that if it is farther from it than a limit, in radians, nearly.
class Span {
 public:
  /// O(M).
  Span(std::vector<Vec3<double>> const& points, double limit) : limit_(limit) {
    if (points.empty()) return;
    dimensions_ = 1;
    line_ = points.front();
    // The plane of two that are as nearly at a right angle as those with the first can be.
    Vec3<double> longest{0, 0, 0};
    for (auto const& p : points) {
      Vec3<double> const n = normal_with(p);
      if (dot(n, n) > dot(longest, longest)) longest = n;
    }
    double const length = Kokkos::sqrt(dot(longest, longest));
    if (!(length > limit)) return;
    dimensions_ = 2;
    plane_ = along({0, 0, 0}, 1 / length, longest);
    for (auto const& p : points)
      if (is_widened_by(p)) {
        dimensions_ = 3;
        return;
      }
  }

  [[nodiscard]] int dimensions() const { return dimensions_; }

  [[nodiscard]] bool is_widened_by(Vec3<double> const& p) const {
    if (dimensions_ == 0) return true;
    if (dimensions_ == 3) return false;
    Vec3<double> const n = normal_with(p);
    return (dimensions_ == 1 ? Kokkos::sqrt(dot(n, n)) : Kokkos::abs(dot(plane_, p))) > limit_;
  }

 private:
  [[nodiscard]] Vec3<double> normal_with(Vec3<double> const& p) const {
    // a×(b - a) is a×b without the rounding of a short edge.
    return cross(line_, along(p, -1.0, line_));
  }

  double limit_;
  int dimensions_ = 0;
  Vec3<double> line_{};   ///< a unit vector
  Vec3<double> plane_{};  ///< its unit normal
};

}  // namespace carroll::detail
