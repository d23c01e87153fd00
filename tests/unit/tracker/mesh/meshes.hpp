// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/spherical_mesh.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "support/tolerance.hpp"

/// Points on the sphere, and what a mesh of them has to be by definition.
namespace carroll::test {

using Mesh = SphericalMesh<double>;
using Point = std::array<double, 3>;
using Rows = Kokkos::View<double* [3], Kokkos::HostSpace>;

inline Rows rows_of(std::vector<Point> const& points) {
  Rows rows("carroll_test::points", points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) rows(i, k) = points[i][k];
  return rows;
}

/// Evenly distributed points above a height.
inline std::vector<Point> random_points(int count, double lowest = -1) {
  std::mt19937_64 engine(20200903);
  std::normal_distribution<double> normal;
  std::vector<Point> points;
  while (static_cast<int>(points.size()) < count) {
    Point p{normal(engine), normal(engine), normal(engine)};
    double const length = std::hypot(p[0], p[1], p[2]);
    for (double& x : p) x /= length;
    if (p[2] > lowest) points.push_back(p);
  }
  return points;
}

/// Edges, and of each how many triangles have it.
inline std::map<std::pair<int, int>, int> edges_of(Mesh const& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t) {
    for (int k = 0; k < 3; ++k) {
      int const a = mesh.triangles(t, k), b = mesh.triangles(t, (k + 1) % 3);
      ++edges[std::minmax(a, b)];
    }
  }
  return edges;
}

inline int vertices_used(Mesh const& mesh) {
  std::set<int> used;
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t)
    for (int k = 0; k < 3; ++k) used.insert(mesh.triangles(t, k));
  return static_cast<int>(used.size());
}

/// Every triangle is anticlockwise, and no vertex lies beyond its plane.
inline void expect_delaunay(Mesh const& mesh) {
  using detail::along, detail::cross, detail::dot, detail::row_of;
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t) {
    auto const a = row_of(mesh.vertices, mesh.triangles(t, 0));
    auto const b = row_of(mesh.vertices, mesh.triangles(t, 1));
    auto const c = row_of(mesh.vertices, mesh.triangles(t, 2));
    auto normal = cross(along(b, -1.0, a), along(c, -1.0, a));
    double const length = std::sqrt(dot(normal, normal));
    for (std::size_t k = 0; k < 3; ++k) normal[k] /= length;
    double const height = dot(normal, a);
    EXPECT_GT(height, 0) << t;
    for (int i = 0; i < mesh.vertices.extent_int(0); ++i)
      EXPECT_LE(dot(normal, row_of(mesh.vertices, i)), height + 1e-12) << t << " " << i;
  }
}

/// Samples are unit rays in the triangle that their place says: Vᵀw is the ray and w >= 0.
inline void expect_samples_in_their_triangles(Mesh const& mesh, int samples) {
  int const triangles = mesh.triangles.extent_int(0);
  ASSERT_EQ(mesh.samples.extent_int(0), samples);
  ASSERT_EQ(mesh.weights.extent_int(0), samples);
  ASSERT_EQ(mesh.triangle_offsets.extent_int(0), triangles + 1);
  ASSERT_EQ(mesh.triangle_offsets(0), 0);
  ASSERT_EQ(mesh.triangle_offsets(triangles), samples);
  double most = 0;
  for (int t = 0; t < triangles; ++t) {
    ASSERT_LE(mesh.triangle_offsets(t), mesh.triangle_offsets(t + 1));
    for (int i = mesh.triangle_offsets(t); i < mesh.triangle_offsets(t + 1); ++i) {
      auto const s = detail::row_of(mesh.samples, i);
      most = std::max(most, std::abs(detail::dot(s, s) - 1));
      for (int k = 0; k < 3; ++k) {
        double sum = -s[static_cast<std::size_t>(k)];
        for (int j = 0; j < 3; ++j)
          sum += mesh.weights(i, j) * mesh.vertices(mesh.triangles(t, j), k);
        most = std::max({most, std::abs(sum), -mesh.weights(i, k)});
      }
    }
  }
  // 3 products and a division with the condition of the narrowest triangle, 1e4 here.
  EXPECT_LE(most, 1e4 * epsilon<double>);
}

inline Camera<double> pinhole(int width, int height, double degrees) {
  double const f = width / (2 * std::tan(degrees * Kokkos::numbers::pi / 360));
  return Camera<double>::unified(width, height, f, f, (width - 1) / 2.0, (height - 1) / 2.0, 0);
}

/// How many of cells×cells parts of the image that `camera` takes hold a sample.
inline int cells_with_samples(Mesh const& mesh, Camera<double> const& camera, int cells) {
  std::set<std::pair<int, int>> found;
  for (int i = 0; i < mesh.samples.extent_int(0); ++i) {
    double u = 0, v = 0;
    EXPECT_TRUE(camera.project(detail::row_of(mesh.samples, i), u, v));
    found.insert(
        {static_cast<int>(u * cells / camera.width), static_cast<int>(v * cells / camera.height)});
  }
  return static_cast<int>(found.size());
}

}  // namespace carroll::test
