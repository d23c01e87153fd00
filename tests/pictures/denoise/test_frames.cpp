// SPDX-License-Identifier: BSD-3-Clause
// The noise of pictures, and frames, as users call for them.
#include <gtest/gtest.h>

#include <array>
#include <carroll/denoise_frames.hpp>
#include <carroll/noise.hpp>
#include <cmath>
#include <svd_instances.hpp>
#include <vector>

#include "pictures/denoise/pictures.hpp"
#include "pictures/denoise/plain.hpp"
#include "support/copy.hpp"

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using carroll::Status;
using carroll::test::HostPicture;
using Planes = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

TEST(NoiseTest, IsFoundInSyntheticPictures) {
  for (double noise : {2.0, 10.0, 25.0, 60.0}) {
    HostPicture const flat("flat", 100, 120);
    carroll::test::deep_copy(flat, 100);
    auto const of_noise =
        carroll::estimate_noise(Exec(), carroll::test::with_noise(flat, noise, 4));
    EXPECT_EQ(of_noise.status, Status::success);
    EXPECT_NEAR(of_noise.noise, noise, 0.04 * noise);
    // Edges everywhere are taken for a little of it.
    auto const of_shapes = carroll::estimate_noise(
        Exec(), carroll::test::with_noise(carroll::test::shapes(200, 220), noise, 4));
    EXPECT_NEAR(of_shapes.noise, noise, 0.05 * noise + 2.5);
  }
  HostPicture const flat("flat", 50, 50), small("small", 7, 90);
  EXPECT_EQ(carroll::estimate_noise(Exec(), flat).noise, 0);
  EXPECT_EQ(carroll::estimate_noise(Exec(), small).noise, 0);
}

/// One block: the shrinkage of one matrix.
TEST(FrameTest, OneBlockIsOneMatrix) {
  int const frames = 20, side = 6;
  carroll::test::Random random(9);
  Planes const noisy("noisy", frames, side, side), result("result", frames, side, side);
  carroll::test::Rows rows;
  for (int f = 0; f < frames; ++f) {
    std::vector<double> row;
    for (int i = 0; i < side * side; ++i)
      row.push_back(40 * std::sin(0.3 * f) * (i % 7) + 3 * i + 5 * random.normal());
    for (int i = 0; i < side * side; ++i)
      noisy(f, i / side, i % side) = row[static_cast<std::size_t>(i)];
    rows.push_back(row);
  }
  EXPECT_EQ(carroll::denoise_frames(Exec(), noisy, result, {.noise = 5, .patch = side}).status,
            Status::success);
  std::vector<double> mean(rows[0].size());
  for (auto const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) mean[i] += row[i] / frames;
  for (auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= mean[i];
  double const larger = 36, beta = 20.0 / 36;
  auto const clean = carroll::test::with_singular_values(rows, [&](double sigma) {
    double const y = sigma / (5 * std::sqrt(larger));
    if (y <= 1 + std::sqrt(beta)) return 0.0;
    return sigma * std::sqrt(std::pow(y * y - beta - 1, 2) - 4 * beta) / (y * y);
  });
  for (int f = 0; f < frames; ++f)
    for (int i = 0; i < side * side; ++i)
      EXPECT_NEAR(result(f, i / side, i % side),
                  clean[static_cast<std::size_t>(f)][static_cast<std::size_t>(i)] +
                      mean[static_cast<std::size_t>(i)],
                  2e-2);
}

TEST(FrameTest, NoiseGoesWhereFewThingsChange) {
  int const frames = 40, height = 33, width = 41;
  auto const picture = carroll::test::shapes(height, width);
  Planes const clean("clean", frames, height, width), noisy("noisy", frames, height, width),
      result("result", frames, height, width);
  carroll::test::Random random(3);
  for (int f = 0; f < frames; ++f)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        clean(f, y, x) = picture(y, x) * (1 + 0.2 * std::sin(0.2 * f)) + 10 * std::cos(0.1 * f * x);
        noisy(f, y, x) = clean(f, y, x) + 20 * random.normal();
      }
  EXPECT_EQ(carroll::denoise_frames(Exec(), noisy, result, {.noise = 20}).status, Status::success);
  double errors = 0;
  for (std::size_t i = 0; i < clean.size(); ++i)
    errors += std::pow(result.data()[i] - clean.data()[i], 2) / static_cast<double>(clean.size());
  EXPECT_LT(std::sqrt(errors), 10);
  noisy(3, 2, 1) = std::nan("");
  EXPECT_EQ(carroll::denoise_frames(Exec(), noisy, result, {.noise = 20}).status,
            Status::non_finite);
  EXPECT_TRUE(std::isnan(result(0, 0, 0)));
}

TEST(FrameTest, AnySize) {
  for (auto const& [frames, height, width] :
       {std::array{1, 1, 1}, {1, 20, 20}, {50, 1, 1}, {3, 2, 9}, {0, 4, 4}, {4, 0, 4}}) {
    Planes const grey("grey", frames, height, width), result("result", frames, height, width);
    carroll::test::deep_copy(grey, 12);
    EXPECT_EQ(carroll::denoise_frames(Exec(), grey, result, {.noise = 3}).status, Status::success);
    for (std::size_t i = 0; i < grey.size(); ++i) EXPECT_NEAR(result.data()[i], 12, 1e-3);
  }
}

}  // namespace
