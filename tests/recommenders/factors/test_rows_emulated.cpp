// SPDX-License-Identifier: BSD-3-Clause
// A device's teams that solve rows' equations, whose threads take turns on the host: triangles in
// registers and in memory, weights, biases, segments and slots, words of 16 bytes and none.
#include <gtest/gtest.h>

#include <carroll/detail/device/emulated/space.hpp>
// before any kernel
#include <carroll/detail/row_equations/device/launch.hpp>
#include <carroll/detail/row_equations/team/launch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "recommenders/factors/oracle.hpp"
#include "support/emulated_types.hpp"

namespace {

using namespace carroll::detail;
using namespace carroll::test;

template <class Real>
class EmulatedRowsTest : public ::testing::Test {
 protected:
  struct Case {
    int d;
    bool weighted = false, fits_bias = false, common = false, adds = false;
    std::vector<std::int64_t> counts = {0, 1, 5, 40};
    std::int64_t most_slots = 10;
    int pitch_more = 0;
    int steps = 0;  // of conjugate gradients, instead of a factorisation
  };

  /// Solves the rows, whose ratings are random, and looks at their equations.
  static void check(Case const& c) {
    SCOPED_TRACE("d = " + std::to_string(c.d) + (c.weighted ? " weighted" : "") +
                 (c.fits_bias ? " with a bias" : "") + (c.common ? " with a common matrix" : "") +
                 (c.adds ? " added" : "") + (c.steps > 0 ? " by gradients" : ""));
    constexpr int columns = 60;
    Random random(static_cast<std::uint64_t>(c.d));
    std::vector<std::int64_t> offsets{0};
    for (auto const n : c.counts) offsets.push_back(offsets.back() + n);
    auto const ratings = static_cast<std::size_t>(offsets.back());
    std::vector<std::int32_t> column(ratings);
    std::vector<Real> value(ratings);
    for (auto& x : column) x = random.index(columns);
    for (auto& x : value) x = static_cast<Real>(1 + random.uniform());
    int const f = c.d - (c.fits_bias ? 1 : 0), pitch = f + c.pitch_more;
    auto const rows = c.counts.size();
    auto const wide = static_cast<std::size_t>(pitch);
    // 16 bytes are where a word is, as they are on devices.
    std::vector<Real> y_memory(columns * wide + 4), x(rows * wide, Real(0.25)), bias(rows, Real(9));
    Real* y = y_memory.data();
    while (reinterpret_cast<std::uintptr_t>(y) % 16 != 0) ++y;
    for (std::size_t i = 0; i < columns * wide; ++i) y[i] = static_cast<Real>(random.normal());
    std::vector<Real> common(static_cast<std::size_t>(f * f)), rhs(static_cast<std::size_t>(c.d));
    for (int i = 0; i < f; ++i) common[static_cast<std::size_t>(i * f + i)] = Real(0.5);
    for (auto& r : rhs) r = static_cast<Real>(random.normal());

    RowEquations<Real> p;
    p.offsets = offsets.data();
    p.columns = column.data();
    p.values = value.data();
    p.rows = static_cast<std::int32_t>(rows);
    p.y = y;
    p.y_pitch = pitch;
    p.factors = f;
    p.fits_bias = c.fits_bias;
    p.mean = Real(0.5);
    p.precision = c.weighted ? Real(1.5) : Real(1);
    p.regularization = 0.3;
    p.x = x.data();
    p.x_pitch = pitch;
    p.x_bias = bias.data();
    if (c.common) {
      p.common = common.data();
      p.common_pitch = f;
      p.common_scale = Real(2);
      p.common_rhs = rhs.data();
    }
    RowFindings findings{};
    p.findings = &findings;

    EmulatedSpace const exec;
    RowPlan const plan(offsets, c.most_slots);
    auto const numbers = device_row_numbers<EmulatedSpace, Real>(exec, c.d);
    auto const nan = std::numeric_limits<Real>::quiet_NaN();
    std::vector<Real> slots(static_cast<std::size_t>(numbers.slot * plan.slots + 4), nan),
        own(static_cast<std::size_t>(numbers.own + 4), nan);
    auto const aligned = [](std::vector<Real>& memory) {
      Real* at = memory.data();
      while (reinterpret_cast<std::uintptr_t>(at) % 16 != 0) ++at;
      return at;
    };
    if (c.steps > 0)
      launch_row_teams<Real>("gradients", exec, ConjugateGradientRow<Real>{p, c.steps});
    else
      for (auto const& wave : plan.waves)
        enqueue_device_rows(exec, p, plan.items.data() + wave.first_item, wave.items,
                            plan.sums.data() + wave.first_sum, wave.sums, aligned(slots),
                            aligned(own), [&] { findings.ticket = 0; });
    EXPECT_EQ(findings.singular, 0U);
    EXPECT_EQ(findings.not_finite, 0U);

    double worst = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      auto const d = static_cast<std::size_t>(c.d);
      DenseEquations eq(d);
      for (auto e = static_cast<std::size_t>(offsets[r]);
           e < static_cast<std::size_t>(offsets[r + 1]); ++e) {
        std::vector<long double> v(d, 1.0L);
        for (int i = 0; i < f; ++i)
          v[static_cast<std::size_t>(i)] = static_cast<long double>(y[column[e] * pitch + i]);
        auto const g = static_cast<long double>(p.precision);
        for (std::size_t i = 0; i < d; ++i) {
          eq.b[i] += g * (value[e] - Real(0.5)) * v[i];
          for (std::size_t j = 0; j < d; ++j) eq.a[i][j] += g * v[i] * v[j];
        }
      }
      for (std::size_t i = 0; i < d; ++i) {
        eq.a[i][i] += 0.3;
        if (c.common) {
          if (i < static_cast<std::size_t>(f)) eq.a[i][i] += 1;
          eq.b[i] += static_cast<double>(rhs[i]);
        }
      }
      std::vector<double> solution(d);
      for (int i = 0; i < f; ++i)
        solution[static_cast<std::size_t>(i)] =
            static_cast<double>(x[r * wide + static_cast<std::size_t>(i)]);
      if (c.fits_bias) solution[d - 1] = static_cast<double>(bias[r]);
      if (c.counts[r] == 0 && !c.common) {
        for (double const entry : solution) EXPECT_EQ(entry, 0);
      }
      worst = std::max(worst, backward_error(eq, solution));
    }
    EXPECT_LT(worst, (32 + c.d) * static_cast<double>(std::numeric_limits<Real>::epsilon()));
  }
};

using Reals = carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(EmulatedRowsTest, Reals);

TYPED_TEST(EmulatedRowsTest, in_registers) {
  for (int const d : {1, 3, 4, 7, 8, 9, 17, 31, 32, 33}) this->check({.d = d});
  this->check({.d = 17, .counts = {700}});
  for (int const d : {63, 64, 65, 96, 97, 100, 112, 113, 127, 128})
    this->check({.d = d, .counts = {3, 30}});
  this->check({.d = 24, .weighted = true});
  this->check({.d = 21, .fits_bias = true});
  this->check({.d = 101, .fits_bias = true, .counts = {0, 20}});
  this->check({.d = 24, .common = true});
  this->check({.d = 12, .weighted = true, .common = true, .pitch_more = 5});
  this->check({.d = 100, .weighted = true, .common = true, .counts = {0, 20}});
}

/// Those for devices without warps, or for more unknowns.
TYPED_TEST(EmulatedRowsTest, in_tiles) {
  int const least = sizeof(TypeParam) == 4 ? 129 : 65;
  this->check({.d = least, .counts = {0, 3, 30, 600}});
  this->check({.d = least + 3, .weighted = true, .common = true, .counts = {0, 30}});
}

TYPED_TEST(EmulatedRowsTest, in_memory) {
  int const least = sizeof(TypeParam) == 4 ? 257 : 129;
  this->check({.d = least, .counts = {0, 30, 600}});
  this->check({.d = least + 3, .weighted = true, .common = true, .counts = {0, 30}});
}

/// Twice the steps that exact numbers would want; 513 unknowns are for teams.
TYPED_TEST(EmulatedRowsTest, by_gradients) {
  this->check({.d = 1, .counts = {0, 1, 5}, .steps = 2});
  this->check({.d = 33, .counts = {0, 1, 70}, .steps = 60});
  this->check({.d = 20, .counts = {300}, .steps = 60});
  this->check({.d = 129, .fits_bias = true, .counts = {0, 3, 12}, .steps = 30});
  this->check({.d = 200, .weighted = true, .counts = {9}, .steps = 25});
  this->check({.d = 260, .counts = {5}, .steps = 20});
  this->check({.d = 513, .counts = {5}, .steps = 20});
  this->check({.d = 40, .common = true, .counts = {0, 9}, .pitch_more = 5, .steps = 30});
}

TYPED_TEST(EmulatedRowsTest, long_rows_by_segments) {
  this->check({.d = 9, .counts = {4500, 3}});
  this->check({.d = 9, .weighted = true, .counts = {9000}, .most_slots = 3});
}

}  // namespace
