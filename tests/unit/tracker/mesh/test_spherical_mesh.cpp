// SPDX-License-Identifier: BSD-3-Clause
// Vertices that are given, triangles and samples on the sphere, held against what they are by
// definition.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/spherical_mesh.hpp>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "unit/tracker/mesh/meshes.hpp"

namespace {

using namespace carroll::test;
using carroll::Camera;
using carroll::spherical_mesh;
using carroll::detail::row_of;

using Kokkos::numbers::pi;

TEST(SphericalMesh, RandomPointsAreTriangulatedAllRound) {
  Mesh const mesh = spherical_mesh(rows_of(random_points(200)), {.samples = 5000});
  int const V = mesh.vertices.extent_int(0), F = mesh.triangles.extent_int(0);
  auto const edges = edges_of(mesh);
  EXPECT_EQ(vertices_used(mesh), 200);
  EXPECT_EQ(V - static_cast<int>(edges.size()) + F, 2);  // Euler's polyhedron formula
  for (auto const& [edge, count] : edges) EXPECT_EQ(count, 2) << edge.first << " " << edge.second;
  expect_delaunay(mesh);
  expect_samples_in_their_triangles(mesh, 5000);
}

TEST(SphericalMesh, CornersOfACubeHaveManyTriangulations) {
  std::vector<Point> cube;
  for (int i = 0; i < 8; ++i) {
    double const r = 1 / std::sqrt(3.0);
    cube.push_back({i & 1 ? r : -r, i & 2 ? r : -r, i & 4 ? r : -r});
  }
  Mesh const mesh = spherical_mesh(rows_of(cube), {.samples = 1000});
  EXPECT_EQ(mesh.triangles.extent_int(0), 12);
  EXPECT_EQ(edges_of(mesh).size(), 18U);
  expect_delaunay(mesh);
  expect_samples_in_their_triangles(mesh, 1000);
}

TEST(SphericalMesh, APartOfTheSphereHasABorder) {
  Mesh const mesh =
      spherical_mesh(rows_of(random_points(100, 0.5)), {.samples = 2000, .min_elevation = pi / 6});
  auto const edges = edges_of(mesh);
  EXPECT_EQ(vertices_used(mesh), 100);
  EXPECT_EQ(100 - static_cast<int>(edges.size()) + mesh.triangles.extent_int(0), 1);
  EXPECT_TRUE(std::ranges::any_of(edges, [](auto const& e) { return e.second == 1; }));
  expect_samples_in_their_triangles(mesh, 2000);
}

TEST(SphericalMesh, ThreeVerticesAreOneTriangle) {
  Mesh const mesh = spherical_mesh(rows_of({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), {.samples = 100});
  ASSERT_EQ(mesh.triangles.extent_int(0), 1);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(mesh.triangles(0, k), k);
  expect_samples_in_their_triangles(mesh, 100);
}

TEST(SphericalMesh, ACoincidingVertexBelongsToNoTriangle) {
  auto points = random_points(50);
  points.push_back(points[7]);
  Mesh const mesh = spherical_mesh(rows_of(points), {.samples = 500});
  EXPECT_EQ(mesh.vertices.extent_int(0), 51);
  EXPECT_EQ(vertices_used(mesh), 50);
  expect_samples_in_their_triangles(mesh, 500);
}

TEST(SphericalMesh, SamplesAreEvenlySpread) {
  int const samples = 80'000;
  Mesh const mesh = spherical_mesh(rows_of(random_points(300)), {.samples = samples});
  std::array<int, 8> octants{};
  std::array<double, 3> sum{};
  for (int i = 0; i < samples; ++i) {
    auto const s = row_of(mesh.samples, i);
    ++octants[static_cast<std::size_t>((s[0] > 0) + 2 * (s[1] > 0) + 4 * (s[2] > 0))];
    for (std::size_t k = 0; k < 3; ++k) sum[k] += s[k];
  }
  // Random points would be off by 100 in an octant, and by 160 in a sum.
  for (int const count : octants) EXPECT_NEAR(count, samples / 8, 20);
  for (double const x : sum) EXPECT_NEAR(x, 0, 30);
}

/// Rays of the pixels of a grid that reaches to `margin` pixels from the border.
std::vector<Point> grid_of(Camera<double> const& camera, int columns, int rows, double margin) {
  std::vector<Point> points;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      auto const s = camera.ray(margin + i * (camera.width - 1 - 2 * margin) / (columns - 1),
                                margin + j * (camera.height - 1 - 2 * margin) / (rows - 1));
      points.push_back({s[0], s[1], s[2]});
    }
  }
  return points;
}

// A pinhole puts a row of the image into a plane with the centre.
TEST(SphericalMesh, CornersInRowsAndColumnsAreCovered) {
  for (double const degrees : {20.0, 60.0, 90.0, 150.0}) {
    for (auto const& [columns, rows] : {std::pair{2, 2}, {5, 4}, {40, 2}, {2, 31}, {37, 27}}) {
      auto const camera = pinhole(640, 480, degrees);
      Mesh const mesh =
          spherical_mesh(rows_of(grid_of(camera, columns, rows, 3)), {.samples = 4000});
      int const inner = 2 * (columns - 1) * (rows - 1);
      EXPECT_EQ(mesh.triangles.extent_int(0), inner) << degrees << " " << columns << "x" << rows;
      expect_samples_in_their_triangles(mesh, 4000);
      EXPECT_EQ(cells_with_samples(mesh, camera, 10), 100)
          << degrees << " " << columns << "x" << rows;
    }
  }
}

TEST(SphericalMesh, RandomCornersBesideRowsOfCornersAreCovered) {
  std::mt19937_64 engine(4);
  auto const camera = pinhole(640, 480, 80);
  for (int round = 0; round < 20; ++round) {
    std::vector<Point> points;
    auto const add = [&](double u, double v) {
      auto const s = camera.ray(u, v);
      points.push_back({s[0], s[1], s[2]});
    };
    std::uniform_int_distribution<int> column(3, 636), row(3, 476);
    for (int i = 0; i < 60; ++i) {
      add(column(engine), 3);
      add(column(engine), 476);
      add(3, row(engine));
      add(636, row(engine));
    }
    for (int i = 0; i < 200; ++i) add(column(engine), row(engine));
    Mesh const mesh = spherical_mesh(rows_of(points), {.samples = 3000});
    expect_samples_in_their_triangles(mesh, 3000);
    EXPECT_GE(cells_with_samples(mesh, camera, 8), 60) << round;
  }
}

TEST(SphericalMesh, VerticesOfAHemisphereDoNotSeeBehindIt) {
  // A circle of vertices in a plane with the centre, and one above it.
  std::vector<Point> points = {{0, 0, 1}};
  for (int i = 0; i < 24; ++i) points.push_back({std::cos(i * pi / 12), std::sin(i * pi / 12), 0});
  Mesh const mesh = spherical_mesh(rows_of(points), {.samples = 2000});
  EXPECT_EQ(mesh.triangles.extent_int(0), 24);
  expect_samples_in_their_triangles(mesh, 2000);
  for (int i = 0; i < 2000; ++i) ASSERT_GT(mesh.samples(i, 2), -1e-9);
}

TEST(SphericalMesh, OtherNumbersOfVerticesGiveTheSameTriangles) {
  auto points = grid_of(pinhole(640, 480, 70), 12, 9, 3);
  Mesh const mesh = spherical_mesh(rows_of(points), {.samples = 0});
  std::vector<int> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::mt19937_64 engine(8);
  std::ranges::shuffle(order, engine);
  auto shuffled = points;
  for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = points[order[i]];
  Mesh const other = spherical_mesh(rows_of(shuffled), {.samples = 0});
  auto const sorted = [](Mesh const& of, auto const& name) {
    std::set<std::array<int, 3>> triangles;
    for (int t = 0; t < of.triangles.extent_int(0); ++t) {
      std::array<int, 3> corners{};
      for (std::size_t k = 0; k < 3; ++k) corners[k] = name(of.triangles(t, k));
      std::ranges::sort(corners);
      triangles.insert(corners);
    }
    return triangles;
  };
  EXPECT_EQ(sorted(mesh, [](int i) { return i; }),
            sorted(other, [&](int i) { return order[static_cast<std::size_t>(i)]; }));
}

TEST(SphericalMesh, CopiesKeepEveryNumber) {
  Mesh const mesh = spherical_mesh(rows_of(random_points(20)), {.samples = 50});
  auto const copy = carroll::mesh_on<float>(Kokkos::DefaultExecutionSpace(), mesh);
  auto const weights = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy.weights);
  auto const offsets =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy.triangle_offsets);
  for (int i = 0; i < 50; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(weights(i, k), static_cast<float>(mesh.weights(i, k)));
  for (int t = 0; t < mesh.triangle_offsets.extent_int(0); ++t)
    EXPECT_EQ(offsets(t), mesh.triangle_offsets(t));
}

}  // namespace
