// SPDX-License-Identifier: BSD-3-Clause
// What the pseudoinverse of an arrow Jacobian says of input that is not finite, of offsets that do
// not fit, and of nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "arrow_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseInfo;
using carroll::Status;

template <class T>
void expect_nothing_but_nan(Random& random, int k, int m) {
  for (int const place : {0, 1, 2}) {
    auto problem = random_arrow<T>(random, 300, k, m);
    T const nan = std::numeric_limits<T>::quiet_NaN();
    (place == 0   ? problem.motion(123, k - 1)
     : place == 1 ? problem.depth[299]
                  : problem.rhs[0]) = nan;
    auto const result = run_step(problem);
    EXPECT_EQ(result.info.status, Status::non_finite);
    EXPECT_TRUE(all_nan(result.motion));
    EXPECT_TRUE(all_nan(result.depth));
    EXPECT_TRUE(all_nan(result.variances));
    if (place < 2) {
      EXPECT_TRUE(all_nan(run_inverse(problem).data));
    }
  }
}

TEST(Pseudoinverse, NothingButNaNForInputThatIsNotFinite) {
  Random random(12);
  for (int const k : {1, 2, 3, 6})
    for (int const m : {4, 20}) {  // segments of many rows and of some may have other kernels
      expect_nothing_but_nan<float>(random, k, m);
      expect_nothing_but_nan<double>(random, k, m);
    }
}

template <class Real>
void expect_unusable_offsets() {
  Random random(13);
  for (int const k : {1, 2, 3, 6}) {
    auto const problem = random_arrow<Real>(random, 300, k, 4);
    for (auto const& offsets : std::vector<std::vector<int>>{{0, 100, 50, 200, 300},
                                                             {0, 10, 20, 30, 299},
                                                             {1, 10, 20, 30, 300},
                                                             {0, 10, 20, 30, 400},
                                                             {0, 10, 20, 300, 400},
                                                             {0, 300, 300, 300, 301},
                                                             {0, 300, 400, 300, 300},
                                                             {400, 400, 400, 400, 401},
                                                             {-5, 10, 20, 30, 300}}) {
      auto broken = problem;
      broken.offsets = offsets;
      auto const result = run_step(broken);
      EXPECT_EQ(result.info.status, Status::breakdown) << k << ' ' << offsets[3];
      EXPECT_TRUE(all_nan(result.motion));
      EXPECT_TRUE(all_nan(result.depth));
      EXPECT_TRUE(all_nan(run_inverse<Kokkos::LayoutRight>(broken).data));
      EXPECT_TRUE(all_nan(run_inverse<Kokkos::LayoutLeft>(broken).data));
    }
    // Windows in the middle of a problem see these, and may take differences of them.
    for (int const place : {1, 2, 3})
      for (int const offset :
           {std::numeric_limits<int>::min(), -1, std::numeric_limits<int>::max()}) {
        auto broken = random_arrow<Real>(random, 3000, k, 4);
        broken.offsets = {0, 800, 1500, 2200, 3000};
        broken.offsets[place] = offset;
        EXPECT_EQ(run_step(broken).info.status, Status::breakdown) << k << ' ' << offset;
        EXPECT_TRUE(all_nan(run_inverse(broken).data));
      }
    auto const no_depths = random_arrow<Real>(random, 40, k, 0);
    EXPECT_EQ(run_step(no_depths).info.status, Status::breakdown);
    EXPECT_TRUE(all_nan(run_inverse<Kokkos::LayoutRight>(no_depths).data));
    EXPECT_TRUE(all_nan(run_inverse<Kokkos::LayoutLeft>(no_depths).data));
  }
}

TEST(Pseudoinverse, OffsetsThatDoNotFitAreTold) {
  expect_unusable_offsets<float>();
  expect_unusable_offsets<double>();
}

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
  for (int i = 0; i < inverse.rows; ++i)
    for (int p = 0; p < inverse.cols; ++p) {
      double const wanted = expected[i][p], found = inverse(i, p);
      if (std::abs(wanted) > std::numeric_limits<Real>::max())
        EXPECT_EQ(found, std::copysign(std::numeric_limits<double>::infinity(), wanted));
      else
        EXPECT_NEAR(found, wanted,
                    1e-5 * std::abs(wanted) + 2 * std::numeric_limits<Real>::denorm_min())
            << i << ' ' << p;
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
