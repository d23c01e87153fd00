// SPDX-License-Identifier: BSD-3-Clause
// Rays, projections and their derivatives, of both camera models.
#include <gtest/gtest.h>

#include <carroll/camera.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Camera;
using carroll::CameraModel;

std::vector<Camera<double>> cameras() {
  return {Camera<double>::equirectangular(2048, 1024),
          Camera<double>::equirectangular(360, 100),
          Camera<double>::unified(640, 480, 300, 310, 321, 239, 0),
          Camera<double>::unified(640, 480, 300, 310, 321, 239, 0.9),
          Camera<double>::unified(640, 480, 280, 280, 310, 250, 1),
          Camera<double>::unified(640, 480, 500, 510, 321, 239, 1.4)};
}

/// f(camera, u, v) for pixels at random.
template <class F>
void for_pixels(Camera<double> const& camera, int count, F const& f) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < count; ++i)
    f(uniform(generator) * (camera.width - 1), uniform(generator) * (camera.height - 1));
}

TEST(Camera, AxesOfThePicture) {
  auto const camera = Camera<double>::equirectangular(400, 200);
  double u = 0, v = 0;
  ASSERT_TRUE(camera.project({2, 0, 0}, u, v));
  EXPECT_DOUBLE_EQ(u, 199.5);
  EXPECT_DOUBLE_EQ(v, 99.5);
  ASSERT_TRUE(camera.project({0, 1, 0}, u, v));  // left
  EXPECT_DOUBLE_EQ(u, 99.5);
  ASSERT_TRUE(camera.project({1, 0, 1}, u, v));  // up
  EXPECT_DOUBLE_EQ(v, 49.5);
  EXPECT_FALSE(
      camera.project({0, 0, 1}, u, v));  // half a pixel beyond the centres of the first row
  auto const pinhole = Camera<double>::unified(640, 480, 300, 310, 320, 240, 0);
  ASSERT_TRUE(pinhole.project({2, 1, -1}, u, v));
  EXPECT_DOUBLE_EQ(u, 320 - 150);
  EXPECT_DOUBLE_EQ(v, 240 + 155);
  EXPECT_FALSE(pinhole.project({-2, 1, -1}, u, v));  // behind
  EXPECT_FALSE(pinhole.project({2, 5, 0}, u, v));    // beside the picture
}

TEST(Camera, ProjectionOfARayIsItsPixel) {
  for (auto const& camera : cameras()) {
    double worst = 0, worst_single = 0, worst_norm = 0;
    auto const single = camera.as<float>();
    for_pixels(camera, 5000, [&](double u, double v) {
      auto p = camera.ray(u, v);
      worst_norm = std::max(worst_norm, std::abs(std::hypot(p[0], p[1], p[2]) - 1));
      for (auto& x : p) x *= 3.7;
      double pu = 0, pv = 0;
      ASSERT_TRUE(camera.project(p, pu, pv)) << u << " " << v;
      worst = std::max({worst, std::abs(pu - u), std::abs(pv - v)});
      float su = 0, sv = 0;
      single.project(single.ray(static_cast<float>(u), static_cast<float>(v)), su, sv);
      worst_single = std::max({worst_single, std::abs(static_cast<double>(su) - u),
                               std::abs(static_cast<double>(sv) - v)});
    });
    EXPECT_LE(worst_norm, 8 * epsilon<double>);
    EXPECT_LE(worst, projection_tolerance<double>(camera.width));
    EXPECT_LE(worst_single, projection_tolerance<float>(camera.width));
  }
}

TEST(Camera, DerivativesAgreeWithDifferences) {
  for (auto const& camera : cameras()) {
    double worst = 0;
    for_pixels(camera, 1000, [&](double u, double v) {
      auto p = camera.ray(u, v);
      for (auto& x : p) x *= 1.9;
      Camera<double>::Derivative d;
      double pu = 0, pv = 0;
      camera.project(p, pu, pv, d);
      double size = 0;
      for (int a = 0; a < 3; ++a)
        for (int row = 0; row < 2; ++row) size = std::max(size, std::abs(d[row][a]));
      for (int a = 0; a < 3; ++a) {
        double const h = 1e-6;
        auto above = p, below = p;
        above[a] += h;
        below[a] -= h;
        double ua = 0, va = 0, ub = 0, vb = 0;
        camera.project(above, ua, va);
        camera.project(below, ub, vb);
        if (std::abs(ua - ub) > 0.5 * camera.width) continue;  // round the seam
        worst = std::max(worst, std::abs((ua - ub) / (2 * h) - d[0][a]) / size);
        worst = std::max(worst, std::abs((va - vb) / (2 * h) - d[1][a]) / size);
      }
    });
    EXPECT_LE(worst, difference_tolerance) << camera.chi;
  }
}

TEST(Camera, SingleAnglesAreTheLibrarysToSevenDigits) {
  double worst = 0;
  for (int i = -100'000; i <= 100'000; ++i) {
    double const angle = i * 3.14159265e-5;
    auto const y = static_cast<float>(1.3 * std::sin(angle));
    auto const x = static_cast<float>(1.3 * std::cos(angle));
    double const expected = std::atan2(static_cast<double>(y), static_cast<double>(x));
    worst = std::max(worst,
                     std::abs(static_cast<double>(carroll::detail::arctangent(y, x)) - expected));
  }
  EXPECT_LE(worst, 4e-7);
  EXPECT_EQ(carroll::detail::arctangent(0.0F, 0.0F), 0.0F);
}

TEST(Camera, HalvedCameraSeesTheMiddlesOfFourPixels) {
  for (auto const& camera : cameras()) {
    auto const half = camera.halved();
    double u = 0, v = 0;
    ASSERT_TRUE(camera.project(half.ray(20, 30), u, v));
    EXPECT_NEAR(u, 2 * 20 + 0.5, projection_tolerance<double>(camera.width));
    EXPECT_NEAR(v, 2 * 30 + 0.5, projection_tolerance<double>(camera.width));
  }
}

}  // namespace
