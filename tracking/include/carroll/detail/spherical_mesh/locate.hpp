// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/spherical_mesh/delaunay.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstddef>
#include <vector>

namespace carroll::detail {

/// Finds the triangle of a spherical Delaunay triangulation that a ray passes through, by walking:
/// out of a triangle through an edge that the ray is beyond, until there is none. With the plane of
/// a triangle written as m·x = 1, every step makes m·s larger, because the hull is convex: the walk
/// never returns, whatever edge it takes. A table over the sphere tells where to begin, which
/// leaves a few steps for each ray.
class TriangleLocator {
 public:
  TriangleLocator(std::vector<Vec3<double>> const& points, std::vector<Triangle> const& triangles)
      : points_(points), triangles_(triangles), neighbours_(triangles.size(), {-1, -1, -1}) {
    connect();
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
    return {triple_product(s, b, c) / volume, triple_product(a, s, c) / volume,
            triple_product(a, b, s) / volume};
  }

  /// The triangle on the other side of the edge that faces corner k; -1: the border of the mesh.
  [[nodiscard]] int neighbour(int t, int k) const {
    return neighbours_[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)];
  }

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

  void connect() {
    struct Edge {
      int low, high, triangle, facing;
    };
    std::vector<Edge> edges;
    edges.reserve(3 * triangles_.size());
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
      auto const& v = triangles_[static_cast<std::size_t>(t)];
      for (int k = 0; k < 3; ++k) {
        auto const [low, high] = std::minmax(v[(k + 1) % 3], v[(k + 2) % 3]);
        edges.push_back({low, high, t, k});
      }
    }
    std::ranges::sort(edges, [](Edge const& a, Edge const& b) {
      if (a.low != b.low) return a.low < b.low;
      return a.high != b.high ? a.high < b.high : a.triangle < b.triangle;
    });
    for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
      Edge const &one = edges[e], &two = edges[e + 1];
      if (one.low != two.low || one.high != two.high) continue;
      neighbours_[static_cast<std::size_t>(one.triangle)][static_cast<std::size_t>(one.facing)] =
          two.triangle;
      neighbours_[static_cast<std::size_t>(two.triangle)][static_cast<std::size_t>(two.facing)] =
          one.triangle;
    }
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

  [[nodiscard]] Walk walk(int t, Vec3<double> const& s) const {
    // Without rounding no triangle is met twice.
    for (std::size_t step = 0; step <= triangles_.size(); ++step) {
      auto const [a, b, c] = corners(t);
      double const sides[3] = {triple_product(s, b, c), triple_product(a, s, c),
                               triple_product(a, b, s)};
      int worst = -1;
      double least = 0;
      for (int k = 0; k < 3; ++k) {
        if (sides[k] < least) {
          least = sides[k];
          worst = k;
        }
      }
      if (worst < 0) return {t, t};
      int const next = neighbour(t, worst);
      if (next < 0) return {-1, t};
      t = next;
    }
    return search(s);
  }

  /// Every triangle: for a ray that rounding sends round in a circle between slivers.
  [[nodiscard]] Walk search(Vec3<double> const& s) const {
    Walk best{-1, 0};
    double most = -1e-12;
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
      Vec3<double> const w = weights(t, s);
      double const least = std::min({w[0], w[1], w[2]});
      if (least > most) {
        most = least;
        best = {t, t};
      }
    }
    return best;
  }

  std::vector<Vec3<double>> const& points_;
  std::vector<Triangle> const& triangles_;
  std::vector<Triangle> neighbours_;
  std::vector<int> table_;
  int side_ = 0;
};

}  // namespace carroll::detail
