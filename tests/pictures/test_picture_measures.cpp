// SPDX-License-Identifier: BSD-3-Clause
// Ranks of truncated pictures, similarity and colours, each against its definition written out.
#include <gtest/gtest.h>

#include <carroll/picture_colours.hpp>
#include <carroll/picture_rank.hpp>
#include <carroll/structural_similarity.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "misuse/complaint.hpp"
#include "support/random.hpp"

namespace {

using carroll::test::complaint;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Grey = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

TEST(PictureRank, KeepsTheSmallestRankThatIsEnough) {
  carroll::test::Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values(static_cast<std::size_t>(1 + random.index(40)));
    double value = 1000;
    for (double& entry : values) entry = value *= .3 + .7 * random.uniform();
    long double all = 0;
    for (double const entry : values) all += static_cast<long double>(entry) * entry;
    double const energy = 1e-3 + .998 * random.uniform();
    auto const k = carroll::rank_of_energy(values, energy);
    long double kept = 0;
    for (std::int64_t j = 0; j < k; ++j) {
      EXPECT_LT(kept, energy * all) << "one fewer would be enough";
      kept += static_cast<long double>(values[static_cast<std::size_t>(j)]) *
              values[static_cast<std::size_t>(j)];
    }
    EXPECT_GE(kept, energy * all * (1 - 1e-14L));

    double const mse = static_cast<double>(all) / 500 * random.uniform();
    auto const rank = carroll::rank_of_mse(values, mse, 500);
    EXPECT_LE(carroll::truncation_mse(values, rank, 500), mse);
    if (rank > 0) {
      EXPECT_GT(carroll::truncation_mse(values, rank - 1, 500), mse);
    }
  }
}

TEST(PictureRank, Edges) {
  std::vector<double> const values{3, 2, 1};
  EXPECT_EQ(carroll::rank_of_energy(values, 1), 3);
  EXPECT_EQ(carroll::rank_of_energy(std::vector<double>{1, 1}, .5), 1);
  EXPECT_EQ(carroll::rank_of_energy(std::vector<double>{0, 0}, .9), 0);
  EXPECT_EQ(carroll::rank_of_mse(values, 14, 1), 0);
  EXPECT_EQ(carroll::rank_of_mse(values, 0, 1), 3);
  EXPECT_EQ(carroll::truncation_mse(values, 1, 5), 1);
  EXPECT_EQ(carroll::rank_of_numbers(10, 20, 92), 2);
  EXPECT_EQ(carroll::rank_of_numbers(10, 20, 1000), 10);
  EXPECT_NE(complaint([&] { (void)carroll::rank_of_energy(values, 0); }), "");
  EXPECT_NE(complaint([&] { (void)carroll::truncation_mse(values, 4, 1); }), "");
}

Grey noise(int rows, int columns, double mean, std::uint64_t seed) {
  carroll::test::Random random(seed);
  Grey const grey("grey", rows, columns);
  for (std::size_t e = 0; e < grey.size(); ++e) grey.data()[e] = mean + 40 * random.normal();
  return grey;
}

/// One window after the other, weights in two dimensions.
double similarity(Grey const& x, Grey const& y, double peak) {
  auto const rows = static_cast<int>(x.extent(0)), columns = static_cast<int>(x.extent(1));
  std::vector<double> weights;
  double all = 0;
  for (int i = -5; i <= 5; ++i)
    for (int j = -5; j <= 5; ++j) {
      weights.push_back(std::exp(-(i * i + j * j) / (2 * 1.5 * 1.5)));
      all += weights.back();
    }
  double sum = 0;
  for (int top = 0; top + 11 <= rows; ++top)
    for (int left = 0; left + 11 <= columns; ++left) {
      double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
      for (int e = 0; e < 121; ++e) {
        double const w = weights[static_cast<std::size_t>(e)] / all;
        double const p = x(top + e / 11, left + e % 11), q = y(top + e / 11, left + e % 11);
        a += w * p;
        b += w * q;
        aa += w * p * p;
        bb += w * q * q;
        ab += w * p * q;
      }
      double const c1 = std::pow(.01 * peak, 2), c2 = std::pow(.03 * peak, 2);
      sum += (2 * a * b + c1) * (2 * (ab - a * b) + c2) /
             ((a * a + b * b + c1) * (aa - a * a + bb - b * b + c2));
    }
  return sum / ((rows - 10) * (columns - 10));
}

TEST(StructuralSimilarity, IsTheMeanOverWindows) {
  for (auto const& [rows, columns] : {std::pair{11, 11}, {12, 30}, {40, 23}}) {
    auto const x = noise(rows, columns, 120, 1), y = noise(rows, columns, 130, 2);
    for (std::size_t e = 0; e < y.size(); ++e) y.data()[e] = .7 * x.data()[e] + .3 * y.data()[e];
    auto const found = carroll::structural_similarity(Exec(), x, y, 255);
    EXPECT_EQ(found.status, carroll::Status::success);
    EXPECT_NEAR(found.value, similarity(x, y, 255), 1e-10);
  }
}

TEST(StructuralSimilarity, Edges) {
  auto const x = noise(20, 20, 100, 3);
  EXPECT_DOUBLE_EQ(carroll::structural_similarity(Exec(), x, x, 255).value, 1);
  Grey const small("small", 10, 20);
  EXPECT_NE(complaint([&] { (void)carroll::structural_similarity(Exec(), small, small, 255); }),
            "");
  x(3, 3) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(carroll::structural_similarity(Exec(), x, x, 255).status, carroll::Status::non_finite);
}

using Levels = Kokkos::View<std::uint16_t***, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Plane = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace>;

TEST(PictureColours, AreThoseOfTheirFormula) {
  carroll::test::Random random(4);
  for (auto const& [rows, columns] : {std::pair{1, 1}, {2, 2}, {7, 10}, {16, 5}}) {
    Levels const pixels("pixels", rows, columns, 3);
    for (std::size_t e = 0; e < pixels.size(); ++e)
      pixels.data()[e] = static_cast<std::uint16_t>(random.index(65536));
    int const down = (rows + 1) / 2, across = (columns + 1) / 2;
    Plane const luma("luma", rows, columns), blue("blue", down, across), red("red", down, across);
    carroll::split_colours(Exec(), pixels, luma, blue, red);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        EXPECT_NEAR(luma(i, j),
                    .299 * pixels(i, j, 0) + .587 * pixels(i, j, 1) + .114 * pixels(i, j, 2), 1.6);
    double b = 0, r = 0;  // of the last square, whose pixels may be one pixel
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        int const row = std::min(2 * down - 2 + i, rows - 1);
        int const column = std::min(2 * across - 2 + j, columns - 1);
        double const R = pixels(row, column, 0), G = pixels(row, column, 1),
                     B = pixels(row, column, 2);
        b += (-.168736 * R - .331264 * G + .5 * B) / 4;
        r += (.5 * R - .418688 * G - .081312 * B) / 4;
      }
    EXPECT_NEAR(blue(down - 1, across - 1), std::min(32768 + b, 65535.0), 2);
    EXPECT_NEAR(red(down - 1, across - 1), std::min(32768 + r, 65535.0), 2);
  }
}

TEST(PictureColours, OneColourComesBack) {
  carroll::test::Random random(5);
  for (int round = 0; round < 50; ++round) {
    Levels const pixels("pixels", 5, 7, 4), back("back", 5, 7, 4);
    int const colour[3] = {random.index(65536), random.index(65536), random.index(65536)};
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 7; ++j)
        for (int c = 0; c < 3; ++c) pixels(i, j, c) = static_cast<std::uint16_t>(colour[c]);
    Plane const luma("luma", 5, 7), blue("blue", 3, 4), red("red", 3, 4);
    carroll::split_colours(Exec(), pixels, luma, blue, red);
    carroll::join_colours(Exec(), luma, blue, red, back);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(back(4, 6, c), colour[c], 4);
    EXPECT_EQ(back(4, 6, 3), 0);  // other channels are left alone
  }
}

TEST(PictureColours, Misuse) {
  Levels const pixels("pixels", 4, 4, 2);
  Plane const luma("luma", 4, 4), chroma("chroma", 2, 2);
  EXPECT_EQ(complaint([&] { carroll::split_colours(Exec(), pixels, luma, chroma, chroma); }),
            "carroll::split_colours: pixels have 2 channels, must be 3 or more");
}

}  // namespace
