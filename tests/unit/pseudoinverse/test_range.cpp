// SPDX-License-Identifier: BSD-3-Clause
// Problems without rows or depths, and results beyond the range of their type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/pseudoinverse/arrow_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseInfo;
using carroll::Status;

TEST(Pseudoinverse, EmptyProblems) {
  Random random(14);
  auto const no_rows = run_step(random_arrow<double>(random, 0, 2, 3));
  EXPECT_EQ(no_rows.info.status, Status::success);
  EXPECT_EQ(no_rows.info.rank, 0);
  EXPECT_EQ(no_rows.all(), std::vector<double>(5, 0.0));
  ArrowProblem<double> no_depths = random_arrow<double>(random, 0, 1, 1);
  no_depths.offsets = {0};
  EXPECT_EQ(run_step(no_depths).info.status, Status::success);
}

template <class Layout, class Real>
void expect_inverse(ArrowProblem<Real> const& problem, Status status,
                    std::vector<std::vector<double>> const& expected) {
  PseudoinverseInfo<Real> info;
  auto const inverse = run_inverse<Layout>(problem, {}, &info);
  EXPECT_EQ(info.status, status);
  auto const fits = [](double x) { return std::abs(x) <= std::numeric_limits<Real>::max(); };
  for (int i = 0; i < inverse.rows; ++i) {
    // A zero is a difference of numbers as large as others of its row, some with a rounding.
    double largest = 0;
    for (double const x : expected[i]) largest = std::max(largest, fits(x) ? std::abs(x) : 0);
    for (int p = 0; p < inverse.cols; ++p) {
      double const wanted = expected[i][p], found = inverse(i, p);
      double const zero = wanted == 0 ? std::numeric_limits<Real>::epsilon() * largest : 0;
      if (!fits(wanted))
        EXPECT_EQ(found, std::copysign(std::numeric_limits<double>::infinity(), wanted));
      else
        EXPECT_NEAR(found, wanted,
                    1e-5 * std::abs(wanted) + zero + 2 * std::numeric_limits<Real>::denorm_min())
            << i << ' ' << p;
    }
  }
}

/// Entries of A⁺ that exceed the largest number of float are infinite, and told; the others are
/// right.
TEST(Pseudoinverse, AnInverseBeyondTheRangeOfFloatIsTold) {
  float const b[] = {1e-42F, 5e-42F}, u = 1e-42F;
  double const b0 = b[0], b1 = b[1], tiny = u;
  auto const expect = [](HostMatrix<float> const& motion, std::vector<float> const& depth,
                         Status status, std::vector<std::vector<double>> const& expected) {
    std::vector<float> const rhs(depth.size(), 1.0F);
    ArrowProblem<float> const problem{motion, depth, {0, static_cast<int>(depth.size())}, rhs};
    expect_inverse<Kokkos::LayoutRight>(problem, status, expected);
    expect_inverse<Kokkos::LayoutLeft>(problem, status, expected);
    expect_inverse<Kokkos::LayoutStride>(problem, status, expected);
  };
  HostMatrix<float> motion(2, 1);
  motion(0, 0) = b[0];
  motion(1, 0) = b[1];
  double const det = b0 - b1;
  expect(motion, {1, 1}, Status::overflow, {{1 / det, -1 / det}, {-b1 / det, b0 / det}});
  // The depth's rows alone are beyond it.
  motion(0, 0) = 1;
  motion(1, 0) = 2;
  expect(motion, {0, u}, Status::overflow, {{1, 0}, {-2 / tiny, 1 / tiny}});
  HostMatrix<float> both(2, 2);
  both(0, 0) = both(0, 1) = b[0];
  both(1, 0) = both(1, 1) = b[1];
  expect(both, {1, 1}, Status::overflow,
         {{.5 / det, -.5 / det}, {.5 / det, -.5 / det}, {-b1 / det, b0 / det}});
  // Nothing is, though factors are.
  HostMatrix<float> row(1, 2);
  row(0, 0) = 1;
  row(0, 1) = 3;
  expect(row, {u}, Status::success, {{.1}, {.3}, {.1 * tiny}});
}

/// Variances beyond the range are told where they are wanted; the step is right, and the same.
TEST(Pseudoinverse, VariancesBeyondTheRangeLeaveTheStepAlone) {
  for (int const k : {1, 2, 3, 6}) {
    Random random(17);
    auto problem = random_arrow<float>(random, 300, k, 7);
    for (int i = problem.offsets[2]; i < problem.offsets[3]; ++i) problem.depth[i] *= 1e-25F;
    auto const all = run_step(problem);
    EXPECT_EQ(all.info.status, Status::overflow);
    auto const alone = run_step_alone(problem);
    EXPECT_EQ(alone.info.status, Status::success);
    EXPECT_TRUE(same_bits(alone.motion, all.motion));
    EXPECT_TRUE(same_bits(alone.depth, all.depth));
    EXPECT_EQ(alone.info.rank, all.info.rank);
    for (float const x : all.all()) EXPECT_TRUE(std::isfinite(x));
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) EXPECT_TRUE(std::isfinite(all.covariance(i, j)));
    for (int i = 0; i < 7; ++i)
      if (i == 2)
        EXPECT_EQ(all.variances[i], std::numeric_limits<float>::infinity());
      else
        EXPECT_TRUE(std::isfinite(all.variances[i])) << i;
  }
}

}  // namespace
