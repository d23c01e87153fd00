// SPDX-License-Identifier: BSD-3-Clause
// Depths from one reference to the next: against rays in space, and along a camera's way.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/carry_depths.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "support/tracker/problem.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;
using Numbers = std::vector<double>;

template <class T>
Kokkos::View<T*, Exec> device_copy(Numbers const& numbers) {
  Kokkos::View<T*, Exec> const device("carroll_test::numbers", numbers.size());
  auto const host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < numbers.size(); ++i) host(i) = static_cast<T>(numbers[i]);
  carroll::test::deep_copy(device, host);
  return device;
}

template <class View>
Numbers host_copy(View const& device) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
  return Numbers(host.data(), host.data() + host.size());
}

/// A turn about an axis that is none of the camera's, and a way.
Numbers pose(double angle, Vector3 const& way) {
  double const c = std::cos(angle), s = std::sin(angle), x = 0.48, y = 0.6, z = 0.64, d = 1 - c;
  return {c + x * x * d,     x * y * d - z * s, x * z * d + y * s, way[0],
          y * x * d + z * s, c + y * y * d,     y * z * d - x * s, way[1],
          z * x * d - y * s, z * y * d + x * s, c + z * z * d,     way[2]};
}

Numbers carried(SphericalMesh<float> const& host_mesh, Numbers const& motion, Numbers const& zeta) {
  auto const mesh = mesh_on<float>(Exec(), host_mesh);
  auto const workspace = carry_depths_workspace(Exec(), mesh);
  auto const depth = device_copy<double>(zeta);
  carry_depths_async(Exec(), DirectTrackerState{device_copy<double>(motion), depth}, workspace);
  Kokkos::fence();
  return host_copy(depth);
}

Vector3 vertex(SphericalMesh<float> const& mesh, int i) {
  return {double(mesh.vertices(i, 0)), double(mesh.vertices(i, 1)), double(mesh.vertices(i, 2))};
}
double inner(Vector3 const& a, Vector3 const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector3 outer(Vector3 const& a, Vector3 const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector3 minus(Vector3 const& a, Vector3 const& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// Inverse range at which the ray meets the nearest triangle from its front, in space (Möller and
/// Trumbore 1997); triangles are larger by `slack`.
std::optional<double> met(SphericalMesh<float> const& mesh, std::vector<Vector3> const& places,
                          Vector3 const& ray, double slack) {
  std::optional<double> found;
  for (std::size_t t = 0; t < mesh.triangles.extent(0); ++t) {
    Vector3 const& a = places[std::size_t(mesh.triangles(t, 0))];
    Vector3 const e1 = minus(places[std::size_t(mesh.triangles(t, 1))], a);
    Vector3 const e2 = minus(places[std::size_t(mesh.triangles(t, 2))], a);
    Vector3 const h = outer(ray, e2);
    double const det = inner(e1, h);
    if (inner(a, outer(e1, e2)) <= 0) continue;  // its back
    double const u = -inner(a, h) / det;
    Vector3 const q = outer(a, e1);
    double const v = -inner(ray, q) / det, range = -inner(e2, q) / det;
    if (u < -slack || v < -slack || u + v > 1 + slack || !(range > 0)) continue;
    found = std::max(found.value_or(0), 1 / range);
  }
  return found;
}

std::vector<Vector3> places_from(SphericalMesh<float> const& mesh, Numbers const& motion,
                                 Numbers const& zeta) {
  std::vector<Vector3> places;
  for (int i = 0; i < mesh.vertices.extent_int(0); ++i) {
    Vector3 const s = vertex(mesh, i);
    Vector3 from{}, to{};
    for (std::size_t a = 0; a < 3; ++a) from[a] = s[a] / zeta[std::size_t(i)] - motion[4 * a + 3];
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) to[a] += motion[4 * b + a] * from[b];
    places.push_back(to);
  }
  return places;
}

/// Compares with the rays in space wherever these do not hang on an edge.
void expect_as_in_space(SphericalMesh<float> const& mesh, Numbers const& motion,
                        Numbers const& zeta, int least_compared) {
  Numbers const found = carried(mesh, motion, zeta);
  auto const places = places_from(mesh, motion, zeta);
  int compared = 0;
  for (int i = 0; i < mesh.vertices.extent_int(0); ++i) {
    auto const large = met(mesh, places, vertex(mesh, i), 1e-3);
    auto const small = met(mesh, places, vertex(mesh, i), -1e-3);
    if (!large || !small || std::abs(*large / *small - 1) > 1e-2) continue;
    ++compared;
    double const expected = met(mesh, places, vertex(mesh, i), 0).value_or(*large);
    EXPECT_NEAR(found[std::size_t(i)] / expected, 1, 2e-4) << i;
  }
  EXPECT_GE(compared, least_compared);
}

Numbers drawn_depths(int count, double spread, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-spread, spread);
  Numbers zeta;
  for (int i = 0; i < count; ++i) zeta.push_back(0.2 * std::exp(uniform(generator)));
  return zeta;
}

/// However far apart depths are: weights' rounding errors are felt beside near neighbours, no more.
TEST(CarryDepths, AStillCameraSeesWhatItSaw) {
  auto const mesh = icosphere(4, 0);
  for (double const spread : {1., 6.}) {
    Numbers const zeta = drawn_depths(162, spread, 1), found = carried(mesh, pose(0, {}), zeta);
    for (std::size_t i = 0; i < zeta.size(); ++i)
      EXPECT_NEAR(found[i] / zeta[i], 1, spread > 1 ? .05 : 1e-5) << i;
  }
}

TEST(CarryDepths, RaysMeetTheTrianglesOfTheMovedMesh) {
  auto const mesh = icosphere(4, 0);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Numbers const zeta = drawn_depths(162, 0.1, seed);
    expect_as_in_space(mesh, pose(0.3, {0, 0, 0}), zeta, 120);
    expect_as_in_space(mesh, pose(-0.2, {0.5, -0.3, 0.2}), zeta, 120);
    expect_as_in_space(mesh, pose(2.5, {-1, 0.4, 0.1}), zeta, 120);
  }
}

TEST(CarryDepths, WhatIsNearHidesWhatIsFar) {
  auto const mesh = icosphere(6, 0);
  Numbers zeta;
  for (int i = 0; i < mesh.vertices.extent_int(0); ++i)
    zeta.push_back(vertex(mesh, i)[0] > 0.8 ? 1 : 0.1);
  expect_as_in_space(mesh, pose(0.1, {0.1, 0.6, 0}), zeta, 200);
}

TEST(CarryDepths, TrueDepthsBecomeTrueDepths) {
  TrackerProblem const room(Camera<double>::equirectangular(64, 32), 8, 1, 0.1, 0.5, 0);
  TrackerProblem const next(Camera<double>::equirectangular(64, 32), 8, 1, 0.1, 0.5, 0);
  double const half = std::asin(room.rho / 2), scale = 0.5;
  // From there: the room's walls along each ray, in baselines.
  double const low[3] = {-4.5, -3.5, -1.2}, high[3] = {5.5, 4.5, 1.8};
  double const at[3] = {scale * std::cos(half), scale * std::sin(half), 0};
  double const c = std::cos(2 * half), s = std::sin(2 * half);
  Numbers const found = carried(room.host_mesh, {room.rho}, room.depths);
  Numbers errors;
  for (int i = 0; i < room.host_mesh.vertices.extent_int(0); ++i) {
    Vector3 const r = vertex(room.host_mesh, i);
    double const d[3] = {c * r[0] - s * r[1], s * r[0] + c * r[1], r[2]};
    double range = 1e300;
    for (int a = 0; a < 3; ++a)
      if (d[a] != 0) range = std::min(range, ((d[a] > 0 ? high[a] : low[a]) - at[a]) / d[a]);
    errors.push_back(std::abs(found[std::size_t(i)] * range / scale - 1));
  }
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(errors[errors.size() / 2], 1e-3);
  EXPECT_LE(errors[errors.size() * 9 / 10], 0.1);
}

TEST(CarryDepths, BeyondTheEdgeTheNearestVertexCounts) {
  SphericalMesh<float> mesh = icosphere(1, 0);
  mesh.triangles = decltype(mesh.triangles)("test::triangles", 1);
  mesh.triangles(0, 0) = 0, mesh.triangles(0, 1) = 11, mesh.triangles(0, 2) = 5;
  Numbers zeta;
  for (int i = 0; i < 12; ++i) zeta.push_back(0.1 * (i + 1));
  // Half a turn about x puts each vertex where another one was, or near it.
  Numbers const turned = {1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0};
  Numbers const found = carried(mesh, turned, zeta);
  for (int i = 0; i < 12; ++i) {
    Vector3 const r = vertex(mesh, i);
    int nearest = 0;
    for (int k = 0; k < 12; ++k) {
      auto const cosine = [&](int j) {
        Vector3 const w = vertex(mesh, j);
        return r[0] * w[0] - r[1] * w[1] - r[2] * w[2];
      };
      if (cosine(k) > cosine(nearest)) nearest = k;
    }
    auto const in_space = met(mesh, places_from(mesh, turned, zeta), r, 1e-3);
    if (!in_space) {
      EXPECT_NEAR(found[std::size_t(i)], zeta[std::size_t(nearest)], 1e-6) << i;
    }
  }
}

TEST(CarryDepths, NoMotionNoChange) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  auto const mesh = icosphere(2, 0);
  Numbers const zeta = drawn_depths(42, 0.5, 3);
  EXPECT_EQ(carried(mesh, {nan}, zeta), zeta);
  EXPECT_EQ(carried(mesh, Numbers(12, nan), zeta), zeta);
  SphericalMesh<float> empty;
  EXPECT_EQ(carried(empty, {0.1}, {}), Numbers());
}

TEST(CarryDepths, CornersMustBeVertices) {
  for (int const corner : {-1, 42}) {
    auto const mesh = icosphere(2, 0);  // of 42 vertices
    mesh.triangles(7, 1) = corner;
    EXPECT_THROW((void)carried(mesh, Numbers(12, 0.5), drawn_depths(42, 0.5, 3)),
                 std::invalid_argument);
  }
}

TEST(KeepScale, TheMedianOfTheRatiosIsOne) {
  for (int const count : {1, 2, 5, 8, 41}) {
    Numbers const start = drawn_depths(count, 1, 1);
    Numbers zeta = drawn_depths(count, 2, 2), ratios;
    for (std::size_t i = 0; i < zeta.size(); ++i) ratios.push_back(zeta[i] / start[i]);
    auto const half = ratios.begin() + (std::ssize(ratios) - 1) / 2;
    std::ranges::nth_element(ratios, half);
    auto const depth = device_copy<double>(zeta);
    Numbers const before = pose(0.2, {1, 2, 3});
    auto const motion = device_copy<double>(before);
    keep_scale_async(Exec(), device_copy<float>(start), DirectTrackerState{motion, depth});
    Kokkos::fence();
    Numbers const after = host_copy(motion), found = host_copy(depth);
    for (std::size_t i = 0; i < zeta.size(); ++i)
      EXPECT_NEAR(found[i] * *half / zeta[i], 1, 1e-6) << count;
    for (std::size_t i = 0; i < 12; ++i)
      EXPECT_NEAR(after[i], before[i] * (i % 4 == 3 ? *half : 1), 1e-5) << count;
  }
}

TEST(KeepScale, WhatIsNoRatioDoesNotCount) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto const kept = [](Numbers const& start, Numbers const& zeta) {
    auto const depth = device_copy<float>(zeta);
    auto const motion = device_copy<double>(Numbers(12, 1));
    keep_scale_async(Exec(), device_copy<double>(start), DirectTrackerState{motion, depth});
    Kokkos::fence();
    return host_copy(motion)[3];
  };
  EXPECT_EQ(kept({1, 1, 0, inf, 1, 1}, {4, 4, 1, 1, -1, 0}), 4);
  EXPECT_EQ(kept({0, 0}, {1, 1}), 1);
  EXPECT_EQ(kept({}, {}), 1);
}

/// A camera that goes on for twelve images, each the reference of the next one: what is found is as
/// good in the end as it was in the beginning.
TEST(CarryDepths, ATrackerFollowsACamera) {
  Exec const exec;
  auto const camera = Camera<double>::equirectangular(256, 128);
  double const rho = 0.1, baseline = 0.15;
  auto patches = box_room();
  auto const scene = synthetic_scene(exec, patches, 5);
  TrackerProblem const start(camera, 4, 60, rho, baseline, 0);
  auto workspace =
      direct_tracker_workspace(exec, camera, start.mesh, {.motion = TrackerMotion::se3});
  auto const carry = carry_depths_workspace(exec, start.mesh);
  TrackedState const state(start, TrackerMotion::se3, 1);
  Kokkos::View<double*, Exec> const last("carroll_test::last", state.depth.extent(0));
  carroll::test::deep_copy(last, state.depth);
  CameraPose at;
  auto const take = [&](std::uint32_t frame) {
    TrackerProblem::Picture const image("carroll_test::image", 128, 256);
    TrackerProblem::Picture const range("carroll_test::range", 128, 256);
    render_scene(exec, scene, camera, at, image, range);
    add_noise(exec, image, 1, 1, frame);
    return image;
  };
  set_reference_async(exec, take(0), workspace);
  double worst = 0, length = 0;
  for (std::uint32_t frame = 1; frame <= 12; ++frame) {
    at = ackermann_step(at, rho, baseline);
    auto const image = take(frame);
    auto const info = track_frame(exec, image, state.view(), workspace);
    ASSERT_EQ(info.status, Status::success) << frame << " " << to_string(info.end);
    worst = std::max(worst, state.heading_error(start));
    keep_scale_async(exec, last, state.view());
    auto const m = host_copy(state.motion);
    length = std::hypot(m[3], m[7], m[11]);
    carry_depths_async(exec, state.view(), carry);
    Kokkos::deep_copy(exec, last, state.depth);
    set_reference_async(exec, image, workspace);
  }
  EXPECT_LE(worst, 0.1);
  EXPECT_NEAR(length, 1, 0.1);  // the scale, which nothing holds but the depths
}

}  // namespace
