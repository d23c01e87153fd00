// SPDX-License-Identifier: BSD-3-Clause
// What the pseudoinverse of an arrow Jacobian says of input that is not finite, of offsets that do
// not fit, and of nothing.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "arrow_drivers.hpp"

namespace {

using namespace carroll::test;
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

}  // namespace
