// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/scaling.hpp>
#include <carroll/scaling/summation.hpp>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using carroll::AmdahlFit;
using carroll::OverheadTerm;
using carroll::SummationModel;
using carroll::SummationStrategy;
using carroll::ThreadTime;

constexpr int thread_counts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

/// Medians of nine times with errors of a per cent, as a benchmark tells them.
class NoisyClock {
 public:
  double operator()(double seconds) {
    std::vector<double> times(9);
    for (double& time : times) time = seconds * (1 + 0.01 * normal_(random_));
    std::ranges::nth_element(times, times.begin() + 4);
    return times[4];
  }

 private:
  std::mt19937 random_{17};
  std::normal_distribution<double> normal_;
};

double amdahl(double a, double seconds, int p) {
  return seconds * (a + (1 - a) / p);
}

TEST(Scaling, SpeedupsOfTheCourse) {
  // Its table of sums: p, S_p, E_p.
  for (auto const& [p, s, e] : {std::tuple(2, 1.88, 0.94), {4, 3.00, 0.75}, {8, 3.75, 0.47}}) {
    auto const found = carroll::speedup({p, 1 / s}, 1.0, 1.1);
    EXPECT_NEAR(found.absolute, s, 1e-14 * s);
    EXPECT_NEAR(found.relative, 1.1 * s, 1e-14 * s);
    EXPECT_NEAR(found.efficiency, e, 0.005);
    EXPECT_NEAR(found.overhead, p / s - 1, 1e-14);
  }
  EXPECT_TRUE(std::isnan(carroll::speedup({1, 1.0}, 1.0, 1.0).karp_flatt));
  EXPECT_DOUBLE_EQ(carroll::scaled_speedup(2.0, {4, 2.5}), 3.2);
}

TEST(Scaling, KarpAndFlattSeeASerialFractionAsItIs) {
  for (int const p : {2, 5, 64})
    EXPECT_NEAR(carroll::speedup({p, amdahl(0.1, 3, p)}, 3, 3).karp_flatt, 0.1, 1e-14);
}

TEST(Scaling, ExactTimesGiveTheLawBack) {
  for (double const a : {0.0, 0.001, 0.1, 0.5, 1.0}) {
    std::vector<ThreadTime> times, collected, levels, slower;
    for (int const p : thread_counts) {
      double const seconds = amdahl(a, 2e-3, p);
      times.push_back({p, seconds});
      collected.push_back({p, seconds + 1e-5 * (p - 1)});
      levels.push_back({p, seconds + 1e-5 * std::log2(p)});
      slower.push_back({p, seconds + 1e-4});
    }
    auto const is = [&](AmdahlFit const& fit, double overhead) {
      EXPECT_NEAR(fit.serial_fraction, a, 1e-11);
      EXPECT_NEAR(fit.seconds, 2e-3, 1e-13);
      EXPECT_NEAR(fit.overhead_seconds, overhead, 1e-13);
      EXPECT_LT(fit.residual, 1e-12);
    };
    is(carroll::fit_amdahl(times), 0);
    is(carroll::fit_amdahl(collected, OverheadTerm::per_thread), 1e-5);
    is(carroll::fit_amdahl(levels, OverheadTerm::per_level), 1e-5);
    is(carroll::fit_amdahl(slower, 2e-3), 1e-4);
  }
  EXPECT_DOUBLE_EQ((AmdahlFit{0.1, 1, 0, 0}).limit(), 10);
  EXPECT_TRUE(std::isinf((AmdahlFit{-0.1, 1, 0, 0}).limit()));
}

TEST(Scaling, PlantedFractionsAreFoundWithinTwoPerCent) {
  NoisyClock clock;
  for (double const a : {0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9}) {
    std::vector<ThreadTime> times;
    for (int const p : thread_counts) times.push_back({p, clock(amdahl(a, 0.4, p))});
    auto const fit = carroll::fit_amdahl(times);
    EXPECT_NEAR(fit.serial_fraction, a, 0.02 * a);
    EXPECT_LT(fit.residual, 0.01);
  }
}

TEST(Scaling, PlantedFractionsBesideAnOverheadAreFoundWithinTwoPerCent) {
  NoisyClock clock;
  for (double const a : {0.05, 0.1, 0.2, 0.5}) {
    std::vector<ThreadTime> slower;
    for (int const p : thread_counts) slower.push_back({p, clock(amdahl(a, 0.4, p) + 0.02)});
    auto const fit = carroll::fit_amdahl(slower, 0.4);
    EXPECT_NEAR(fit.serial_fraction, a, 0.02);
    EXPECT_NEAR(fit.overhead_seconds, 0.02, 0.02 * 0.4);
  }
}

TEST(Scaling, PlantedFractionsOfGustafsonAreFoundWithinTwoPerCent) {
  NoisyClock clock;
  for (double const s : {0.05, 0.1, 0.3, 0.5, 0.8}) {
    std::vector<ThreadTime> times;
    std::vector<double> sequential, exact;
    std::vector<ThreadTime> exact_times;
    for (int const p : thread_counts) {
      times.push_back({p, clock(0.3)});
      sequential.push_back(clock(0.3 * (s + (1 - s) * p)));
      exact_times.push_back({p, 0.3});
      exact.push_back(0.3 * (s + (1 - s) * p));
    }
    EXPECT_NEAR(carroll::fit_gustafson(exact_times, exact).serial_fraction, s, 1e-13);
    auto const fit = carroll::fit_gustafson(times, sequential);
    EXPECT_NEAR(fit.serial_fraction, s, s >= 0.3 ? 0.02 * s : 0.02);
    EXPECT_LT(fit.residual, 0.01);
  }
}

TEST(Scaling, ModelsOfSums) {
  SummationModel const model{2e-9, 5e-7};
  EXPECT_DOUBLE_EQ(model.sequential(1001), 2e-6);
  EXPECT_DOUBLE_EQ(model.parallel(SummationStrategy::collect, 1600, 16),
                   99 * 2e-9 + 15 * (2e-9 + 5e-7));
  EXPECT_DOUBLE_EQ(model.parallel(SummationStrategy::tree, 1600, 16),
                   99 * 2e-9 + 4 * (2e-9 + 5e-7));
  EXPECT_DOUBLE_EQ(model.parallel(SummationStrategy::exchange, 1600, 16),
                   model.parallel(SummationStrategy::tree, 1600, 16));
  EXPECT_DOUBLE_EQ(model.parallel(SummationStrategy::collect, 1001, 1), model.sequential(1001));
  EXPECT_DOUBLE_EQ(model.speedup(SummationStrategy::tree, 1001, 1), 1);
  for (auto const& [p, steps] : {std::pair(1, 0), {2, 1}, {3, 2}, {4, 2}, {5, 3}, {64, 6}})
    EXPECT_EQ(SummationModel::steps(SummationStrategy::tree, p), steps) << p;
}

TEST(Scaling, MisuseThrows) {
  std::vector<ThreadTime> const one{{1, 1.0}, {1, 1.1}}, two{{1, 1.0}, {2, 0.6}};
  EXPECT_THROW(static_cast<void>(carroll::fit_amdahl({})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(carroll::fit_amdahl(one)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(carroll::fit_amdahl(one, 1.0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(carroll::fit_amdahl(two, OverheadTerm::per_thread)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(carroll::fit_amdahl(two, OverheadTerm::constant)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(carroll::fit_amdahl(two, 0.0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(carroll::fit_gustafson(one, std::vector<double>{1, 1})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(carroll::fit_gustafson(two, std::vector<double>{1})),
               std::invalid_argument);
  for (ThreadTime const& wrong : {ThreadTime{0, 1.0}, {1, 0.0}, {1, -1.0}, {2, NAN}, {2, INFINITY}})
    EXPECT_THROW(static_cast<void>(carroll::speedup(wrong, 1, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(SummationModel{}.sequential(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(SummationModel{}.parallel(SummationStrategy::tree, 1, 0)),
               std::invalid_argument);
}

}  // namespace
