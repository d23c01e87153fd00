// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/detail/spherical_mesh/border.hpp>
#include <carroll/detail/spherical_mesh/morton.hpp>
#include <carroll/detail/spherical_mesh/orientation.hpp>
#include <carroll/detail/spherical_mesh/sphere_hull.hpp>
#include <carroll/detail/vec3.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

/// The Delaunay triangulation of points on the sphere is the convex hull of the points: the plane
/// of a facet cuts off the circle around its corners, and no point lies beyond it (Brown, "Voronoi
/// diagrams from convex hulls", 1979).
///
/// The centre of the sphere is one more point. Where the others surround it, it is inside and does
/// nothing; where they fill only a part of the sphere, the facets that it is a corner of close the
/// hull from behind, and what is left are the triangles that are seen from the centre. Corners in a
/// row make facets in a plane with the centre, of which rounding would decide whether they are
/// seen: so the centre is moved away from the points a little, out of all such planes.
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

/// Two points nearer than this, in radians, count as one: it is what single precision tells of
/// rays, times eight. All others are corners of their hull, because the sphere rises between them
/// by more than rounding.
inline constexpr double least_distance = 0x1p-20;

/// Of points that count as one, the first in `order`.
inline std::vector<int> without_twins(std::vector<Vec3<double>> const& points,
                                      std::vector<int> const& order) {
  using Cell = std::array<std::int32_t, 3>;
  auto const hash = [](Cell const& cell) {
    std::uint64_t h = 0;
    for (std::int32_t const x : cell)
      h = (h ^ static_cast<std::uint32_t>(x)) * 0x9E3779B97F4A7C15U ^ h >> 29U;
    return static_cast<std::size_t>(h ^ h >> 32U);
  };
  std::unordered_multimap<Cell, int, decltype(hash)> cells(2 * points.size(), hash);
  std::vector<int> kept;
  kept.reserve(order.size());
  for (int const i : order) {
    Vec3<double> const& p = points[static_cast<std::size_t>(i)];
    Cell cell{};
    for (std::size_t k = 0; k < 3; ++k)
      cell[k] = static_cast<std::int32_t>(std::floor(p[k] / least_distance));
    bool alone = true;
    for (int n = 0; n < 27 && alone; ++n) {
      Cell const near{cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1};
      auto const [begin, end] = cells.equal_range(near);
      for (auto it = begin; it != end; ++it) {
        Vec3<double> const d = along(p, -1.0, points[static_cast<std::size_t>(it->second)]);
        alone = alone && dot(d, d) >= least_distance * least_distance;
      }
    }
    if (!alone) continue;
    cells.emplace(cell, i);
    kept.push_back(i);
  }
  return kept;
}

/// From the centre, away from the points; each facet's plane has them on its inner side, so that
/// the way leads out of all that nearly meet the centre. Points that have no middle surround it.
inline Vec3<double> shifted_centre(std::vector<Vec3<double>> const& points,
                                   std::vector<int> const& order) {
  Vec3<double> sum{0, 0, 0};
  for (int const i : order) sum = along(sum, 1.0, points[static_cast<std::size_t>(i)]);
  double const length = Kokkos::sqrt(dot(sum, sum));
  if (!(length > 0x1p-10 * static_cast<double>(order.size()))) return {0, 0, 0};
  return along({0, 0, 0}, -centre_shift / length, sum);
}

/// Are all points nearer to one great circle than four times the shift?
inline bool on_a_great_circle(std::vector<Vec3<double>> const& points,
                              std::vector<int> const& order) {
  Vec3<double> normal{0, 0, 0};
  auto const at = [&](int i) { return points[static_cast<std::size_t>(i)]; };
  for (int const i : order) {
    // a×(b - a) is a×b with the rounding of a short edge.
    Vec3<double> const n = cross(at(order[0]), along(at(i), -1.0, at(order[0])));
    if (dot(n, n) > dot(normal, normal)) normal = n;
  }
  double const limit = 4 * centre_shift * Kokkos::sqrt(dot(normal, normal));
  return std::ranges::all_of(order, [&](int i) {
    return Kokkos::abs(dot(normal, along(at(i), -1.0, at(order[0])))) <= limit;
  });
}

/// Without what rounding makes of corners in a row: flat triangles at the border, and those that
/// come to be at the border for it.
inline std::vector<Triangle> without_flat_border(std::vector<Vec3<double>> const& points,
                                                 std::vector<Triangle> const& triangles) {
  std::vector<Triangle> const neighbours = border_of(points, triangles).neighbours;
  std::vector<bool> gone(triangles.size(), false);
  std::vector<std::size_t> waiting;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (std::ranges::min({neighbours[t][0], neighbours[t][1], neighbours[t][2]}) < 0)
      waiting.push_back(t);
  while (!waiting.empty()) {
    std::size_t const t = waiting.back();
    waiting.pop_back();
    auto const at = [&](std::size_t k) {
      return points[static_cast<std::size_t>(triangles[t][k])];
    };
    if (gone[t] || !is_flat(at(0), at(1), at(2))) continue;
    gone[t] = true;
    for (std::size_t k = 0; k < 3; ++k)
      if (neighbours[t][k] >= 0) waiting.push_back(static_cast<std::size_t>(neighbours[t][k]));
  }
  std::vector<Triangle> left;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (!gone[t]) left.push_back(triangles[t]);
  return left;
}

/// The triangles of `points` (unit vectors), each anticlockwise from outside with its smallest
/// index first, along a space-filling curve, so that neighbours in memory are neighbours on the
/// sphere. A point that another one lies on belongs to no triangle. None if all points are on
/// a great circle. O(M log M).
inline std::vector<Triangle> spherical_delaunay(std::vector<Vec3<double>> const& points) {
  struct Placed {
    std::uint32_t place;
    Triangle corners;
  };
  std::vector<Placed> placed;
  std::vector<int> const order = without_twins(points, along_the_curve(points));
  if (on_a_great_circle(points, order)) return {};
  SphereHull const hull(points, order, shifted_centre(points, order));
  for (Triangle t : without_flat_border(points, hull.triangles())) {
    auto const at = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
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
