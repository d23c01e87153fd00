// SPDX-License-Identifier: BSD-3-Clause
// Factors of patches against a cosine transform in double precision that shares no code.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/patch_factors.hpp>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "misuse/complaint.hpp"
#include "pictures/planes.hpp"
#include "support/copy.hpp"
#include "support/random.hpp"
#include "svd_instances.hpp"

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using namespace carroll::test;
using carroll::PatchBasis;
using carroll::PatchFactorOptions;

/// Coefficient (k, l) of the orthonormal transform of a patch whose upper left corner is given,
/// over two, from sums in double precision.
double coefficient(Plane const& plane, int top, int left, int k, int l) {
  double sum = 0;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int const row = std::min(top + i, static_cast<int>(plane.extent(0)) - 1);
      int const column = std::min(left + j, static_cast<int>(plane.extent(1)) - 1);
      sum += (plane(row, column) - 32768.0) * std::cos(std::numbers::pi * (2 * i + 1) * k / 16) *
             std::cos(std::numbers::pi * (2 * j + 1) * l / 16);
    }
  return sum / 8 * (k == 0 ? std::numbers::sqrt2 / 2 : 1) * (l == 0 ? std::numbers::sqrt2 / 2 : 1);
}

TEST(PatchFactors, WithoutRatesAreRoundedCosineCoefficients) {
  auto const plane = test_plane(21, 35, 300, 1);
  constexpr int step = 200;
  auto const found =
      coded(plane, step, {.basis = PatchBasis::cosines, .rate_weight = 0, .passes = 1});
  // Along the first diagonals, as JPEG has them.
  constexpr std::pair<int, int> first[] = {{0, 0}, {0, 1}, {1, 0}, {2, 0}, {1, 1}, {0, 2}, {0, 3}};
  for (int patch = 0; patch < 3 * 5; ++patch)
    for (std::size_t r = 0; r < std::size(first); ++r) {
      auto const [k, l] = first[r];
      double const exact = coefficient(plane, patch / 5 * 8, patch % 5 * 8, k, l) / step;
      // Half a step, and the rounding of coefficients to whole units.
      ASSERT_NEAR(found.factors[static_cast<std::size_t>(64 * patch) + r], exact, .5 + 1.1 / step)
          << "patch " << patch << ", component " << r;
    }
}

TEST(PatchFactors, FineStepsLoseNothing) {
  for (auto const& [rows, columns] : {std::pair{1, 1}, {8, 8}, {9, 7}, {64, 40}}) {
    auto const plane = test_plane(rows, columns, 2000, 2);
    auto const found =
        coded(plane, 4, {.basis = PatchBasis::cosines, .rate_weight = 0, .passes = 0});
    // A twelfth of the square of a step of eight levels, and what is rounded on the way.
    EXPECT_LT(found.mse, 7) << rows << " x " << columns;
  }
}

TEST(PatchFactors, ErrorIsThatOfTheFactors) {
  // The transform is orthonormal: what a picture of whole patches loses, its factors have lost. The
  // error of a uniform quantiser is at most that of steps thrown away half the time.
  auto const plane = test_plane(64, 64, 900, 3);
  for (int const step : {100, 400, 1600}) {
    auto const found =
        coded(plane, step, {.basis = PatchBasis::cosines, .rate_weight = 0, .passes = 1});
    double squares = 0;
    for (int patch = 0; patch < 64; ++patch)
      for (int k = 0; k < 8; ++k)
        for (int l = 0; l < 8; ++l) {
          double const c = coefficient(plane, patch / 8 * 8, patch % 8 * 8, k, l);
          double const lost = c - step * std::round(c / step);
          squares += 4 * lost * lost;
        }
    EXPECT_NEAR(found.mse, squares / (64 * 64), .002 * squares / (64 * 64) + 2) << step;
  }
}

TEST(PatchFactors, RatesTakeFactorsAway) {
  auto const plane = test_plane(96, 96, 700, 4);
  auto const with = [&](double weight, int passes) {
    return coded(plane, 1500,
                 {.basis = PatchBasis::cosines, .rate_weight = weight, .passes = passes});
  };
  auto const none = with(0, 1), some = with(.14, 2), many = with(1, 2);
  EXPECT_GT(none.info.non_zero, some.info.non_zero);
  EXPECT_GT(some.info.non_zero, many.info.non_zero);
  EXPECT_LT(none.mse, some.mse);
  EXPECT_LT(some.mse, many.mse);
}

/// Patches that are combinations of three random ones: three singular vectors are enough.
TEST(PatchFactors, SingularVectorsFindWhatPatchesHaveInCommon) {
  carroll::test::Random random(5);
  double common[3][64];
  for (auto& patch : common)
    for (double& level : patch) level = random.normal();
  Plane const plane("plane", 256, 256);
  for (int patch = 0; patch < 32 * 32; ++patch) {
    double const weights[3] = {3000 * random.normal(), 2000 * random.normal(),
                               1000 * random.normal()};
    for (int e = 0; e < 64; ++e) {
      double level = 32768;
      for (int c = 0; c < 3; ++c) level += weights[c] * common[c][e];
      plane(patch / 32 * 8 + e / 8, patch % 32 * 8 + e % 8) =
          static_cast<std::int32_t>(std::clamp(level, 0.0, 65535.0));
    }
  }
  auto const own = coded(plane, 1200, {.basis = PatchBasis::singular_vectors});
  auto const cosines = coded(plane, 1200, {.basis = PatchBasis::cosines});
  EXPECT_EQ(own.info.basis, PatchBasis::singular_vectors);
  EXPECT_LT(4 * own.info.non_zero, cosines.info.non_zero);
  EXPECT_LT(own.mse, cosines.mse);
}

TEST(PatchFactors, SweepsNeverRaiseTheError) {
  // Without rates each sweep solves for one factor at a time: the error of coefficients goes down.
  auto const plane = test_plane(80, 80, 2500, 6);
  double last = 1e300;
  for (int const passes : {1, 2, 4, 8}) {
    auto const found = coded(
        plane, 900, {.basis = PatchBasis::singular_vectors, .rate_weight = 0, .passes = passes});
    EXPECT_LE(found.mse, last * (1 + 1e-3)) << passes;  // levels are rounded and clamped after it
    last = found.mse;
  }
}

TEST(PatchFactors, AreTheSameBitsForAnyLayout) {
  auto const plane = test_plane(70, 50, 1500, 7);
  using Columns = Kokkos::View<std::int32_t**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  Columns const other("other", 70, 50), seen("seen", 70, 50);
  carroll::test::deep_copy(other, plane);
  Exec const exec;
  for (auto const basis : {PatchBasis::cosines, PatchBasis::singular_vectors}) {
    auto const once = coded(plane, 777, {.basis = basis});
    auto patches = carroll::patch_factors(exec, 70, 50);
    carroll::load_patches(exec, other, patches);
    (void)carroll::factorise_patches(exec, 777, patches, {.basis = basis});
    carroll::assemble_patches(exec, 777, patches, seen);
    exec.fence();
    for (std::size_t e = 0; e < once.factors.size(); ++e)
      ASSERT_EQ(patches.factors().data()[e], once.factors[e]);
    for (int i = 0; i < 70; ++i)
      for (int j = 0; j < 50; ++j)
        ASSERT_EQ(seen(i, j), once.levels[static_cast<std::size_t>(50 * i + j)]);
  }
}

TEST(PatchFactors, ABasisThatIsSetIsTheOneThatWasFound) {
  Exec const exec;
  auto const plane = test_plane(64, 64, 3000, 8);
  auto patches = carroll::patch_factors(exec, 64, 64);
  carroll::load_patches(exec, plane, patches);
  (void)carroll::factorise_patches(exec, 900, patches, {.basis = PatchBasis::singular_vectors});
  std::vector<std::int32_t> basis;
  for (int r = 1; r <= patches.vectors(); ++r)
    for (int s = 1; s < 64; ++s) basis.push_back(patches.basis(r, s));
  ASSERT_GT(patches.vectors(), 0);
  auto reader = carroll::patch_factors(exec, 64, 64);
  carroll::set_patch_basis(exec, basis, reader);
  carroll::test::deep_copy(reader.factors(), patches.factors());
  Plane const a("a", 64, 64), b("b", 64, 64);
  carroll::assemble_patches(exec, 900, patches, a);
  carroll::assemble_patches(exec, 900, reader, b);
  exec.fence();
  EXPECT_EQ(mean_square(a, b), 0);
}

TEST(PatchFactors, Misuse) {
  using carroll::test::complaint;
  Exec const exec;
  auto patches = carroll::patch_factors(exec, 16, 16);
  Plane const plane("plane", 16, 17);
  EXPECT_EQ(complaint([&] { carroll::load_patches(exec, plane, patches); }),
            "carroll::load_patches: plane is 16×17, must be 16×16");
  EXPECT_EQ(complaint([&] { (void)carroll::factorise_patches(exec, 0, patches); }),
            "carroll::factorise_patches: the step is 0, must be from 4 to 1048576");
  EXPECT_EQ(complaint([&] { (void)carroll::patch_factors(exec, 0, 3); }),
            "carroll::patch_factors: the plane is 0×3, must be 1×1 or more");
  EXPECT_EQ(
      complaint([&] { carroll::set_patch_basis(exec, std::vector<std::int32_t>(64), patches); }),
      "carroll::set_patch_basis: there are 64 entries, must be 63 a vector, for 63 vectors at "
      "most");
  EXPECT_EQ(complaint([&] {
              carroll::set_patch_basis(exec, std::vector<std::int32_t>(63, 17), patches);
            }),
            "carroll::set_patch_basis: an entry is 17, must be from -16 to 16");
}

}  // namespace
