// SPDX-License-Identifier: BSD-3-Clause
// Lenses and their pictures: there and back, OpenCV's formulas, and a plain loop over pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/rectify.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "support/copy.hpp"

namespace {

using namespace carroll;
using Exec = Kokkos::DefaultExecutionSpace;
template <class T, class Layout = Kokkos::LayoutRight>
using Plane = Kokkos::View<T**, Layout, Exec>;
using Ray = Kokkos::Array<double, 3>;

// Of EuRoC's first camera, and of a fisheye lens of 160 degrees.
auto const euroc_lens =
    Lens<double>::radial_tangential(752, 480, 458.654, 457.296, 367.215, 248.375,
                                    {-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05, 0});
auto const wide_lens =
    Lens<double>::kannala_brandt(512, 512, 190.978, 190.973, 254.93, 256.897,
                                 {0.0034823894, 0.0007150348, -0.0020532361, 0.00020293673});

template <class T>
double worst_way_back(Lens<T> const& lens, double step) {
  double worst = 0;
  int seen = 0;
  for (double v = 0; v < lens.height; v += step)
    for (double u = 0; u < lens.width; u += step) {
      auto const ray = lens.ray(T(u), T(v));
      if (ray[0] != ray[0]) continue;
      ++seen;
      T x = 0, y = 0;
      // Pixels of the border may come back beyond it.
      (void)lens.project(ray, x, y);
      EXPECT_NEAR(double(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]), 1, 1e-6);
      worst = std::max({worst, std::abs(double(x) - u), std::abs(double(y) - v)});
    }
  EXPECT_GT(seen, lens.width * lens.height / (2 * step * step));
  return worst;
}

TEST(Lens, ThereAndBack) {
  EXPECT_LE(worst_way_back(euroc_lens, 7), 1e-9);
  EXPECT_LE(worst_way_back(wide_lens, 7), 1e-9);
  EXPECT_LE(worst_way_back(euroc_lens.as<float>(), 11), 2e-2);
  EXPECT_LE(worst_way_back(wide_lens.as<float>(), 11), 2e-2);
}

TEST(Lens, FormulasOfOpenCv) {
  // cv::projectPoints and cv::fisheye::projectPoints, by hand in axes right, down, forward.
  auto const k = euroc_lens.k;
  for (auto const& [x, y] : {std::array{0.3, -0.2}, std::array{-0.5, 0.1}, std::array{0.0, 0.0}}) {
    double const r2 = x * x + y * y, scale = 1 + k[0] * r2 + k[1] * r2 * r2 + k[4] * r2 * r2 * r2;
    double const a = x * scale + 2 * k[2] * x * y + k[3] * (r2 + 2 * x * x);
    double const b = y * scale + k[2] * (r2 + 2 * y * y) + 2 * k[3] * x * y;
    double u = 0, v = 0;
    EXPECT_TRUE(euroc_lens.project({2, -2 * x, -2 * y}, u, v));
    EXPECT_NEAR(u, euroc_lens.cx + euroc_lens.fx * a, 1e-10);
    EXPECT_NEAR(v, euroc_lens.cy + euroc_lens.fy * b, 1e-10);
    double const theta = std::atan(std::sqrt(r2)), t2 = theta * theta;
    auto const& f = wide_lens.k;
    double const bent =
        theta * (1 + f[0] * t2 + f[1] * t2 * t2 + f[2] * t2 * t2 * t2 + f[3] * t2 * t2 * t2 * t2);
    double const ratio = r2 > 0 ? bent / std::sqrt(r2) : 1;
    EXPECT_TRUE(wide_lens.project({2, -2 * x, -2 * y}, u, v));
    EXPECT_NEAR(u, wide_lens.cx + wide_lens.fx * ratio * x, 1e-10);
    EXPECT_NEAR(v, wide_lens.cy + wide_lens.fy * ratio * y, 1e-10);
  }
}

TEST(Lens, NothingIsSeenBeyondWhereTheFormulaTurns) {
  // r(1 - r²/3) rises up to r = 1, and r(1 - r² + 2r⁴/5 …) again after it has fallen.
  auto const lens =
      Lens<double>::radial_tangential(101, 101, 60, 60, 50, 50, {-1.0 / 3, 0, 0, 0, 0});
  EXPECT_NEAR(lens.limit, 1, 1e-12);
  double u = 0, v = 0;
  EXPECT_TRUE(lens.project({1, 0.99, 0}, u, v));
  EXPECT_FALSE(lens.project({1, 1.01, 0}, u, v));
  EXPECT_TRUE(std::isnan(lens.ray(95, 50)[0]));  // a = .75 of 2/3 at most
  EXPECT_FALSE(std::isnan(lens.ray(89, 50)[0]));
  auto const twice = Lens<double>::radial_tangential(101, 101, 20, 20, 50, 50, {-1, 0.4, 0, 0, 0});
  // 1 - 3x + 2x² = 0 at x = 1/2 and 1: beyond r = 1 it rises once more.
  EXPECT_NEAR(twice.limit, std::sqrt(0.5), 1e-12);
  EXPECT_FALSE(twice.project({1, 1.2, 0}, u, v));
  auto const narrow = Lens<double>::kannala_brandt(101, 101, 60, 60, 50, 50, {-1.0 / 3, 0, 0, 0});
  EXPECT_NEAR(narrow.limit, 1, 1e-12);
  EXPECT_FALSE(narrow.project({std::cos(1.1), std::sin(1.1), 0}, u, v));
  // Behind a lens that sees forward, and behind one that sees all round.
  EXPECT_FALSE(euroc_lens.project({-1, 0, 0}, u, v));
  auto const wide = Lens<double>::kannala_brandt(200, 200, 40, 40, 100, 100, {0, 0, 0, 0});
  EXPECT_TRUE(wide.project({std::cos(2.0), std::sin(2.0), 0}, u, v));
  EXPECT_NEAR(u, 100 - 80, 1e-9);
  EXPECT_NEAR(wide.ray(20, 100)[0], std::cos(2.0), 1e-12);
}

TEST(Lens, RectifiedCamerasAreSeenWhole) {
  for (auto const& lens : {euroc_lens, wide_lens}) {
    auto const camera = rectified_camera(lens);
    EXPECT_GT(camera.width, lens.width / 2);
    EXPECT_EQ(camera.chi, lens.model == LensModel::kannala_brandt ? 1 : 0);
    Exec const exec;
    auto const rectifier = lens_rectifier(exec, lens, camera);
    auto const mask = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rectifier.mask());
    for (std::size_t i = 0; i < mask.size(); ++i) EXPECT_EQ(mask.data()[i], 1);
  }
  auto const hopeless = Lens<double>::radial_tangential(64, 32, 20, 20, 31, 15, {-50, 0, 0, 0, 0});
  EXPECT_THROW((void)rectified_camera(hopeless), std::invalid_argument);
}

struct HostPicture {
  int width, height;
  std::vector<float> values;
  float at(int u, int v) const {
    return values[std::size_t(std::clamp(v, 0, height - 1)) * std::size_t(width) +
                  std::size_t(std::clamp(u, 0, width - 1))];
  }
};

HostPicture random_picture(int width, int height, unsigned seed) {
  std::mt19937 generator(seed);
  HostPicture picture{width, height, {}};
  for (int i = 0; i < width * height; ++i) picture.values.push_back(float(generator() % 256));
  return picture;
}

template <class T, class Layout>
Plane<T, Layout> on_device(HostPicture const& picture) {
  Plane<T, Layout> const device("carroll_test::picture", std::size_t(picture.height),
                                std::size_t(picture.width));
  auto const host = Kokkos::create_mirror_view(device);
  for (int v = 0; v < picture.height; ++v)
    for (int u = 0; u < picture.width; ++u) host(v, u) = T(picture.at(u, v));
  carroll::test::deep_copy(device, host);
  return device;
}

template <class View>
HostPicture on_host(View const& device) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
  HostPicture picture{host.extent_int(1), host.extent_int(0), {}};
  for (int v = 0; v < picture.height; ++v)
    for (int u = 0; u < picture.width; ++u) picture.values.push_back(float(host(v, u)));
  return picture;
}

/// Catmull's and Rom's cubic through four values.
double cubic(std::array<double, 4> const& p, double t) {
  return p[1] +
         0.5 * t *
             (p[2] - p[0] +
              t * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] + t * (3 * (p[1] - p[2]) + p[3] - p[0])));
}

double interpolated(HostPicture const& picture, double u, double v, Interpolation kind) {
  if (kind == Interpolation::nearest)
    return double(picture.at(int(std::floor(u + 0.5)), int(std::floor(v + 0.5))));
  int const i = int(std::floor(u)), j = int(std::floor(v));
  double const x = u - i, y = v - j;
  auto const at = [&](int a, int b) { return double(picture.at(i + a, j + b)); };
  if (kind == Interpolation::bilinear)
    return (1 - y) * ((1 - x) * at(0, 0) + x * at(1, 0)) + y * ((1 - x) * at(0, 1) + x * at(1, 1));
  std::array<double, 4> rows{};
  for (int b = 0; b < 4; ++b)
    rows[std::size_t(b)] = cubic({at(-1, b - 1), at(0, b - 1), at(1, b - 1), at(2, b - 1)}, x);
  return cubic(rows, y);
}

auto const small_lens =
    Lens<double>::radial_tangential(61, 43, 35, 36, 29, 22, {-0.25, 0.06, 1e-3, -5e-4, 0});
/// It looks beyond the lens' picture.
auto const wide_camera = Camera<double>::unified(70, 50, 30, 30, 34.5, 24.5, 0);

template <class T, class Layout>
void expect_as_looped(Interpolation kind) {
  Exec const exec;
  auto const picture = random_picture(small_lens.width, small_lens.height, 5);
  auto const rectifier = lens_rectifier(exec, small_lens, wide_camera);
  Plane<float, Layout> const result("carroll_test::result", 50, 70);
  rectify_async(exec, on_device<T, Layout>(picture), result, rectifier, {kind});
  exec.fence();
  auto const found = on_host(result);
  auto const mask = on_host(rectifier.mask());
  int seen = 0;
  for (int v = 0; v < 50; ++v)
    for (int u = 0; u < 70; ++u) {
      double x = 0, y = 0;
      bool const sees = small_lens.project(wide_camera.ray(u, v), x, y);
      EXPECT_EQ(mask.at(u, v), sees ? 1 : 0) << u << " " << v;
      seen += sees ? 1 : 0;
      // The place is a float: some 2e-6 pixels, by which grey levels change by 1e-3 at most.
      bool const near_half =
          kind == Interpolation::nearest &&
          (std::abs(x - std::floor(x) - 0.5) < 1e-5 || std::abs(y - std::floor(y) - 0.5) < 1e-5);
      if (!near_half) {
        EXPECT_NEAR(found.at(u, v), sees ? interpolated(picture, x, y, kind) : 0, 2e-3)
            << u << " " << v;
      }
    }
  EXPECT_GT(seen, 1500);
  EXPECT_LT(seen, 3300);
}

TEST(Rectify, AsALoopOverPixels) {
  for (auto const kind :
       {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
    expect_as_looped<float, Kokkos::LayoutRight>(kind);
    expect_as_looped<std::uint8_t, Kokkos::LayoutLeft>(kind);
  }
}

TEST(Rectify, MasksSayWhatTheGreyLevelsAreMadeOf) {
  Exec const exec;
  auto picture = random_picture(small_lens.width, small_lens.height, 6);
  HostPicture counts = random_picture(small_lens.width, small_lens.height, 7);
  for (std::size_t i = 0; i < counts.values.size(); ++i) {
    counts.values[i] = counts.values[i] < 20 ? 0.0F : 1.0F;
    // What does not count may be anything.
    if (counts.values[i] == 0) picture.values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  auto const rectifier = lens_rectifier(exec, small_lens, wide_camera);
  auto const source = on_device<float, Kokkos::LayoutRight>(picture);
  auto const mask = on_device<std::uint8_t, Kokkos::LayoutRight>(counts);
  for (auto const kind :
       {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
    Plane<float> const result("carroll_test::result", 50, 70);
    Plane<std::uint8_t> const result_mask("carroll_test::mask", 50, 70);
    rectify_async(exec, MaskedImage{source, mask}, MaskedImage{result, result_mask}, rectifier,
                  {kind});
    exec.fence();
    auto const found = on_host(result), found_mask = on_host(result_mask);
    int counted = 0, left_out = 0;
    for (int v = 0; v < 50; ++v)
      for (int u = 0; u < 70; ++u) {
        double x = 0, y = 0;
        if (!small_lens.project(wide_camera.ray(u, v), x, y)) {
          EXPECT_EQ(found_mask.at(u, v), 0);
          continue;
        }
        // Exactly those are numbers that are made of pixels which count.
        bool const number = !std::isnan(found.at(u, v));
        EXPECT_EQ(found_mask.at(u, v) != 0, number) << u << " " << v;
        (number ? counted : left_out) += 1;
      }
    EXPECT_GT(counted, 100);
    EXPECT_GT(left_out, 100);
  }
}

TEST(Rectify, Misuse) {
  Exec const exec;
  EXPECT_THROW((void)lens_rectifier(exec, Lens<double>{}, wide_camera), std::invalid_argument);
  EXPECT_THROW((void)lens_rectifier(exec, small_lens, Camera<double>{}), std::invalid_argument);
  auto const rectifier = lens_rectifier(exec, small_lens, wide_camera);
  Plane<float> const source("carroll_test::source", 43, 61), result("carroll_test::result", 50, 70);
  Plane<std::uint8_t> const mask("carroll_test::mask", 43, 61), other("carroll_test::mask", 50, 70);
  EXPECT_THROW(rectify_async(exec, result, result, rectifier), std::invalid_argument);
  EXPECT_THROW(rectify_async(exec, source, source, rectifier), std::invalid_argument);
  EXPECT_THROW(
      rectify_async(exec, MaskedImage{source, other}, MaskedImage{result, other}, rectifier),
      std::invalid_argument);
  EXPECT_THROW(rectify_async(exec, MaskedImage{source, mask}, MaskedImage{result, mask}, rectifier),
               std::invalid_argument);
}

}  // namespace
