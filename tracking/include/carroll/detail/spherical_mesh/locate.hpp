// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/spherical_mesh/border.hpp>
#include <carroll/detail/spherical_mesh/orientation.hpp>
#include <carroll/detail/spherical_mesh/sphere_hull.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstddef>
#include <vector>

namespace carroll::detail {

/// Finds the triangle of a spherical Delaunay triangulation that a ray passes through, by walking:
/// out of a triangle through an edge that the ray is beyond, until there is none. With the plane of
/// a triangle written as m·x = 1, every step makes m·s larger, because the hull is convex: the walk
/// never returns, whatever edge it takes. That needs answers that do not contradict each other:
/// where rounding could decide, they are exact (orientation.hpp). A table over the sphere tells
/// where to begin, which leaves a few steps for each ray.
///
/// A walk that leaves a convex region over its border does not come back. Of triangles that fill no
/// such region, and should a walk not end, all are looked at.
class TriangleLocator {
 public:
  TriangleLocator(std::vector<Vec3<double>> const& points, std::vector<Triangle> const& triangles)
      : points_(points), triangles_(triangles), border_(border_of(points, triangles)) {
    fill_table();
  }

  /// The triangle that `s` passes through, -1 where there is none. An edge belongs to both sides.
  [[nodiscard]] int find(Vec3<double> const& s) const {
    if (triangles_.empty()) return -1;
    return walk(table_[cell_of(s)], s).triangle;
  }

  /// Barycentric weights w = V⁻ᵀs of `s` in triangle `t`.
  [[nodiscard]] Vec3<double> weights(int t, Vec3<double> const& s) const {
    auto const [a, b, c] = corners(t);
    double const volume = triple_product(a, b, c);
    // Of a ray in the triangle none is negative, but for rounding.
    return {Kokkos::fmax(0.0, triple_product(s, b, c) / volume),
            Kokkos::fmax(0.0, triple_product(a, s, c) / volume),
            Kokkos::fmax(0.0, triple_product(a, b, s) / volume)};
  }

  /// The triangle on the other side of the edge that faces corner k; -1: the border of the mesh.
  [[nodiscard]] int neighbour(int t, int k) const {
    return border_.neighbours[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)];
  }

  [[nodiscard]] MeshBorder const& border() const { return border_; }

 private:
  struct Corners {
    Vec3<double> a, b, c;
  };
  struct Walk {
    int triangle;  ///< -1: the ray leaves the mesh
    int last;      ///< where it was left
  };

  [[nodiscard]] Corners corners(int t) const {
    auto const& v = triangles_[static_cast<std::size_t>(t)];
    auto const at = [&](int k) { return points_[static_cast<std::size_t>(v[k])]; };
    return {at(0), at(1), at(2)};
  }
  [[nodiscard]] Vec3<double> const& corner(int t, int k) const {
    int const p = triangles_[static_cast<std::size_t>(t)][static_cast<std::size_t>(k % 3)];
    return points_[static_cast<std::size_t>(p)];
  }

  /// Rows of cells of equal height, walked through to and fro, each from where the last one ended.
  void fill_table() {
    if (triangles_.empty()) return;
    side_ =
        std::clamp(static_cast<int>(Kokkos::sqrt(static_cast<double>(triangles_.size()))), 4, 1024);
    table_.resize(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_));
    int start = 0;
    for (int row = 0; row < side_; ++row) {
      for (int i = 0; i < side_; ++i) {
        int const column = row % 2 == 0 ? i : side_ - 1 - i;
        double const z = 2 * (row + 0.5) / side_ - 1;
        double const azimuth = 2 * Kokkos::numbers::pi * ((column + 0.5) / side_ - 0.5);
        double const r = Kokkos::sqrt(1 - z * z);
        start = walk(start, {r * Kokkos::cos(azimuth), r * Kokkos::sin(azimuth), z}).last;
        table_[static_cast<std::size_t>(row * side_ + column)] = start;
      }
    }
  }

  [[nodiscard]] std::size_t cell_of(Vec3<double> const& s) const {
    double const turn = Kokkos::atan2(s[1], s[0]) / (2 * Kokkos::numbers::pi) + 0.5;
    auto const index = [&](double x) {
      return std::clamp(static_cast<int>(x * side_), 0, side_ - 1);
    };
    return static_cast<std::size_t>(index((s[2] + 1) / 2) * side_ + index(turn));
  }

  /// The corner whose opposite edge `s` is beyond, the one that it is farthest beyond; -1: none.
  [[nodiscard]] int way_out(int t, Vec3<double> const& s) const {
    auto const [a, b, c] = corners(t);
    double const sides[3] = {triple_product(s, b, c), triple_product(a, s, c),
                             triple_product(a, b, s)};
    int way = -1;
    double least = 0;
    for (int k = 0; k < 3; ++k) {
      if (sides[k] < least) {
        least = sides[k];
        way = k;
      }
    }
    if (way >= 0 && orientation_of(least, s, corner(t, way + 1), corner(t, way + 2)) < 0)
      return way;
    for (int k = 0; k < 3; ++k)
      if (orientation_of(sides[k], s, corner(t, k + 1), corner(t, k + 2)) < 0) return k;
    return -1;
  }

  [[nodiscard]] Walk walk(int t, Vec3<double> const& s) const {
    for (std::size_t step = 0; step <= triangles_.size(); ++step) {
      int const way = way_out(t, s);
      if (way < 0) return {t, t};
      int const next = neighbour(t, way);
      if (next < 0) return border_.is_convex ? Walk{-1, t} : search(s, t);
      t = next;
    }
    return search(s, t);
  }

  [[nodiscard]] Walk search(Vec3<double> const& s, int last) const {
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t)
      if (way_out(t, s) < 0) return {t, t};
    return {-1, last};
  }

  std::vector<Vec3<double>> const& points_;
  std::vector<Triangle> const& triangles_;
  MeshBorder border_;
  std::vector<int> table_;
  int side_ = 0;
};

}  // namespace carroll::detail
