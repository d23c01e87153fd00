// SPDX-License-Identifier: BSD-3-Clause
// The depth of every pixel: against a loop over all triangles in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/dense_depths.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "support/copy.hpp"
#include "support/tracker/problem.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;
using Numbers = std::vector<double>;
template <class T, class Layout = Kokkos::LayoutRight>
using Picture = Kokkos::View<T**, Layout, Exec>;

Numbers random_depths(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers zeta;
  for (int i = 0; i < count; ++i) zeta.push_back(0.3 * std::exp(uniform(generator)));
  return zeta;
}

template <class T>
Kokkos::View<T*, Exec> depths_on_device(Numbers const& zeta) {
  Kokkos::View<T*, Exec> const device("carroll_test::zeta", zeta.size());
  auto const host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < zeta.size(); ++i) host(i) = static_cast<T>(zeta[i]);
  carroll::test::deep_copy(device, host);
  return device;
}

/// What is found for every pixel, row after row.
template <class Result = double, class Layout = Kokkos::LayoutRight, class Depth = double>
Numbers dense(auto const& camera, SphericalMesh<float> const& mesh, Numbers const& zeta,
              DenseDepthOptions const& options = {}) {
  Exec const exec;
  auto const workspace = dense_depths_workspace(exec, camera, mesh_on<float>(exec, mesh));
  Picture<Result, Layout> const result("carroll_test::dense", std::size_t(camera.height),
                                       std::size_t(camera.width));
  dense_depths_async(exec, depths_on_device<Depth>(zeta), result, workspace, options);
  exec.fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  Numbers found;
  for (std::size_t v = 0; v < host.extent(0); ++v)
    for (std::size_t u = 0; u < host.extent(1); ++u) found.push_back(double(host(v, u)));
  return found;
}

struct Looked {
  double least = -2;  ///< weight in the triangle where that is largest
  double inverse = 0;
};

/// By Cramer's rule in every triangle.
Looked look(SphericalMesh<float> const& mesh, Numbers const& zeta, Vector3 const& s) {
  auto const determinant = [](Vector3 const& a, Vector3 const& b, Vector3 const& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  };
  Looked best;
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t) {
    Vector3 v[3];
    for (int k = 0; k < 3; ++k)
      for (std::size_t a = 0; a < 3; ++a)
        v[k][a] = double(mesh.vertices(mesh.triangles(t, k), int(a)));
    double const all = determinant(v[0], v[1], v[2]);
    double const w[3] = {determinant(s, v[1], v[2]) / all, determinant(v[0], s, v[2]) / all,
                         determinant(v[0], v[1], s) / all};
    double const least = std::min({w[0], w[1], w[2]});
    if (!(all > 0) || !(least > best.least)) continue;
    best = {least, 0};
    for (int k = 0; k < 3; ++k) best.inverse += w[k] * zeta[std::size_t(mesh.triangles(t, k))];
  }
  return best;
}

/// Compares all pixels; returns how many are in a triangle.
int expect_as_looped(auto const& camera, SphericalMesh<float> const& mesh, unsigned seed) {
  Numbers const zeta = random_depths(mesh.vertices.extent_int(0), seed);
  Numbers const found = dense(camera, mesh, zeta, {DenseDepth::inverse_range});
  // The border, and what the weights' single precision is worth.
  constexpr double at_border = 1e-6, tolerance = 4e-7;
  int inside = 0;
  for (int v = 0; v < camera.height; ++v)
    for (int u = 0; u < camera.width; ++u) {
      auto const ray = camera.ray(u, v);
      double const value = found[std::size_t(v) * std::size_t(camera.width) + std::size_t(u)];
      Looked const expected =
          ray[0] == ray[0] ? look(mesh, zeta, {ray[0], ray[1], ray[2]}) : Looked{};
      if (expected.least < -at_border) {
        EXPECT_TRUE(std::isnan(value)) << u << " " << v;
      } else if (expected.least > at_border) {
        ++inside;
        EXPECT_NEAR(value / expected.inverse, 1, tolerance) << u << " " << v;
      }
    }
  return inside;
}

/// Without the triangles that have a vertex below.
SphericalMesh<float> upper_part(SphericalMesh<float> const& mesh, float lowest) {
  SphericalMesh<float> part = mesh;
  std::vector<int> kept;
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t) {
    bool above = true;
    for (int k = 0; k < 3; ++k) above = above && mesh.vertices(mesh.triangles(t, k), 2) > lowest;
    if (above) kept.push_back(t);
  }
  part.triangles = decltype(part.triangles)("carroll_test::triangles", kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (int k = 0; k < 3; ++k) part.triangles(i, k) = mesh.triangles(kept[i], k);
  return part;
}

auto const sphere_camera = Camera<double>::equirectangular(70, 37);
auto const pinhole_camera = Camera<double>::unified(53, 34, 30, 31, 25, 17, 0);

TEST(DenseDepths, EveryPixelOfASphereIsInATriangle) {
  for (unsigned seed = 1; seed <= 3; ++seed)
    EXPECT_GT(expect_as_looped(sphere_camera, icosphere(int(2 * seed), 0), seed), 2400);
  // All around a pole, and in tiles that are cut off.
  EXPECT_GT(expect_as_looped(Camera<double>::equirectangular(33, 17), icosphere(1, 0), 9), 500);
}

TEST(DenseDepths, PixelsOutsideTheMeshAreNaN) {
  auto const mesh = upper_part(icosphere(5, 0), 0.1F);
  int const inside = expect_as_looped(sphere_camera, mesh, 4);
  EXPECT_GT(inside, 700);
  EXPECT_LT(inside, 1400);
  expect_as_looped(pinhole_camera, mesh, 5);
  auto const none = upper_part(icosphere(2, 0), 2.0F);
  for (double const x : dense(pinhole_camera, none, random_depths(42, 1)))
    EXPECT_TRUE(std::isnan(x));
}

TEST(DenseDepths, CamerasOfAllKinds) {
  auto const mesh = icosphere(6, 0);
  EXPECT_GT(expect_as_looped(pinhole_camera, mesh, 6), 1700);
  EXPECT_GT(expect_as_looped(Camera<double>::unified(40, 40, 30, 30, 20, 20, 1), mesh, 7), 1500);
  // Pixels of χ > 1 that see nothing.
  auto const lens = Camera<double>::unified(60, 60, 20, 20, 30, 30, 1.4);
  EXPECT_TRUE(std::isnan(lens.ray(0, 0)[0]));
  EXPECT_GT(expect_as_looped(lens, mesh, 8), 900);
  EXPECT_GT(expect_as_looped(
                Lens<double>::radial_tangential(48, 32, 30, 30, 24, 16, {-0.2, 0.05, 1e-3, 0, 0}),
                mesh, 9),
            1400);
  EXPECT_GT(
      expect_as_looped(Lens<double>::kannala_brandt(40, 40, 16, 16, 20, 20, {0.02, -0.005, 0, 0}),
                       mesh, 10),
      1400);
}

TEST(DenseDepths, NeedlesAndTrianglesTurnedOverHaveNoPixels) {
  auto const whole = icosphere(3, 0);
  SphericalMesh<float> worse = whole;
  auto const count = whole.triangles.extent(0);
  worse.triangles = decltype(worse.triangles)("carroll_test::triangles", count + 2);
  for (std::size_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) worse.triangles(t, k) = whole.triangles(t, k);
  for (int k = 0; k < 3; ++k) worse.triangles(count, k) = whole.triangles(0, 2 - k);
  for (int k = 0; k < 3; ++k) worse.triangles(count + 1, k) = whole.triangles(1, k / 2);
  Numbers const zeta = random_depths(whole.vertices.extent_int(0), 3);
  EXPECT_EQ(dense(sphere_camera, worse, zeta), dense(sphere_camera, whole, zeta));
}

TEST(DenseDepths, Quantities) {
  auto const mesh = icosphere(4, 0);
  Numbers const zeta = random_depths(mesh.vertices.extent_int(0), 11);
  Numbers const inverse = dense(sphere_camera, mesh, zeta, {DenseDepth::inverse_range, 2});
  Numbers const range = dense(sphere_camera, mesh, zeta, {DenseDepth::range, 2});
  Numbers const along = dense(sphere_camera, mesh, zeta, {DenseDepth::along_axis, 2});
  int ahead = 0;
  for (std::size_t i = 0; i < range.size(); ++i) {
    EXPECT_NEAR(inverse[i] * range[i], 1, 1e-12);
    double const forward = sphere_camera.ray(double(i % 70), double(i / 70))[0];
    if (forward < -1e-6) {
      EXPECT_TRUE(std::isnan(along[i])) << i;
    }
    if (forward < 1e-6) continue;
    ++ahead;
    EXPECT_NEAR(along[i], forward * range[i], 1e-6 * range[i]) << i;
  }
  EXPECT_GT(ahead, 1200);
  Numbers const metres = dense(sphere_camera, mesh, zeta);
  for (std::size_t i = 0; i < range.size(); ++i)
    EXPECT_NEAR(range[i], 2 * metres[i], 1e-12 * range[i]);
}

TEST(DenseDepths, LayoutsAndPrecisions) {
  auto const mesh = icosphere(4, 0);
  Numbers const zeta = random_depths(mesh.vertices.extent_int(0), 12);
  Numbers const expected = dense(pinhole_camera, mesh, zeta);
  EXPECT_EQ((dense<double, Kokkos::LayoutLeft>(pinhole_camera, mesh, zeta)), expected);
  Numbers const narrow = dense<float>(pinhole_camera, mesh, zeta);
  for (std::size_t i = 0; i < narrow.size(); ++i)
    EXPECT_EQ(narrow[i], double(float(expected[i]))) << i;
  Numbers const single = dense<double, Kokkos::LayoutRight, float>(pinhole_camera, mesh, zeta);
  for (std::size_t i = 0; i < single.size(); ++i) EXPECT_NEAR(single[i] / expected[i], 1, 2e-7);
}

TEST(DenseDepths, DepthsThatAreNoneStayWhereTheyAre) {
  auto const mesh = icosphere(3, 0);
  Numbers zeta = random_depths(mesh.vertices.extent_int(0), 13);
  Numbers const before = dense(sphere_camera, mesh, zeta);
  zeta[5] = std::numeric_limits<double>::quiet_NaN();
  Numbers const after = dense(sphere_camera, mesh, zeta);
  std::size_t lost = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    if (std::isnan(after[i])) {
      ++lost;
    } else {
      EXPECT_EQ(after[i], before[i]);
    }
  EXPECT_GT(lost, 20U);
  EXPECT_LT(lost, after.size() / 4);
  Numbers const far(zeta.size(), 0.0);
  for (double const x : dense(sphere_camera, mesh, far)) EXPECT_TRUE(std::isinf(x));
}

TEST(DenseDepths, Misuse) {
  Exec const exec;
  auto const host_mesh = icosphere(2, 0);
  auto const mesh = mesh_on<float>(exec, host_mesh);
  EXPECT_THROW((void)dense_depths_workspace(exec, Camera<double>{}, mesh), std::invalid_argument);
  auto strange = host_mesh;
  strange.triangles = decltype(strange.triangles)("carroll_test::triangles", 1);
  strange.triangles(0, 2) = 42;
  EXPECT_THROW((void)dense_depths_workspace(exec, pinhole_camera, mesh_on<float>(exec, strange)),
               std::invalid_argument);
  auto const workspace = dense_depths_workspace(exec, pinhole_camera, mesh);
  EXPECT_GE(workspace.bytes(), 16U * 53 * 34);
  Picture<float> const result("carroll_test::result", 34, 53),
      turned("carroll_test::turned", 53, 34);
  auto const zeta = depths_on_device<float>(Numbers(42, 1)),
             few = depths_on_device<float>(Numbers(41, 1));
  carroll::test::deep_copy(result, -3.0F);
  EXPECT_THROW(dense_depths_async(exec, few, result, workspace), std::invalid_argument);
  EXPECT_THROW(dense_depths_async(exec, zeta, turned, workspace), std::invalid_argument);
  for (double const unit : {0.0, -1.0, HUGE_VAL, std::nan("")})
    EXPECT_THROW(dense_depths_async(exec, zeta, result, workspace, {DenseDepth::range, unit}),
                 std::invalid_argument);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  for (std::size_t i = 0; i < host.size(); ++i) EXPECT_EQ(host.data()[i], -3.0F);
}

}  // namespace
