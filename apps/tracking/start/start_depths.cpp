// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/start/start_depths.hpp"

#include <algorithm>
#include <carroll/detail/vec3.hpp>
#include <cmath>
#include <cstdint>

namespace carroll::tool {

namespace {

/// The range of the start whose direction is nearest to the ray.
double nearest_range(TrackInput const& input, detail::Vec3<double> const& ray) {
  HostMatrix<float> const& directions = *input.start_directions;
  double best = -2, range = 0;
  for (std::int64_t i = 0; i < directions.rows; ++i) {
    double const along = static_cast<double>(directions(i, 0)) * ray[0] +
                         static_cast<double>(directions(i, 1)) * ray[1] +
                         static_cast<double>(directions(i, 2)) * ray[2];
    if (along > best) {
      best = along;
      range = static_cast<double>((*input.start_ranges)(i, 0));
    }
  }
  return range;
}

/// The range of the start at the pixel where the ray is seen; 0: none.
double range_at(TrackInput const& input, LensPictures const& pictures,
                detail::Vec3<double> const& ray) {
  // Of rays to the side a depth along the axis tells nothing.
  constexpr double least_forward = 0.05;
  HostMatrix<float> const& depths = *input.start_ranges;
  auto const pixel = pictures.pixel_of(ray);
  if (!pixel) return 0;
  auto const depth = static_cast<double>(depths(*pixel / depths.cols, *pixel % depths.cols));
  if (!input.start_along_axis) return depth;
  return ray[0] > least_forward ? depth / ray[0] : 0;
}

}  // namespace

std::vector<double> start_depths(TrackInput const& input, LensPictures const& pictures,
                                 SphericalMesh<double> const& mesh) {
  std::vector<double> ranges;
  double logs = 0;
  int known = 0;
  for (int i = 0; i < mesh.vertices.extent_int(0); ++i) {
    double range = input.start_range;
    if (input.start_directions) {
      range = nearest_range(input, detail::row_of(mesh.vertices, i));
    } else if (input.start_ranges) {
      range = range_at(input, pictures, detail::row_of(mesh.vertices, i));
    }
    ranges.push_back(range / input.baseline);
    if (std::isfinite(range) && range > 0) {
      logs += std::log(ranges.back());
      ++known;
    }
  }
  double const otherwise = known > 0 ? std::exp(logs / known) : 30;
  std::vector<double> inverse;
  for (double const range : ranges)
    inverse.push_back(1 / std::min(range > 0 ? range : otherwise, 1e4));
  return inverse;
}

}  // namespace carroll::tool
