// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <carroll/occupancy.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace {

using carroll::ComputeCapability;
using carroll::KernelResources;
using carroll::occupancy;
using carroll::OccupancyLimiter;

constexpr std::array<ComputeCapability, 11> columns = {
    {{2, 0}, {3, 5}, {5, 2}, {6, 0}, {7, 0}, {7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {12, 0}}};

struct Kernel {
  int threads, registers, scratch;
  std::array<int, columns.size()> blocks;
};

// By NVIDIA's occupancy calculators, of CUDA 8.0 for 2.0 and of CUDA 13.0 for the rest.
// clang-format off
constexpr Kernel kernels[] = {
    {32,    16,      0, {8, 16, 32, 32, 32, 16, 32, 16, 24, 32, 24}},
    {64,    24,      0, {8, 16, 32, 32, 32, 16, 32, 16, 24, 32, 24}},
    {96,    32,   1024, {8, 16, 21, 21, 21, 10, 21, 16, 16, 21, 16}},
    {128,   37,      0, {6, 12, 12, 12, 12,  8, 12, 12, 12, 12, 12}},
    {128,   63,   4096, {4,  8,  8,  8,  8,  8,  8,  8,  8,  8,  8}},
    {160,   40,   2000, {4,  9,  9, 10,  9,  6,  9,  9,  9,  9,  9}},
    {192,   30,      0, {5, 10, 10, 10, 10,  5, 10,  8,  8, 10,  8}},
    {256,   16,      0, {6,  8,  8,  8,  8,  4,  8,  6,  6,  8,  6}},
    {256,   32,   8192, {4,  6,  8,  8,  8,  4,  8,  6,  6,  8,  6}},
    {256,   33,      0, {3,  6,  6,  6,  6,  4,  6,  6,  6,  6,  6}},
    {256,   64,  16384, {0,  3,  4,  4,  4,  4,  4,  4,  4,  4,  4}},
    {288,   48,    100, {2,  4,  4,  4,  4,  3,  4,  4,  4,  4,  4}},
    {320,   37,      0, {2,  4,  4,  5,  4,  3,  4,  4,  4,  4,  4}},
    {384,   42,  12288, {2,  3,  3,  3,  3,  2,  3,  3,  3,  3,  3}},
    {512,   64,      0, {0,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2}},
    {512,   65,      0, {0,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1}},
    {640,   24,  20000, {2,  2,  3,  3,  3,  1,  3,  2,  2,  3,  2}},
    {768,   80,      0, {0,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1}},
    {1024,  32,  32768, {1,  1,  2,  2,  2,  1,  2,  1,  1,  2,  1}},
    {1024,  64,      0, {0,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1}},
    {1024,  65,      0, {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0}},
    {128,  128,  49152, {0,  1,  2,  1,  2,  1,  3,  2,  2,  4,  2}},
    {64,   255,      0, {0,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4}},
    {256,   40,  65536, {0,  0,  0,  0,  1,  1,  2,  1,  1,  3,  1}},
    {128,  168, 102400, {0,  0,  0,  0,  0,  0,  1,  0,  0,  2,  0}},
    {512,   20, 101376, {0,  0,  0,  0,  0,  0,  1,  1,  1,  2,  1}},
    {192,   96, 232448, {0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  0}},
};
// clang-format on

TEST(Occupancy, IsThatOfTheVendorsCalculator) {
  for (auto const& kernel : kernels) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      auto const found = occupancy(columns[k], {kernel.threads, kernel.registers, kernel.scratch});
      EXPECT_EQ(found.blocks, kernel.blocks[k])
          << to_string(columns[k]) << ": " << kernel.threads << " threads, " << kernel.registers
          << " registers, " << kernel.scratch << " bytes";
      EXPECT_EQ(found.active_warps,
                found.blocks * ((kernel.threads + 31) / 32) * (found.blocks > 0));
      EXPECT_EQ(found.blocks == 0, found.limiter == OccupancyLimiter::does_not_fit);
      EXPECT_EQ(found.blocks == 0, !found.reason.empty());
      EXPECT_TRUE(found.limited_by(found.limiter));
    }
  }
}

// CUDA C++ Best Practices Guide, "Calculating Occupancy": 75 % with 12 blocks of 128, 63 % with
// four of 320, both of 37 registers, on 7.0.
TEST(Occupancy, ExamplesOfTheBestPracticesGuide) {
  auto const small = occupancy({7, 0}, {.threads = 128, .registers_per_thread = 37});
  EXPECT_EQ(small.blocks, 12);
  EXPECT_DOUBLE_EQ(small.fraction(), 0.75);
  EXPECT_EQ(small.limiter, OccupancyLimiter::registers);
  auto const large = occupancy({7, 0}, {.threads = 320, .registers_per_thread = 37});
  EXPECT_EQ(large.blocks, 4);
  EXPECT_DOUBLE_EQ(large.fraction(), 0.625);
}

// CUDA C++ Programming Guide, "Multiprocessor Level": on 6.x, of blocks of 512 threads two fit with
// 64 registers, one with 65.
TEST(Occupancy, ExamplesOfTheProgrammingGuide) {
  for (int const minor : {0, 1}) {
    EXPECT_EQ(occupancy({6, minor}, {.threads = 512, .registers_per_thread = 64}).active_warps, 32);
    EXPECT_EQ(occupancy({6, minor}, {.threads = 512, .registers_per_thread = 65}).active_warps, 16);
  }
}

// The course on numerical methods, chapter 4: Fermi with and without 30 registers, Kepler.
TEST(Occupancy, ExamplesOfTheCourse) {
  auto const threads = [](ComputeCapability capability, int block, int registers) {
    return occupancy(capability, {block, registers, 0}).active_warps * 32;
  };
  EXPECT_EQ(threads({2, 0}, 192, 0), 1536);
  EXPECT_EQ(threads({2, 0}, 192, 30), 960);
  EXPECT_EQ(threads({2, 0}, 128, 30), 1024);
  EXPECT_EQ(threads({2, 0}, 8 * 8, 0), 512);
  EXPECT_EQ(threads({2, 0}, 16 * 16, 0), 1536);
  EXPECT_EQ(threads({2, 0}, 32 * 32, 0), 1024);
  EXPECT_EQ(threads({3, 0}, 8 * 8, 0), 1024);
  EXPECT_EQ(threads({3, 0}, 16 * 16, 0), 2048);
  EXPECT_EQ(threads({3, 0}, 32 * 32, 0), 2048);
}

TEST(Occupancy, NamesWhatThereIsLeastOf) {
  auto const limiter = [](ComputeCapability capability, KernelResources const& kernel) {
    return occupancy(capability, kernel).limiter;
  };
  EXPECT_EQ(limiter({9, 0}, {1024, 32, 0}), OccupancyLimiter::warps);
  EXPECT_EQ(limiter({9, 0}, {32, 32, 0}), OccupancyLimiter::blocks);
  EXPECT_EQ(limiter({9, 0}, {256, 128, 0}), OccupancyLimiter::registers);
  EXPECT_EQ(limiter({9, 0}, {128, 32, 60'000}), OccupancyLimiter::scratch);
  auto const tie = occupancy({9, 0}, {512, 32, 50 * 1024});
  EXPECT_EQ(tie.limiter, OccupancyLimiter::warps);
  EXPECT_TRUE(tie.limited_by(OccupancyLimiter::registers));
  EXPECT_TRUE(tie.limited_by(OccupancyLimiter::warps));
  EXPECT_TRUE(tie.limited_by(OccupancyLimiter::scratch));
  EXPECT_FALSE(tie.limited_by(OccupancyLimiter::blocks));
}

TEST(Occupancy, WhatDoesNotFitSaysWhy) {
  auto const reason = [](ComputeCapability capability, KernelResources const& kernel) {
    return occupancy(capability, kernel).reason;
  };
  EXPECT_EQ(reason({9, 0}, {1056, 1, 0}), "a block of 1056 threads, at most 1024");
  EXPECT_EQ(reason({9, 0}, {32, 256, 0}), "256 registers in a thread, at most 255");
  EXPECT_EQ(reason({3, 0}, {32, 64, 0}), "64 registers in a thread, at most 63");
  EXPECT_EQ(reason({9, 0}, {1024, 65, 0}), "73728 registers in a block, at most 65536");
  EXPECT_EQ(reason({9, 0}, {32, 1, 232'449}), "232449 bytes of scratch in a block, at most 232448");
  EXPECT_EQ(reason({9, 0}, {32, 1, 232'448}), "");
  // The launch is refused, though the registers would be there: see parts_of_check.
  EXPECT_EQ(occupancy({6, 0}, {286, 185, 0}).blocks, 0);
  auto const huge = occupancy(
      {9, 0}, {std::numeric_limits<int>::max(), 1 << 30, std::numeric_limits<std::int64_t>::max()});
  EXPECT_EQ(huge.fraction(), 0);
}

TEST(Occupancy, ScratchLeavesTheRestToTheCache) {
  // Four blocks of 17 KiB, with the reserved one of each: 68 of the sizes up to 228.
  EXPECT_EQ(occupancy({9, 0}, {512, 32, 16 * 1024}).carveout, 100 * 1024);
  EXPECT_EQ(occupancy({9, 0}, {1024, 32, 0}).carveout, 8 * 1024);
  EXPECT_EQ(occupancy({3, 5}, {512, 32, 16 * 1024}).carveout, 48 * 1024);
  EXPECT_EQ(occupancy({5, 2}, {512, 32, 16 * 1024}).carveout, 96 * 1024);
}

TEST(Occupancy, CurvesAndBestSizes) {
  auto const curve = carroll::occupancy_curve({9, 0}, {.registers_per_thread = 40});
  ASSERT_EQ(curve.size(), 32U);
  EXPECT_EQ(curve.front().kernel.threads, 32);
  EXPECT_EQ(curve.back().kernel.threads, 1024);
  for (auto const& point : curve) {
    EXPECT_EQ(point.blocks, occupancy({9, 0}, {point.kernel.threads, 40, 0}).blocks);
  }
  auto const best = carroll::best_team_sizes(curve);
  ASSERT_FALSE(best.empty());
  for (int const threads : best) EXPECT_EQ(occupancy({9, 0}, {threads, 40, 0}).active_warps, 48);
  // 256 bytes of scratch a thread: a block of 1024 would need more than there is.
  auto const growing = carroll::occupancy_curve({9, 0}, {.registers_per_thread = 32},
                                                [](int threads) { return 256 * threads; });
  EXPECT_EQ(growing.back().blocks, 0);
  EXPECT_EQ(growing[0].kernel.scratch_bytes, 256 * 32);
  auto const nowhere = carroll::occupancy_curve({9, 0}, {.scratch_bytes = 1 << 20});
  EXPECT_TRUE(carroll::best_team_sizes(nowhere).empty());
}

TEST(Occupancy, DevicesByTheirNames) {
  EXPECT_EQ(carroll::device_named("H200").multiprocessors, 132);
  for (char const* name : {"rtx 4090", "RTX4090", "GeForce RTX 4090", "NVIDIA GeForce RTX 4090"}) {
    EXPECT_EQ(carroll::device_named(name).capability, (ComputeCapability{8, 9})) << name;
  }
  EXPECT_EQ(carroll::device_named("Jetson TK1").capability, (ComputeCapability{3, 2}));
  EXPECT_EQ(carroll::device_named("tx1").capability, (ComputeCapability{5, 3}));
  EXPECT_EQ(carroll::device_named("Orin Nano").multiprocessors, 8);
  for (auto const& device : carroll::known_devices()) {
    EXPECT_STREQ(carroll::device_named(device.name).name, device.name);
    EXPECT_NO_THROW(static_cast<void>(carroll::limits_of(device.capability))) << device.name;
  }
}

/// What is thrown by a call that cannot be carried out; empty where nothing is.
template <class Call>
std::string occupancy_complaint(Call const& call) {
  try {
    call();
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return {};
}

TEST(Occupancy, MisuseThrows) {
  auto const of = [](KernelResources const& kernel) {
    return occupancy_complaint([&] { static_cast<void>(occupancy({9, 0}, kernel)); });
  };
  EXPECT_EQ(of({0, 1, 0}), "carroll::occupancy: threads is 0, must be at least 1");
  EXPECT_EQ(of({32, -1, 0}), "carroll::occupancy: registers_per_thread is -1, must be at least 0");
  EXPECT_EQ(of({32, 1, -8}), "carroll::occupancy: scratch_bytes is -8, must be at least 0");
  auto const capability = occupancy_complaint([] {
    static_cast<void>(occupancy({4, 2}, {32, 1, 0}));
  });
  EXPECT_EQ(capability.find("carroll::limits_of: compute capability 4.2 is none of 2.0, "), 0U);
  for (char const* name : {"", "NVIDIA", "H2000"}) {
    auto const device =
        occupancy_complaint([&] { static_cast<void>(carroll::device_named(name)); });
    EXPECT_NE(device.find("carroll::device_named: device '" + std::string(name) + "' is none of "),
              std::string::npos);
  }
}

}  // namespace
