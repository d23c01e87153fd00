// SPDX-License-Identifier: BSD-3-Clause
// What a tracker is made for, checked before anything is allocated. All of these throw
// std::invalid_argument with the name of the public function that was called.
#pragma once

#include <algorithm>
#include <carroll/camera.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <carroll/error.hpp>
#include <cmath>
#include <string>

namespace carroll::detail {

inline void check_tracker_options(char const* function, DirectTrackerOptions const& options) {
  auto const not_negative = [&](double x, char const* name) {
    require(x >= 0 && std::isfinite(x), function, [&] {
      return "options." + std::string(name) + " is " + std::to_string(x) +
             ", must be finite and not negative";
    });
  };
  auto const is_one_of = [&](int x, char const* name, char const* type) {
    require(x == 0 || x == 1, function, [&] {
      return "options." + std::string(name) + " is " + std::to_string(x) +
             ", must be an enumerator of " + type;
    });
  };
  is_one_of(static_cast<int>(options.motion), "motion", "TrackerMotion");
  is_one_of(static_cast<int>(options.method), "method", "TrackerMethod");
  require(0 <= options.levels && options.levels <= most_levels, function, [&] {
    return "options.levels is " + std::to_string(options.levels) + ", must be from 0 to " +
           std::to_string(most_levels);
  });
  int const least = 2 * std::max(options.levels, 1);
  require(least <= options.iterations && options.iterations <= most_iterations, function, [&] {
    return "options.iterations is " + std::to_string(options.iterations) + ", must be from " +
           std::to_string(least) + " (two per level) to " + std::to_string(most_iterations);
  });
  not_negative(options.huber, "huber");
  not_negative(options.damping, "damping");
  not_negative(options.smoothness, "smoothness");
  not_negative(options.smoothness_scale, "smoothness_scale");
  not_negative(options.tolerance, "tolerance");
  not_negative(options.min_valid, "min_valid");
  not_negative(options.min_matched, "min_matched");
  not_negative(options.max_turn_deviation, "max_turn_deviation");
  not_negative(options.max_way_deviation, "max_way_deviation");
  require(options.black < options.white, function, [&] {
    return "options.black is " + std::to_string(options.black) + ", must be less than white, " +
           std::to_string(options.white);
  });
  require(options.max_log_depth_step > 0 && std::isfinite(options.max_log_depth_step), function,
          [&] {
            return "options.max_log_depth_step is " + std::to_string(options.max_log_depth_step) +
                   ", must be finite and positive";
          });
}

inline void check_tracker_camera(char const* function, Camera<double> const& camera) {
  require(
      camera.width >= 1 && camera.height >= 1 && camera.width <= 32768 && camera.height <= 32768,
      function, [&] {
        return "the camera's image is " + extents_text({camera.width, camera.height}) +
               " (width×height), must be from 1×1 to 32768×32768";
      });
  bool const finite = std::isfinite(camera.fx) && std::isfinite(camera.fy) &&
                      std::isfinite(camera.cx) && std::isfinite(camera.cy) &&
                      std::isfinite(camera.chi);
  require(finite && camera.fx > 0 && camera.fy > 0 && camera.chi >= 0, function, [] {
    return std::string(
        "the camera's fx and fy must be positive, chi not negative, and all of them finite");
  });
}

template <class Mesh>
void check_tracker_mesh(char const* function, Mesh const& mesh) {
  auto const rows = [](auto const& view) { return static_cast<long long>(view.extent(0)); };
  require_size(function, "the number of vertices", rows(mesh.vertices));
  require_size(function, "the number of corners of all triangles", 9 * rows(mesh.triangles));
  require_size(function, "the number of samples", rows(mesh.samples));
  require_extents(function, "mesh.triangle_offsets", {rows(mesh.triangle_offsets)},
                  {rows(mesh.triangles) + 1});
  require_extents(function, "mesh.weights", {rows(mesh.weights), 3}, {rows(mesh.samples), 3});
}

}  // namespace carroll::detail
