// SPDX-License-Identifier: BSD-3-Clause
// Vertices that an image gives, with their triangles and samples.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/spherical_mesh.hpp>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "support/copy.hpp"
#include "unit/tracker/mesh/meshes.hpp"

namespace {

using namespace carroll::test;
using carroll::Camera;
using carroll::spherical_mesh;
using carroll::SphericalMeshOptions;
using carroll::detail::dot;
using carroll::detail::row_of;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Image = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;

using Kokkos::numbers::pi;

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
  carroll::test::deep_copy(mask, 255);
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

}  // namespace
