// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/spherical_mesh/span.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstddef>
#include <vector>

namespace carroll::detail {

/// Points on the sphere of which no two are nearer than a distance, which may change but never be
/// larger than at first. They stand in the cells of a cubic grid, as wide as that first distance.
/// The last places are kept for points that stand a part of the distance away from the plane of the
/// others with the centre, where these are all in one, as corners in one row of a pinhole's image
/// are: there is no triangle without them.
class SpreadPoints {
  static constexpr double part_of_distance = 0.25;

 public:
  /// `distance` is a chord, in (0, 2); there are places for `most` points, at least 3.
  SpreadPoints(double distance, int most)
      : distance_(distance),
        most_(most),
        side_(std::clamp(static_cast<int>(2 / distance), 1, 160)),
        first_(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_ * side_), -1),
        span_(points_, part_of_distance * distance) {}

  [[nodiscard]] bool is_full() const { return places_left() <= 0; }

  void scale_distance(double factor) {
    distance_ *= factor;
    look_at_span();
  }

  /// Takes `p` unless it is full, another point is too near, or the place is kept.
  void add(Vec3<double> const& p) {
    if (is_full() || (places_left() <= 3 - span_.dimensions() && !span_.is_widened_by(p))) return;
    int const x = index(p[0]), y = index(p[1]), z = index(p[2]);
    for (int i = std::max(0, x - 1); i <= std::min(side_ - 1, x + 1); ++i)
      for (int j = std::max(0, y - 1); j <= std::min(side_ - 1, y + 1); ++j)
        for (int k = std::max(0, z - 1); k <= std::min(side_ - 1, z + 1); ++k)
          if (is_near(p, first_[cell(i, j, k)])) return;
    next_.push_back(first_[cell(x, y, z)]);
    first_[cell(x, y, z)] = static_cast<int>(points_.size());
    points_.push_back(p);
    look_at_span();
  }

  [[nodiscard]] std::vector<Vec3<double>> const& points() const { return points_; }

 private:
  [[nodiscard]] int places_left() const { return most_ - static_cast<int>(points_.size()); }
  /// Only when it matters, since that takes a look at all points.
  void look_at_span() {
    if (places_left() <= 2) span_ = Span(points_, part_of_distance * distance_);
  }
  [[nodiscard]] int index(double x) const {
    return std::clamp(static_cast<int>((x + 1) / 2 * side_), 0, side_ - 1);
  }
  [[nodiscard]] std::size_t cell(int i, int j, int k) const {
    return (static_cast<std::size_t>(i) * static_cast<std::size_t>(side_) +
            static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(side_) +
           static_cast<std::size_t>(k);
  }
  [[nodiscard]] bool is_near(Vec3<double> const& p, int point) const {
    for (; point >= 0; point = next_[static_cast<std::size_t>(point)]) {
      Vec3<double> const d = along(p, -1.0, points_[static_cast<std::size_t>(point)]);
      if (dot(d, d) < distance_ * distance_) return true;
    }
    return false;
  }

  double distance_;
  int most_;
  int side_;
  std::vector<int> first_;  ///< of each cell, the point that came last; -1: none
  std::vector<int> next_;   ///< of each point, the one before it in its cell
  std::vector<Vec3<double>> points_;
  Span span_;
};

}  // namespace carroll::detail
