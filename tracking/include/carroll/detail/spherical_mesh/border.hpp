// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/spherical_mesh/sphere_hull.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstddef>
#include <vector>

namespace carroll::detail {

/// The neighbours of triangles, and whether these fill all of the sphere or one region that is
/// convex. Then a ray beyond an edge of the border is beyond the region.
struct MeshBorder {
  /// Of each triangle, those on the other side of the edges that face its corners; -1: none.
  std::vector<Triangle> neighbours;
  std::size_t edges = 0;  ///< on the border
  double turning = 0;     ///< of the border to the left, in radians
  /// No edge has three triangles, or two that run along it in the same direction; the border, if
  /// there is one, is a single loop that nowhere turns right, but for the shift of the centre.
  bool is_convex = false;
};

inline MeshBorder border_of(std::vector<Vec3<double>> const& points,
                            std::vector<Triangle> const& triangles) {
  struct Edge {
    int low, high, triangle, facing;
    bool rises;
  };
  MeshBorder border{std::vector<Triangle>(triangles.size(), {-1, -1, -1}), 0, 0, true};
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      int const from = triangles[t][(k + 1) % 3], to = triangles[t][(k + 2) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), static_cast<int>(t),
                       static_cast<int>(k), from < to});
    }
  }
  std::ranges::sort(edges, [](Edge const& a, Edge const& b) {
    if (a.low != b.low) return a.low < b.low;
    return a.high != b.high ? a.high < b.high : a.triangle < b.triangle;
  });
  std::vector<int> next(points.size(), -1);  // along the border
  int start = -1;
  for (std::size_t e = 0; e < edges.size();) {
    auto const same = [&](std::size_t other) {
      return other < edges.size() && edges[other].low == edges[e].low &&
             edges[other].high == edges[e].high;
    };
    Edge const& one = edges[e];
    if (same(e + 1)) {
      Edge const& two = edges[e + 1];
      border.is_convex = border.is_convex && one.rises != two.rises && !same(e + 2);
      border.neighbours[static_cast<std::size_t>(one.triangle)]
                       [static_cast<std::size_t>(one.facing)] = two.triangle;
      border.neighbours[static_cast<std::size_t>(two.triangle)]
                       [static_cast<std::size_t>(two.facing)] = one.triangle;
      e += 2;
      continue;
    }
    start = one.rises ? one.low : one.high;
    int& onwards = next[static_cast<std::size_t>(start)];
    border.is_convex = border.is_convex && onwards < 0;  // a loop touches no corner twice
    onwards = one.rises ? one.high : one.low;
    ++border.edges;
    ++e;
  }
  if (start < 0 || !border.is_convex) return border;

  auto const at = [&](int p) { return points[static_cast<std::size_t>(p)]; };
  std::size_t length = 0;
  for (int p = start; border.is_convex && (length == 0 || p != start); ++length) {
    int const q = next[static_cast<std::size_t>(p)];
    int const r = q < 0 ? -1 : next[static_cast<std::size_t>(q)];
    border.is_convex = r >= 0 && length < border.edges;
    if (!border.is_convex) break;
    Vec3<double> const pq = along(at(q), -1.0, at(p)), qr = along(at(r), -1.0, at(q));
    // It was convex as seen from the shifted centre, before flat triangles went.
    double const first = Kokkos::sqrt(dot(pq, pq)), second = Kokkos::sqrt(dot(qr, qr));
    double const doubt = 2 * centre_shift * first * second + 0x1p-46 * Kokkos::fmax(first, second);
    border.is_convex = triple_product(at(p), pq, qr) >= -doubt;
    // By how much the border turns left at q: the angle between the planes of its edges.
    Vec3<double> const before = cross(at(p), pq), after = cross(at(q), qr);
    border.turning += Kokkos::atan2(dot(at(q), cross(before, after)), dot(before, after));
    p = q;
  }
  border.is_convex = border.is_convex && length == border.edges;
  return border;
}

/// The solid angle of a triangle that goes round anticlockwise (Van Oosterom and Strackee 1983).
inline double solid_angle(Vec3<double> const& a, Vec3<double> const& b, Vec3<double> const& c) {
  double const volume = triple_product(a, along(b, -1.0, a), along(c, -1.0, a));
  return 2 * Kokkos::atan2(volume, 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

/// Do the triangles cover all that they should: the sphere, or what is inside their convex border,
/// whose area follows from its turning (Gauss and Bonnet)?
inline bool covers(MeshBorder const& border, std::vector<Vec3<double>> const& points,
                   std::vector<Triangle> const& triangles) {
  if (!border.is_convex || triangles.empty()) return false;
  constexpr double pi = Kokkos::numbers::pi;
  double const region = border.edges == 0 ? 4 * pi : 2 * pi - border.turning;
  double sum = 0;
  for (Triangle const& t : triangles) {
    auto const at = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
    sum += solid_angle(at(0), at(1), at(2));
  }
  return Kokkos::abs(sum - region) <= 1e-6 * region + 1e-8;
}

}  // namespace carroll::detail
