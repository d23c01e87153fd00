// SPDX-License-Identifier: BSD-3-Clause
// Ranges, textures, poses and noise of synthetic scenes against closed forms.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/synthetic_scene.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/tolerance.hpp"

namespace {

using carroll::Camera;
using carroll::CameraPose;
using carroll::Lens;
using carroll::ScenePatch;
using carroll::detail::dot;
using carroll::detail::Vec3;
using carroll::test::epsilon;
using Exec = Kokkos::DefaultExecutionSpace;
template <class Real, class Layout = Kokkos::LayoutRight>
using Image = Kokkos::View<Real**, Layout, Exec>;

template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

struct Picture {
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> grey, range;
};

template <class Optics>
Picture take(std::vector<ScenePatch> const& patches, Optics const& camera, CameraPose const& pose,
             double blur = 0) {
  Image<double> const grey("carroll_test::grey", camera.height, camera.width);
  Image<double> const range("carroll_test::range", camera.height, camera.width);
  auto const scene = carroll::synthetic_scene(Exec(), patches, 7);
  carroll::render_scene(Exec(), scene, camera, pose, grey, range, blur);
  return {on_host(grey), on_host(range)};
}

Vec3<double> in_world(CameraPose const& pose, Vec3<double> const& s) {
  return {dot(pose.rotation[0], s), dot(pose.rotation[1], s), dot(pose.rotation[2], s)};
}

/// From `position` in the box room to what is seen along d.
double to_a_wall(Vec3<double> const& position, Vec3<double> const& d) {
  double const low[3] = {-4.5, -3.5, -1.2}, high[3] = {5.5, 4.5, 1.8};
  double range = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k)
    if (d[k] != 0) range = std::min(range, ((d[k] > 0 ? high[k] : low[k]) - position[k]) / d[k]);
  return range;
}

TEST(SyntheticScene, RangesInABoxAreDistancesToItsWalls) {
  auto const camera = Camera<double>::equirectangular(96, 48);
  CameraPose pose;
  for (double const rho : {0.3, -0.2, 0.1}) pose = carroll::ackermann_step(pose, rho, 0.7);
  Picture const picture = take(carroll::box_room(), camera, pose);
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      double const expected = to_a_wall(pose.position, in_world(pose, camera.ray(u, v)));
      EXPECT_NEAR(picture.range(v, u), expected, 100 * epsilon<double> * expected) << u << " " << v;
    }
  }
}

// What a lens' pixel shows is where the lens, by its own formula, has its place in the picture.
TEST(SyntheticScene, ALensSeesWhatItProjects) {
  auto const room = carroll::box_room();
  auto const pose = carroll::ackermann_step(CameraPose{}, 0.2, 0.5);
  for (auto const& lens :
       {Lens<double>::radial_tangential(80, 60, 50, 52, 38, 31, {-0.28, 0.07, 2e-4, 2e-5, 0}),
        Lens<double>::kannala_brandt(80, 60, 24, 25, 40, 29, {0.02, -0.01, 0.003, 0})}) {
    Picture const picture = take(room, lens, pose, 0.6);
    int seen = 0;
    for (int v = 0; v < lens.height; ++v)
      for (int u = 0; u < lens.width; ++u) {
        auto const d = lens.ray(u, v);
        EXPECT_TRUE(std::isfinite(picture.grey(v, u))) << u << " " << v;
        if (!std::isfinite(d[0])) {
          EXPECT_TRUE(std::isnan(picture.range(v, u)));
          EXPECT_EQ(picture.grey(v, u), 0);
          continue;
        }
        ++seen;
        double const expected = to_a_wall(pose.position, in_world(pose, d));
        EXPECT_NEAR(picture.range(v, u), expected, 100 * epsilon<double> * expected);
        double back_u = 0, back_v = 0;
        (void)lens.project(d, back_u, back_v);
        EXPECT_NEAR(back_u, u, 1e-9);
        EXPECT_NEAR(back_v, v, 1e-9);
      }
    EXPECT_GT(seen, 0.7 * lens.width * lens.height);
  }
}

TEST(SyntheticScene, ALensWithoutDistortionIsAPinhole) {
  auto const camera = Camera<double>::unified(64, 48, 40, 41, 30, 25, 0);
  auto const lens = Lens<double>::radial_tangential(64, 48, 40, 41, 30, 25, {});
  auto const pose = carroll::ackermann_step(CameraPose{}, -0.3, 0.4);
  Picture const a = take(carroll::box_room(), camera, pose, 0.6);
  Picture const b = take(carroll::box_room(), lens, pose, 0.6);
  for (int v = 0; v < camera.height; ++v)
    for (int u = 0; u < camera.width; ++u) {
      EXPECT_NEAR(a.grey(v, u), b.grey(v, u), 1e-9);
      EXPECT_NEAR(a.range(v, u), b.range(v, u), 1e-12 * a.range(v, u));
    }
}

TEST(SyntheticScene, ANearPatchHidesAFarOneAndNothingIsInfinitelyFar) {
  auto const camera = Camera<double>::unified(65, 65, 60, 60, 32, 32, 0.5);
  ScenePatch far{.corner = {4, -1, -1}, .along = {0, 2, 0}, .across = {0, 0, 2}};
  ScenePatch near{.corner = {2, -0.2, -0.2}, .along = {0, 0.4, 0}, .across = {0, 0, 0.4}};
  far.contrast = near.contrast = 0;
  far.grey = 50, near.grey = 90;
  for (auto const& patches : {std::vector{far, near}, std::vector{near, far}}) {
    Picture const picture = take(patches, camera, {});
    for (int v = 0; v < 65; ++v) {
      for (int u = 0; u < 65; ++u) {
        auto const d = camera.ray(u, v);
        double const y = d[1] / d[0], z = d[2] / d[0];
        bool const sees_near = d[0] > 0 && std::abs(y) < 0.1 && std::abs(z) < 0.1;
        bool const sees_far = d[0] > 0 && std::abs(y) < 0.25 && std::abs(z) < 0.25;
        EXPECT_EQ(picture.grey(v, u), sees_near ? 90 : sees_far ? 50 : 200);
        if (sees_near) {
          EXPECT_NEAR(picture.range(v, u), 2 / d[0], 1e-14);
        } else if (sees_far) {
          EXPECT_NEAR(picture.range(v, u), 4 / d[0], 1e-14);
        } else {
          EXPECT_EQ(picture.range(v, u), std::numeric_limits<double>::infinity());
        }
      }
    }
  }
}

TEST(SyntheticScene, PixelsWithoutARayAreNotANumber) {
  // Above χ = 1 the image of the sphere ends at ‖m‖ = 1/√(χ² - 1).
  auto const camera = Camera<double>::unified(33, 33, 8, 8, 16, 16, 1.5);
  Picture const picture = take(carroll::box_room(), camera, {});
  EXPECT_TRUE(std::isnan(picture.range(0, 0)));
  EXPECT_EQ(picture.grey(0, 0), 0);
  EXPECT_TRUE(std::isfinite(picture.range(16, 16)));
}

TEST(SyntheticScene, TextureIsTheSumOfItsWavesWeakenedByTheBlur) {
  auto const camera = Camera<double>::unified(41, 31, 30, 30, 20, 15, 0);
  ScenePatch const wall{.corner = {3, -9, -9}, .along = {0, 18, 0}, .across = {0, 0, 18}};
  auto const scene = carroll::synthetic_scene(Exec(), {wall}, 7);
  auto const waves = on_host(scene.waves);
  Picture const sharp = take({wall}, camera, {}), soft = take({wall}, camera, {}, 0.8);
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      auto const grey_at = [&](Vec3<double> const& d, double sigma) {
        double const a = 9 + 3 * d[1] / d[0], b = 9 + 3 * d[2] / d[0];
        double grey = wall.grey;
        for (int k = 0; k < waves.extent_int(1); ++k) {
          auto const& wave = waves(0, k);
          auto const phase = [&](Vec3<double> const& ray) {
            return 3 * (wave.k1 * ray[1] + wave.k2 * ray[2]) / ray[0];
          };
          // The phase's gradient along two directions at right angles to d, by differences.
          double slopes = 0;
          Vec3<double> const e1 = [&] {
            Vec3<double> const e = carroll::detail::cross(d, Vec3<double>{0, 0, 1});
            double const length = std::sqrt(dot(e, e));
            return Vec3<double>{e[0] / length, e[1] / length, e[2] / length};
          }();
          for (auto const& e : {e1, carroll::detail::cross(d, e1)}) {
            double const h = 1e-5;
            double const slope =
                (phase(carroll::detail::along(d, h, e)) - phase(carroll::detail::along(d, -h, e))) /
                (2 * h);
            slopes += slope * slope;
          }
          grey += wave.amplitude * std::exp(-0.5 * sigma * sigma * slopes) *
                  std::cos(wave.k1 * a + wave.k2 * b + wave.phase);
        }
        return grey;
      };
      auto const d = camera.ray(u, v);
      EXPECT_NEAR(sharp.grey(v, u), grey_at(d, 0), 1e-9);
      auto const side = [&](double du, double dv) {
        auto const step =
            carroll::detail::along(camera.ray(u + du, v + dv), -1.0, camera.ray(u - du, v - dv));
        return std::sqrt(dot(step, step));
      };
      double const sigma = 0.8 * std::max(side(0.5, 0), side(0, 0.5));
      EXPECT_NEAR(soft.grey(v, u), grey_at(d, sigma), 1e-6);
    }
  }
}

TEST(SyntheticScene, AStreetHasSkyAndOtherwiseRanges) {
  auto const camera = Camera<double>::equirectangular(64, 32);
  Picture const picture = take(carroll::street_canyon(), camera, {}, 0.6);
  for (int u = 0; u < 64; ++u) {
    EXPECT_EQ(picture.range(0, u), std::numeric_limits<double>::infinity());
    EXPECT_EQ(picture.grey(0, u), 200);
    EXPECT_NEAR(picture.range(31, u) * -camera.ray(u, 31)[2], 1.6, 1e-12);
    EXPECT_LT(picture.range(16, u), 60);
  }
}

TEST(AckermannStep, FourQuarterTurnsCloseACircle) {
  CameraPose pose;
  for (int k = 0; k < 4; ++k) pose = carroll::ackermann_step(pose, std::sqrt(2.0), 3);
  CameraPose const start;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(pose.position[i], 0, 1e-14);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(pose.rotation[i][j], start.rotation[i][j], 1e-14);
  }
}

TEST(AckermannStep, ChordsOfACircleAreHalfATurnBeforeTheHeading) {
  double const rho = 0.25, baseline = 2;
  CameraPose const next = carroll::ackermann_step({}, rho, baseline);
  double const heading = std::atan2(next.rotation[1][0], next.rotation[0][0]);
  EXPECT_NEAR(heading, 2 * std::asin(rho / 2), 1e-15);
  EXPECT_NEAR(std::atan2(next.position[1], next.position[0]), heading / 2, 1e-15);
  EXPECT_NEAR(std::hypot(next.position[0], next.position[1]), baseline, 1e-15);
  // Both ends have the same distance, baseline/ρ, from the centre of the circle, which is to the
  // left.
  EXPECT_NEAR(std::hypot(next.position[0], next.position[1] - baseline / rho), baseline / rho,
              1e-14);
  CameraPose const straight = carroll::ackermann_step({}, 0, baseline);
  EXPECT_EQ(straight.position[0], baseline);
  EXPECT_EQ(straight.position[1], 0);
  EXPECT_THROW((void)carroll::ackermann_step({}, 2, 1), std::invalid_argument);
}

TEST(SyntheticNoise, IsNormalAndTheSameInEveryLayout) {
  int const height = 200, width = 300;
  Image<float> const rows("carroll_test::rows", height, width);
  Image<double, Kokkos::LayoutLeft> const columns("carroll_test::columns", height, width);
  Image<float> const other("carroll_test::other", height, width);
  carroll::add_noise(Exec(), rows, 2, 11, 0);
  carroll::add_noise(Exec(), columns, 2, 11, 0);
  carroll::add_noise(Exec(), other, 2, 11, 1);
  auto const a = on_host(rows), c = on_host(other);
  auto const b = on_host(columns);
  double sum = 0, squares = 0, product = 0;
  for (int v = 0; v < height; ++v) {
    for (int u = 0; u < width; ++u) {
      ASSERT_EQ(a(v, u), static_cast<float>(b(v, u)));
      sum += b(v, u);
      squares += b(v, u) * b(v, u);
      product += b(v, u) * c(v, u);
    }
  }
  double const n = height * width;
  // Five standard deviations of each of the three.
  EXPECT_NEAR(sum / n, 0, 5 * 2 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 4, 5 * 4 * std::sqrt(2 / n));
  EXPECT_NEAR(product / n, 0, 5 * 4 / std::sqrt(n));
}

TEST(SyntheticScene, MisuseIsNamed) {
  ScenePatch const skewed{.corner = {0, 0, 0}, .along = {1, 0, 0}, .across = {1, 1, 0}};
  EXPECT_THROW((void)carroll::synthetic_scene(Exec(), {skewed}, 1), std::invalid_argument);
  EXPECT_THROW((void)carroll::synthetic_scene(Exec(), carroll::box_room(), 1, -1),
               std::invalid_argument);
  auto const scene = carroll::synthetic_scene(Exec(), carroll::box_room(), 1);
  Image<double> const image("carroll_test::image", 8, 16), small("carroll_test::small", 8, 15);
  auto const camera = Camera<double>::equirectangular(16, 8);
  EXPECT_THROW(carroll::render_scene(Exec(), scene, camera, {}, small, image),
               std::invalid_argument);
  EXPECT_THROW(carroll::render_scene(Exec(), scene, camera, {}, image, small),
               std::invalid_argument);
}

}  // namespace
