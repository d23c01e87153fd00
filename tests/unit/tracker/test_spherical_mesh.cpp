// SPDX-License-Identifier: BSD-3-Clause
// Vertices, triangles and samples on the sphere, held against what they are by definition.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/spherical_mesh.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "support/tolerance.hpp"

namespace {

using carroll::Camera;
using carroll::spherical_mesh;
using carroll::SphericalMeshOptions;
using carroll::detail::dot;
using carroll::detail::row_of;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Mesh = carroll::SphericalMesh<double>;
using Point = std::array<double, 3>;
using Rows = Kokkos::View<double* [3], Kokkos::HostSpace>;
using Image = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;

constexpr double pi = Kokkos::numbers::pi;

Rows rows_of(std::vector<Point> const& points) {
  Rows rows("carroll_test::points", points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) rows(i, k) = points[i][k];
  return rows;
}

/// Evenly distributed points above a height.
std::vector<Point> random_points(int count, double lowest = -1) {
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
std::map<std::pair<int, int>, int> edges_of(Mesh const& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t) {
    for (int k = 0; k < 3; ++k) {
      int const a = mesh.triangles(t, k), b = mesh.triangles(t, (k + 1) % 3);
      ++edges[std::minmax(a, b)];
    }
  }
  return edges;
}

int vertices_used(Mesh const& mesh) {
  std::set<int> used;
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t)
    for (int k = 0; k < 3; ++k) used.insert(mesh.triangles(t, k));
  return static_cast<int>(used.size());
}

/// Every triangle is anticlockwise, and no vertex lies beyond its plane.
void expect_delaunay(Mesh const& mesh) {
  using carroll::detail::along;
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t) {
    auto const a = row_of(mesh.vertices, mesh.triangles(t, 0));
    auto const b = row_of(mesh.vertices, mesh.triangles(t, 1));
    auto const c = row_of(mesh.vertices, mesh.triangles(t, 2));
    auto normal = carroll::detail::cross(along(b, -1.0, a), along(c, -1.0, a));
    double const length = std::sqrt(dot(normal, normal));
    for (std::size_t k = 0; k < 3; ++k) normal[k] /= length;
    double const height = dot(normal, a);
    EXPECT_GT(height, 0) << t;
    for (int i = 0; i < mesh.vertices.extent_int(0); ++i)
      EXPECT_LE(dot(normal, row_of(mesh.vertices, i)), height + 1e-12) << t << " " << i;
  }
}

/// Samples are unit rays in the triangle that their place says: Vᵀw is the ray and w >= 0.
void expect_samples_in_their_triangles(Mesh const& mesh, int samples) {
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
      auto const s = row_of(mesh.samples, i);
      most = std::max(most, std::abs(dot(s, s) - 1));
      for (int k = 0; k < 3; ++k) {
        double sum = -s[static_cast<std::size_t>(k)];
        for (int j = 0; j < 3; ++j)
          sum += mesh.weights(i, j) * mesh.vertices(mesh.triangles(t, j), k);
        most = std::max({most, std::abs(sum), -mesh.weights(i, k)});
      }
    }
  }
  // 3 products and a division with the condition of the narrowest triangle, 1e4 here.
  EXPECT_LE(most, 1e4 * carroll::test::epsilon<double>);
}

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

/// Grey waves all over the sphere.
Image waves(Camera<double> const& camera) {
  Image image("carroll_test::image", camera.height, camera.width);
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      auto const s = camera.ray(u, v);
      image(v, u) = static_cast<float>(128 + 40 * std::sin(20 * s[0]) * std::sin(17 * s[1]) +
                                       20 * std::sin(23 * s[2] + 9 * s[0]));
    }
  }
  return image;
}

TEST(SphericalMesh, AnImageGivesAsManyVerticesAsAskedFor) {
  auto const camera = Camera<double>::equirectangular(512, 256);
  Image const image = waves(camera);
  Mesh const mesh = spherical_mesh(Exec(), image, camera, {.vertices = 400, .samples = 10'000});
  EXPECT_EQ(mesh.vertices.extent_int(0), 400);
  EXPECT_EQ(mesh.triangles.extent_int(0), 796);
  expect_samples_in_their_triangles(mesh, 10'000);
  // No two are nearer than two thirds of what as many points all at the same distance have.
  double least = 2;
  for (int i = 0; i < 400; ++i) {
    for (int j = 0; j < i; ++j)
      least = std::min(least, 1 - dot(row_of(mesh.vertices, i), row_of(mesh.vertices, j)));
  }
  EXPECT_GT(std::sqrt(2 * least), 0.5 * std::sqrt(4 * pi / 400));
  // Again: the same bits.
  Mesh const again = spherical_mesh(Exec(), image, camera, {.vertices = 400, .samples = 10'000});
  for (int i = 0; i < 10'000; ++i)
    for (int k = 0; k < 3; ++k) ASSERT_EQ(mesh.weights(i, k), again.weights(i, k));
}

TEST(SphericalMesh, CornersOfTheImageBecomeVertices) {
  auto const camera = Camera<double>::equirectangular(400, 200);
  Image const image("carroll_test::image", 200, 400);
  std::vector<std::array<int, 2>> const squares = {{60, 90}, {180, 110}, {300, 70}, {220, 130}};
  for (auto const& [left, top] : squares)
    for (int v = top; v < top + 12; ++v)
      for (int u = left; u < left + 12; ++u) image(v, u) = 200;
  Mesh const mesh = spherical_mesh(Exec(), image, camera, {.vertices = 60, .samples = 100});
  for (auto const& [left, top] : squares) {
    // One corner of each at least: they are nearer to each other than vertices may be at first.
    double best = 400;
    for (int i = 0; i < 60; ++i) {
      double u = 0, v = 0;
      (void)camera.project(row_of(mesh.vertices, i), u, v);
      for (double const x : {left - 0.5, left + 11.5})
        for (double const y : {top - 0.5, top + 11.5})
          best = std::min(best, std::hypot(u - x, v - y));
    }
    EXPECT_LT(best, 2.5);
  }
}

TEST(SphericalMesh, ABandAndAMaskAreKeptTo) {
  auto const camera = Camera<double>::equirectangular(512, 256);
  Image const image = waves(camera);
  Kokkos::View<unsigned char**, Kokkos::LayoutRight, Kokkos::HostSpace> mask("carroll_test::mask",
                                                                             256, 512);
  for (int v = 0; v < 256; ++v)
    for (int u = 256; u < 512; ++u) mask(v, u) = 255;
  SphericalMeshOptions const options{
      .vertices = 150, .samples = 3000, .min_elevation = -0.5, .max_elevation = 0.7};
  Mesh const mesh = spherical_mesh(Exec(), image, camera, options, mask);
  expect_samples_in_their_triangles(mesh, 3000);
  for (auto const& rays : {mesh.vertices, mesh.samples}) {
    for (int i = 0; i < rays.extent_int(0); ++i) {
      double const elevation = std::asin(rays(i, 2));
      EXPECT_GE(elevation, -0.5 - 1e-12);
      EXPECT_LE(elevation, 0.7 + 1e-12);
      EXPECT_LT(rays(i, 1), 0.01);  // the right half of the image is right of the camera
    }
  }
}

/// How many of cells×cells parts of the image that `camera` takes hold a sample.
int cells_with_samples(Mesh const& mesh, Camera<double> const& camera, int cells) {
  std::set<std::pair<int, int>> found;
  for (int i = 0; i < mesh.samples.extent_int(0); ++i) {
    double u = 0, v = 0;
    EXPECT_TRUE(camera.project(row_of(mesh.samples, i), u, v));
    found.insert(
        {static_cast<int>(u * cells / camera.width), static_cast<int>(v * cells / camera.height)});
  }
  return static_cast<int>(found.size());
}

Camera<double> pinhole(int width, int height, double degrees) {
  double const f = width / (2 * std::tan(degrees * pi / 360));
  return Camera<double>::unified(width, height, f, f, (width - 1) / 2.0, (height - 1) / 2.0, 0);
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

// Where the window of the corner response would leave the image there is none: beside that, pixels
// would be local maxima for want of neighbours.
TEST(SphericalMesh, TheBorderOfAnImageAttractsNoCorners) {
  for (double const degrees : {20.0, 60.0, 100.0}) {
    auto const camera = pinhole(320, 240, degrees);
    Image const image("carroll_test::image", 240, 320);
    std::mt19937_64 engine(17);
    for (int v = 0; v < 240; ++v)
      for (int u = 0; u < 320; ++u) image(v, u) = static_cast<float>(engine() % 256);
    Mesh const mesh = spherical_mesh(Exec(), image, camera, {.vertices = 1000, .samples = 5000});
    expect_samples_in_their_triangles(mesh, 5000);
    EXPECT_EQ(cells_with_samples(mesh, camera, 10), 100) << degrees;
    for (int i = 0; i < 1000; ++i) {
      double u = 0, v = 0;
      EXPECT_TRUE(camera.project(row_of(mesh.vertices, i), u, v));
      bool const is_pixel = std::abs(u - std::round(u)) + std::abs(v - std::round(v)) < 1e-9;
      if (is_pixel) {
        EXPECT_GT(std::min({u, v, 319 - u, 239 - v}), 3.5) << u << " " << v;
      }
    }
  }
}

using Mask = Kokkos::View<unsigned char**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// A chequer-board of which the mask shows rows first … last of the image only.
Mesh mesh_of_chequers(Camera<double> const& camera, int first, int last, int vertices) {
  constexpr int step = 9;
  Image const image("carroll_test::image", camera.height, camera.width);
  Mask const mask("carroll_test::mask", camera.height, camera.width);
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      image(v, u) = static_cast<float>((u / step + v / step) % 2 * 200);
      mask(v, u) = v >= first && v <= last ? 255 : 0;
    }
  }
  return spherical_mesh(Exec(), image, camera, {.vertices = vertices, .samples = 50}, mask);
}

// A pinhole puts the corners of a row into one plane with the centre.
TEST(SphericalMesh, CornersThatAreAllInOneRowAreCompletedByAPointBesideIt) {
  for (int vertices = 3; vertices <= 8; ++vertices)
    expect_samples_in_their_triangles(mesh_of_chequers(pinhole(140, 46, 110), 24, 30, vertices),
                                      50);
}

// The best corners of a pinhole's chequer-board are those of its outermost row.
TEST(SphericalMesh, VerticesAreNotAllOfOneRow) {
  auto const camera = pinhole(320, 60, 120);
  for (int vertices = 3; vertices <= 20; ++vertices) {
    Mesh const mesh = mesh_of_chequers(camera, 5, 22, vertices);
    expect_samples_in_their_triangles(mesh, 50);
    std::set<long> rows;
    for (int i = 0; i < vertices; ++i) {
      double u = 0, v = 0;
      EXPECT_TRUE(camera.project(row_of(mesh.vertices, i), u, v));
      rows.insert(std::lround(v));
    }
    EXPECT_GT(rows.size(), 1U) << vertices;
  }
}

// Any third vertex is in one plane with two that are opposite.
TEST(SphericalMesh, OppositeCornersAreNotTwoOfThreeVertices) {
  auto const camera = Camera<double>::equirectangular(144, 72);
  Image const image("carroll_test::image", 72, 144);
  Mask const mask("carroll_test::mask", 72, 144);
  Kokkos::deep_copy(mask, 255);
  // The mask leaves one corner of this square, and the opposite one of its reflection.
  for (int v = 24; v < 48; ++v) {
    for (int u = 24; u < 48; ++u) {
      int const opposite_u = u + 72, opposite_v = 71 - v;
      bool const inside = std::min(u, v) >= 30 && std::max(u, v) < 42;
      image(v, u) = image(opposite_v, opposite_u) = inside ? 200 : 0;
      if (std::max(u, v) >= 36) mask(v, u) = mask(opposite_v, opposite_u) = 0;
    }
  }
  expect_samples_in_their_triangles(
      spherical_mesh(Exec(), image, camera, {.vertices = 3, .samples = 50}, mask), 50);
}

TEST(SphericalMesh, AUnifiedCameraSeesAPart) {
  auto const camera = Camera<double>::unified(320, 240, 160, 160, 159.5, 119.5, 0.9);
  Mesh const mesh =
      spherical_mesh(Exec(), waves(camera), camera, {.vertices = 100, .samples = 2000});
  expect_samples_in_their_triangles(mesh, 2000);
  for (int i = 0; i < 2000; ++i) {
    double u = 0, v = 0;
    EXPECT_TRUE(camera.project(row_of(mesh.samples, i), u, v));
  }
}

TEST(SphericalMesh, AnImageWithoutTextureIsTriangulatedEvenly) {
  auto const camera = Camera<double>::equirectangular(128, 64);
  Image const image("carroll_test::image", 64, 128);
  Mesh const mesh = spherical_mesh(Exec(), image, camera, {.vertices = 100, .samples = 1000});
  EXPECT_EQ(mesh.triangles.extent_int(0), 196);
  expect_delaunay(mesh);
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
