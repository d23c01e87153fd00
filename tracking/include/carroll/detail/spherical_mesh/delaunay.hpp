// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/spherical_mesh/morton.hpp>
#include <carroll/detail/spherical_mesh/orientation.hpp>
#include <carroll/detail/spherical_mesh/sphere_hull.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

/// The Delaunay triangulation of points on the sphere is the convex hull of the points: the plane
/// of a facet cuts off the circle around its corners, and no point lies beyond it (Brown, "Voronoi
/// diagrams from convex hulls", 1979).
///
/// The centre of the sphere is one more point. Where the others surround it, it is inside and does
/// nothing; where they fill only a part of the sphere, the facets that it is a corner of close the
/// hull from behind, and what is left are the triangles that are seen from the centre.
namespace carroll::detail {

/// Points along a space-filling curve; the same order whatever their numbers.
inline std::vector<int> along_the_curve(std::vector<Vec3<double>> const& points) {
  std::vector<std::uint32_t> places;
  places.reserve(points.size());
  for (auto const& p : points) places.push_back(morton_place(p));
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int i, int j) {
    auto const a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    if (places[a] != places[b]) return places[a] < places[b];
    for (std::size_t k = 0; k < 3; ++k)
      if (points[a][k] != points[b][k]) return points[a][k] < points[b][k];
    return i < j;
  });
  return order;
}

/// The triangles of `points` (unit vectors), each anticlockwise from outside with its smallest
/// index first, along a space-filling curve, so that neighbours in memory are neighbours on the
/// sphere. A point that another one lies on belongs to no triangle, and no triangle is flat.
/// O(M log M).
inline std::vector<Triangle> spherical_delaunay(std::vector<Vec3<double>> const& points) {
  struct Placed {
    std::uint32_t place;
    Triangle corners;
  };
  std::vector<Placed> placed;
  for (Triangle t : SphereHull(points, along_the_curve(points)).triangles()) {
    auto const at = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
    // Corners in a row at the border: between them and a great circle there is nothing to see.
    if (is_flat(at(0), at(1), at(2))) continue;
    while (t[0] > t[1] || t[0] > t[2]) t = {t[1], t[2], t[0]};
    placed.push_back({morton_place(along(along(at(0), 1.0, at(1)), 1.0, at(2))), t});
  }
  std::ranges::sort(placed, [](Placed const& a, Placed const& b) {
    if (a.place != b.place) return a.place < b.place;
    return std::lexicographical_compare(&a.corners[0], &a.corners[0] + 3, &b.corners[0],
                                        &b.corners[0] + 3);
  });
  std::vector<Triangle> triangles;
  triangles.reserve(placed.size());
  for (auto const& t : placed) triangles.push_back(t.corners);
  return triangles;
}

}  // namespace carroll::detail
