// SPDX-License-Identifier: BSD-3-Clause
// Pictures as users call for them, and misuse of all calls.
#include <gtest/gtest.h>

#include <carroll/denoise.hpp>
#include <carroll/denoise_frames.hpp>
#include <carroll/noise.hpp>
#include <cmath>
#include <limits>
#include <svd_instances.hpp>
#include <vector>

#include "misuse/complaint.hpp"
#include "pictures/denoise/pictures.hpp"
#include "pictures/denoise/plain.hpp"
#include "support/copy.hpp"

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using carroll::DenoiseOptions;
using carroll::Status;
using carroll::test::HostPicture;
using FloatPicture = Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
using Planes = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

DenoiseOptions small_options(double noise) {
  DenoiseOptions options;
  options.noise = noise;
  options.patch = 4;
  options.step = 2;
  options.window = 8;
  options.members = 24;
  options.fewer = 6;
  options.iterations = 3;
  return options;
}

TEST(DenoiseTest, IsTheDefinition) {
  int const height = 30, width = 26;
  auto const noisy = carroll::test::with_noise(carroll::test::shapes(height, width), 15, 3);
  auto const o = small_options(15);
  HostPicture const result("result", height, width);
  auto const info = carroll::denoise(Exec(), noisy, result, o);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.iterations, 3);
  carroll::test::PlainDenoise plain({noisy.data(), noisy.data() + noisy.size()}, height, width,
                                    {o.noise, o.weight, o.feedback, o.residual, o.patch, o.step,
                                     o.window, o.members, o.fewer, o.iterations, o.searched_every});
  auto const wanted = plain.run();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      EXPECT_NEAR(result(y, x), wanted[static_cast<std::size_t>(y * width + x)], 2e-2)
          << y << ", " << x;
}

TEST(DenoiseTest, NoiseGoesAndThePictureStays) {
  auto const picture = carroll::test::shapes(96, 80);
  auto const noisy = carroll::test::with_noise(picture, 25, 11);
  HostPicture const thorough("result", 96, 80), fast("result", 96, 80);
  using carroll::DenoiseEffort;
  EXPECT_EQ(carroll::denoise(Exec(), noisy, thorough, carroll::denoise_options(25)).status,
            Status::success);
  auto const options = carroll::denoise_options(25, DenoiseEffort::fast);
  EXPECT_EQ(carroll::denoise(Exec(), noisy, fast, options).status, Status::success);
  EXPECT_LT(carroll::test::rms(thorough, picture), 7.5);  // 30.6 dB, of 20.2
  EXPECT_LT(carroll::test::rms(fast, picture), 8.5);
}

TEST(DenoiseTest, LayoutsTypesWorkspacesAndThreadsGiveTheSameBits) {
  int const height = 37, width = 50;
  auto const noisy = carroll::test::with_noise(carroll::test::shapes(height, width), 10, 1);
  FloatPicture const left("left", height, width), from_left("result", height, width);
  HostPicture const rounded("rounded", height, width), result("result", height, width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) rounded(y, x) = left(y, x) = static_cast<float>(noisy(y, x));
  auto const options = small_options(10);
  (void)carroll::denoise(Exec(), rounded, result, options);
  (void)carroll::denoise(Exec(), left, from_left, options);
  auto const workspace = carroll::denoise_workspace(Exec(), 1, height, width, options);
  HostPicture const again("again", height, width);
  int steps = 0;
  for (int i = 0; i < 2; ++i)
    (void)carroll::denoise(Exec(), rounded, again, workspace, [&](int, int) { ++steps; });
  EXPECT_EQ(steps, 6);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      EXPECT_EQ(static_cast<float>(result(y, x)), from_left(y, x));
      EXPECT_EQ(result(y, x), again(y, x));
    }
  if (Exec().concurrency() == 1) return;
  for (auto const& part : Kokkos::Experimental::partition_space(Exec(), 1, 1)) {
    (void)carroll::denoise(part, rounded, again, options);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) EXPECT_EQ(result(y, x), again(y, x));
  }
}

TEST(DenoiseTest, ScalesByPowersOfTwo) {
  auto const noisy = carroll::test::with_noise(carroll::test::shapes(20, 33), 10, 1);
  HostPicture const small("small", 20, 33), one("one", 20, 33), two("two", 20, 33);
  double const factor = std::ldexp(1.0, -40);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 33; ++x) small(y, x) = noisy(y, x) * factor;
  (void)carroll::denoise(Exec(), noisy, one, small_options(10));
  (void)carroll::denoise(Exec(), small, two, small_options(10 * factor));
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 33; ++x) EXPECT_EQ(one(y, x) * factor, two(y, x));
}

/// No double is the power of two that such numbers are multiplied by, or its reciprocal.
TEST(DenoiseTest, SubnormalAndLargestNumbers) {
  auto const noisy = carroll::test::with_noise(carroll::test::shapes(12, 15), 10, 1);
  HostPicture const whole("whole", 12, 15), scaled("scaled", 12, 15), one("one", 12, 15),
      two("two", 12, 15);
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 15; ++x) whole(y, x) = std::round(noisy(y, x));
  (void)carroll::denoise(Exec(), whole, one, small_options(10));
  for (int const exponent : {-1074, -1070, 1015}) {
    for (int y = 0; y < 12; ++y)
      for (int x = 0; x < 15; ++x) scaled(y, x) = std::ldexp(whole(y, x), exponent);
    auto const info =
        carroll::denoise(Exec(), scaled, two, small_options(std::ldexp(10.0, exponent)));
    EXPECT_EQ(info.status, Status::success);
    EXPECT_EQ(info.iterations, 3);
    for (int y = 0; y < 12; ++y)
      for (int x = 0; x < 15; ++x) EXPECT_EQ(two(y, x), std::ldexp(one(y, x), exponent));
  }
}

TEST(DenoiseTest, AnySize) {
  for (auto const& [height, width] :
       {std::array{1, 1}, {1, 40}, {40, 1}, {2, 3}, {6, 100}, {7, 7}, {8, 7}, {0, 5}, {5, 0}}) {
    HostPicture const grey("grey", height, width), result("result", height, width);
    carroll::test::deep_copy(grey, 77);
    EXPECT_EQ(carroll::denoise(Exec(), grey, result, carroll::denoise_options(25)).status,
              Status::success);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) EXPECT_NEAR(result(y, x), 77, 2e-3) << height << "x" << width;
    auto const noisy = carroll::test::with_noise(grey, 5, 2);
    EXPECT_EQ(carroll::denoise(Exec(), noisy, result, carroll::denoise_options(5)).status,
              Status::success);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) EXPECT_NEAR(result(y, x), 77, 25);
  }
}

TEST(DenoiseTest, NothingToDo) {
  auto const picture = carroll::test::shapes(20, 20);
  HostPicture const result("result", 20, 20), zero("zero", 20, 20);
  EXPECT_EQ(carroll::denoise(Exec(), picture, result, DenoiseOptions{}).iterations, 0);
  EXPECT_LT(carroll::test::rms(result, picture), 1e-5);
  (void)carroll::denoise(Exec(), zero, result, small_options(4));
  EXPECT_EQ(carroll::test::rms(result, zero), 0);
}

TEST(DenoiseTest, NonFinitePicturesAreRefused) {
  for (double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto const picture = carroll::test::shapes(20, 20);
    picture(19, 3) = bad;
    HostPicture const result("result", 20, 20);
    EXPECT_EQ(carroll::denoise(Exec(), picture, result, small_options(4)).status,
              Status::non_finite);
    EXPECT_TRUE(std::isnan(result(0, 0)) && std::isnan(result(19, 19)));
    EXPECT_EQ(carroll::estimate_noise(Exec(), picture).status, Status::non_finite);
  }
}

TEST(DenoiseTest, ColoursShareTheirStacks) {
  auto const picture = carroll::test::shapes(64, 64);
  Planes const noisy("noisy", 3, 64, 64), result("result", 3, 64, 64);
  double errors = 0;
  for (int c = 0; c < 3; ++c) {
    auto const plane = carroll::test::with_noise(picture, 25, static_cast<std::uint64_t>(20 + c));
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) noisy(c, y, x) = plane(y, x) - 40 * c;
  }
  HostPicture const alone("alone", 64, 64);
  (void)carroll::denoise(Exec(), Kokkos::subview(noisy, 0, Kokkos::ALL, Kokkos::ALL), alone,
                         carroll::denoise_options(25));
  EXPECT_EQ(carroll::denoise(Exec(), noisy, result, carroll::denoise_options(25)).status,
            Status::success);
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x)
        errors += std::pow(result(c, y, x) + 40 * c - picture(y, x), 2) / (3 * 64 * 64);
  EXPECT_LT(std::sqrt(errors), 0.8 * carroll::test::rms(alone, picture));
}

TEST(DenoiseTest, Misuse) {
  HostPicture const picture("picture", 20, 30), other("other", 30, 20);
  auto const complaint = [&](DenoiseOptions const& options) {
    HostPicture const result("result", 20, 30);
    return carroll::test::complaint(
        [&] { (void)carroll::denoise(Exec(), picture, result, options); });
  };
  EXPECT_EQ(carroll::test::complaint(
                [&] { (void)carroll::denoise(Exec(), picture, other, DenoiseOptions{}); }),
            "carroll::denoise: result is 30×20, must be 20×30");
  EXPECT_EQ(carroll::test::complaint(
                [&] { (void)carroll::denoise(Exec(), picture, picture, DenoiseOptions{}); }),
            "carroll::denoise: picture and result overlap; each must have memory of its own");
  EXPECT_EQ(complaint({.noise = -1}),
            "carroll::denoise: options.noise is -1.000000, must be finite and not negative");
  EXPECT_EQ(complaint({.patch = 13}),
            "carroll::denoise: options.patch is 13, must be from 1 to 12");
  EXPECT_EQ(complaint({.members = 0}),
            "carroll::denoise: options.members is 0, must be from 1 to 256");
  Planes const many("many", 9, 4, 4), result("result", 9, 4, 4);
  EXPECT_EQ(carroll::test::complaint(
                [&] { (void)carroll::denoise(Exec(), many, result, DenoiseOptions{}); }),
            "carroll::denoise: the number of planes is 9, must be from 0 to 8");
  auto const workspace = carroll::denoise_workspace(Exec(), 1, 20, 31, {});
  Kokkos::View<carroll::DenoiseInfo, Kokkos::HostSpace> const info("info");
  EXPECT_EQ(carroll::test::complaint([&] {
              carroll::denoise_async(Exec(), picture, HostPicture("result", 20, 30), info,
                                     workspace);
            }),
            "carroll::denoise_async: picture is 1×20×30, must be 1×20×31");
  EXPECT_EQ(carroll::test::complaint([&] {
              carroll::denoise_async(Exec(), Planes("none", 0, 0, 0), Planes("result", 0, 0, 0),
                                     info, carroll::DenoiseWorkspace<Exec>());
            }),
            "carroll::denoise_async: picture is 0×0×0, must be -1×0×0");
  EXPECT_EQ(carroll::test::complaint([&] {
              carroll::denoise_frames_async(Exec(), Planes("frames", 3, 4, 5),
                                            Planes("result", 3, 4, 5), info,
                                            carroll::denoise_frames_workspace(Exec(), 2, 4, 5, {}));
            }),
            "carroll::denoise_frames_async: frames is 3×4×5, must be 2×4×5");
  HostPicture const fitting("fitting", 20, 30);
  EXPECT_EQ(carroll::test::complaint(
                [&] { (void)carroll::denoise(Exec(), picture, fitting, workspace); }),
            "carroll::denoise: picture is 1×20×30, must be 1×20×31");
}

}  // namespace
