// SPDX-License-Identifier: BSD-3-Clause
// Rows in any order, frames and right-hand sides side by side, segments and columns of all sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/copy.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

TEST(Pseudoinverse, RowsInAnyOrderByPermutation) {
  Random random(9);
  for (int const k : {1, 3}) {
    auto const problem = random_arrow<double>(random, 2000, k, 15);
    std::vector<int> order(2000);
    for (int i = 0; i < 2000; ++i) order[i] = i;
    random.shuffle(order);
    auto shuffled = problem;
    for (int p = 0; p < 2000; ++p) {
      for (int j = 0; j < k; ++j) shuffled.motion(order[p], j) = problem.motion(p, j);
      shuffled.depth[order[p]] = problem.depth[p];
      shuffled.rhs[order[p]] = problem.rhs[p];
    }
    DeviceArrow<double, Kokkos::LayoutLeft> device(shuffled);
    Kokkos::View<int*, Memory> const rows("carroll_test::rows", 2000);
    carroll::test::deep_copy(
        rows, Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(order.data(),
                                                                                   order.size()));
    Kokkos::View<double*, Memory> const y("carroll_test::y", k), xi("carroll_test::xi", 15);
    carroll::ArrowJacobian const A{device.motion.view(), device.depth.view(), device.offsets, rows};
    auto const info =
        carroll::apply_pseudoinverse(Exec(), A, device.rhs.view(), carroll::ArrowSolution{y, xi});
    EXPECT_EQ(info.status, Status::success);
    auto const expected = run_step(problem);
    auto const host_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    auto const host_xi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), xi);
    for (int j = 0; j < k; ++j) EXPECT_EQ(host_y(j), expected.motion[j]);
    for (int i = 0; i < 15; ++i) EXPECT_EQ(host_xi(i), expected.depth[i]);
    auto const expected_inverse = run_inverse(problem);
    auto const expect_inverse = [&]<class Layout>(Layout) {
      Kokkos::View<double**, Layout, Memory> const inverse("carroll_test::inverse", k + 15, 2000);
      EXPECT_EQ(carroll::pseudoinverse(Exec(), A, inverse).status, Status::success);
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), inverse);
      double worst = 0;
      for (int i = 0; i < k + 15; ++i)
        for (int p = 0; p < 2000; ++p)
          worst = std::max(worst, std::abs(host(i, order[p]) - expected_inverse(i, p)));
      EXPECT_LE(worst, 10 * epsilon<double>);
    };
    expect_inverse(Kokkos::LayoutRight());
    expect_inverse(Kokkos::LayoutLeft());

    carroll::test::deep_copy(Kokkos::subview(rows, 5), 2000);
    EXPECT_EQ(
        carroll::apply_pseudoinverse(Exec(), A, device.rhs.view(), carroll::ArrowSolution{y, xi})
            .status,
        Status::breakdown);
  }
}

TEST(Pseudoinverse, MembersOfABatchAndRightHandSidesAreSolvedAsIfAlone) {
  Random random(10);
  int const n = 1500, m = 11, frames = 3, columns = 2;
  for (int const k : {1, 3}) {
    std::vector<ArrowProblem<double>> problems;
    for (int f = 0; f < frames; ++f) problems.push_back(random_arrow<double>(random, n, k, m));
    using Right = Kokkos::LayoutRight;
    Kokkos::View<double***, Right, Memory> motion("motion", frames, n, k);
    Kokkos::View<double**, Right, Memory> depth("depth", frames, n);
    Kokkos::View<int**, Right, Memory> offsets("offsets", frames, m + 1);
    Kokkos::View<double***, Right, Memory> d("d", frames, n, columns);
    Kokkos::View<double***, Right, Memory> y("y", frames, k, columns), xi("xi", frames, m, columns);
    auto const hm = Kokkos::create_mirror_view(motion);
    auto const hu = Kokkos::create_mirror_view(depth);
    auto const ho = Kokkos::create_mirror_view(offsets);
    auto const hd = Kokkos::create_mirror_view(d);
    auto second = problems;
    for (int f = 0; f < frames; ++f) {
      for (double& value : second[f].rhs) value = random.normal();
      if (f == 1) second[f].rhs[7] = std::numeric_limits<double>::infinity();
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < k; ++j) hm(f, i, j) = problems[f].motion(i, j);
        hu(f, i) = problems[f].depth[i];
        hd(f, i, 0) = problems[f].rhs[i];
        hd(f, i, 1) = second[f].rhs[i];
      }
      for (int i = 0; i <= m; ++i) ho(f, i) = problems[f].offsets[i];
    }
    carroll::test::deep_copy(motion, hm);
    carroll::test::deep_copy(depth, hu);
    carroll::test::deep_copy(offsets, ho);
    carroll::test::deep_copy(d, hd);
    auto const infos = carroll::apply_pseudoinverse(
        Exec(), carroll::ArrowJacobian{motion, depth, offsets}, d, carroll::ArrowSolution{y, xi});
    ASSERT_EQ(infos.size(), 6U);
    auto const hy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    auto const hx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), xi);
    for (int f = 0; f < frames; ++f)
      for (int r = 0; r < columns; ++r) {
        auto const alone = run_step(r == 0 ? problems[f] : second[f]);
        EXPECT_EQ(infos[f * columns + r].status, alone.info.status);
        EXPECT_EQ(alone.info.status, f == 1 && r == 1 ? Status::non_finite : Status::success);
        std::vector<double> motion_part, depth_part;
        for (int j = 0; j < k; ++j) motion_part.push_back(hy(f, j, r));
        for (int i = 0; i < m; ++i) depth_part.push_back(hx(f, i, r));
        EXPECT_TRUE(same_bits(motion_part, alone.motion)) << f << r;
        EXPECT_TRUE(same_bits(depth_part, alone.depth)) << f << r;
      }
  }
}

/// A window may begin where the column of a segment has been next to nothing: what little there was
/// tells of a large ξ, which must not be seen in what the rest says.
TEST(Pseudoinverse, PiecesOfSegmentsOfVeryDifferentSize) {
  Random random(16);
  int const n = 60000, length = 60;
  for (int const k : {1, 2, 3, 6}) {
    auto problem = random_arrow<double>(random, n, k, n / length);
    for (int i = 0; i <= problem.m(); ++i) problem.offsets[i] = i * length;
    for (int i = 0; i < n; ++i)
      if (i % length < length / 2) problem.depth[i] *= 1e-9;
    for (bool const turned : {false, true}) {
      if (turned) std::reverse(problem.depth.begin(), problem.depth.end());
      auto const result = run_step(problem);
      ASSERT_EQ(result.info.status, Status::success);
      double worst = 0;
      for (int s = 0; s < problem.m(); ++s) {
        long double d = 0, expected = 0;
        for (int i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i) {
          long double left = problem.rhs[i];
          for (int j = 0; j < k; ++j)
            left -= static_cast<long double>(problem.motion(i, j)) * result.motion[j];
          d += static_cast<long double>(problem.depth[i]) * problem.depth[i];
          expected += problem.depth[i] * left;
        }
        expected /= d;
        worst = std::max(worst, static_cast<double>(std::abs(result.depth[s] - expected)));
      }
      EXPECT_LE(worst, 1e-14) << k << ' ' << turned;  // ξ is about 0.2
    }
  }
}

/// Nothing is rounded in another way where columns are 2^490 or 2^-470 times as large, close to
/// where their squares leave the range, even if one has but 1e-12 left beside another.
TEST(Pseudoinverse, MotionColumnsTimesAPowerOfTwo) {
  Random random(15);
  for (int const k : {1, 3, 6}) {
    auto const problem = [&] {
      auto p = random_arrow<double>(random, 400, k, 5);
      if (k > 1)
        for (int i = 0; i < 400; ++i) p.motion(i, 1) = p.motion(i, 0) + 1e-12 * p.motion(i, 1);
      return p;
    }();
    auto const expected = run_step(problem);
    ASSERT_EQ(expected.info.status, Status::success);
    EXPECT_EQ(expected.info.rank, k + 5);
    for (int const exponent : {490, -470}) {
      auto scaled = problem;
      for (int i = 0; i < 400; ++i)
        for (int j = 0; j < k; ++j)
          scaled.motion(i, j) = std::ldexp(problem.motion(i, j), exponent);
      auto const result = run_step(scaled);
      EXPECT_EQ(result.info.status, Status::success);
      EXPECT_EQ(result.info.rank, k + 5);
      auto motion = result.motion;
      for (double& y : motion) y = std::ldexp(y, exponent);
      EXPECT_TRUE(same_bits(motion, expected.motion)) << k << ", 2^" << exponent;
    }
  }
}

}  // namespace
