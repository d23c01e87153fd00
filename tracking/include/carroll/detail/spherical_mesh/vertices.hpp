// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/camera.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/spherical_mesh/corner_response.hpp>
#include <carroll/detail/spherical_mesh/morton.hpp>
#include <carroll/detail/spherical_mesh/sphere_points.hpp>
#include <carroll/detail/spherical_mesh/spread.hpp>
#include <carroll/error.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The vertices of a mesh: corners of an image, and points of an even sequence where it has none.
namespace carroll::detail {

/// Local maxima of the corner response that are visible, the best ones first. None in the first and
/// last row and column that have a response: they would be maxima for want of neighbours, all in a
/// row, whatever the image.
template <class ExecSpace, class ImageView, class Visible>
std::vector<Vec3<double>> corners_of(ExecSpace const& exec, ImageView const& image,
                                     Camera<double> const& camera, Visible const& visible) {
  using Response = Kokkos::View<float**, Kokkos::LayoutRight, typename ExecSpace::memory_space>;
  Response const response(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                             std::string("carroll::mesh::corner_response")),
                          image.extent(0), image.extent(1));
  Kokkos::parallel_for("carroll::mesh::corner_response",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, std::int64_t{camera.width} * camera.height),
                       CornerResponse<ImageView, Response>(image, camera.as<float>(), response));
  auto const host = Kokkos::create_mirror_view(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, Kokkos::HostSpace{}), response);
  copy_view(exec, host, response);
  exec.fence("carroll::spherical_mesh: corners on the host");

  struct Corner {
    float response;
    int u, v;
  };
  std::vector<Corner> found;
  constexpr int margin = CornerResponse<ImageView, Response>::reach + 1;
  int const side = camera.model == CameraModel::equirectangular ? 1 : margin;
  for (int v = margin; v + margin < camera.height; ++v) {
    for (int u = side; u + side < camera.width; ++u) {
      float const here = host(v, u);
      bool greatest = here > 0;
      for (int j = v - 1; greatest && j <= v + 1; ++j)
        for (int i = u - 1; i <= u + 1; ++i) greatest = greatest && host(j, i) <= here;
      if (greatest) found.push_back({here, u, v});
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Corner::response);
  std::vector<Vec3<double>> rays;
  for (Corner const& corner : found) {
    Vec3<double> const ray = camera.ray(corner.u, corner.v);
    if (visible(ray)) rays.push_back(ray);
  }
  return rays;
}

/// `count` points: corners in the order given as long as they keep their distance, which shrinks in
/// steps; then points of an even sequence where the image has none, or has all in one plane with
/// the centre. Ordered along Morton's curve.
template <class Visible>
std::vector<Vec3<double>> spread_over(std::vector<Vec3<double>> const& corners, int count,
                                      double fraction, Visible const& visible,
                                      char const* function) {
  // Disks in random places jam when they cover 0.547 of the plane, which is a distance of
  // 0.835·√(area/count) (Torquato, Uche and Stillinger 2006).
  constexpr double first_distance = 0.85, shrink = 0.8;
  constexpr int corner_rounds = 4, rounds = 24, tries = 64;
  constexpr double most_rays = 1 << 22;
  double const area = 2 * Kokkos::numbers::pi * (visible.highest() - visible.lowest()) * fraction;
  double const wanted = 1.0 * tries * count;
  auto const even_rays =
      static_cast<std::uint64_t>(std::max(wanted, std::min(wanted / fraction, most_rays)));
  std::vector<Vec3<double>> even;  // those that are visible, when they are wanted
  SpreadPoints spread(std::clamp(first_distance * std::sqrt(area / count), 1e-6, 1.5), count);
  for (int round = 0; round < rounds && !spread.is_full(); ++round) {
    if (round < corner_rounds) {
      for (auto const& p : corners) spread.add(p);
    } else {
      for (std::uint64_t i = 0; round == corner_rounds && i < even_rays; ++i) {
        Vec3<double> const p = sphere_point(i, visible.lowest(), visible.highest());
        if (visible(p)) even.push_back(p);
      }
      for (auto const& p : even) spread.add(p);
    }
    // The even points come at the distance that the last but one round of corners kept.
    spread.scale_distance(round + 1 == corner_rounds ? 1 / shrink : shrink);
  }
  require(spread.is_full(), function, [&] {
    return "only " + std::to_string(spread.points().size()) + " of " + std::to_string(count) +
           " vertices found: too little of the image is visible";
  });
  std::vector<Vec3<double>> points = spread.points();
  std::ranges::stable_sort(points, {}, [](auto const& p) { return morton_place(p); });
  return points;
}

}  // namespace carroll::detail
