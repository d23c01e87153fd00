// SPDX-License-Identifier: BSD-3-Clause
// What the pseudoinverse of an arrow Jacobian says of input that is not finite, of offsets that do
// not fit, and of nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "arrow_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::ArrowJacobian;
using carroll::pseudoinverse_workspace;
using carroll::PseudoinverseExtents;
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

/// Batches of dense A⁺ of problems of one shape.
template <class Real>
[[nodiscard]] std::vector<HostMatrix<Real>> inverses_of(
    std::vector<ArrowProblem<Real>> const& problems, std::vector<Status>& statuses) {
  int const f = static_cast<int>(problems.size()), n = problems[0].n(), k = problems[0].k();
  int const m = problems[0].m();
  GuardedView<Real, 3, Kokkos::LayoutRight> motion(
      {std::size_t(f), std::size_t(n), std::size_t(k)});
  GuardedView<Real, 3, Kokkos::LayoutRight> inverse(
      {std::size_t(f), std::size_t(k + m), std::size_t(n)});
  GuardedView<Real, 2, Kokkos::LayoutRight> depth({std::size_t(f), std::size_t(n)});
  GuardedView<int, 2, Kokkos::LayoutRight> offsets({std::size_t(f), std::size_t(m + 1)});
  motion.for_each_index([&](std::array<std::size_t, 3> i) {
    motion(i) = problems[i[0]].motion(static_cast<int>(i[1]), static_cast<int>(i[2]));
  });
  depth.for_each_index(
      [&](std::array<std::size_t, 2> i) { depth(i) = problems[i[0]].depth[i[1]]; });
  offsets.for_each_index(
      [&](std::array<std::size_t, 2> i) { offsets(i) = problems[i[0]].offsets[i[1]]; });
  motion.to_device();
  depth.to_device();
  offsets.to_device();
  PseudoinverseExtents const extents{
      .frames = f, .rows = n, .motions = k, .depths = m, .dense = true};
  auto workspace = pseudoinverse_workspace<Real>(Exec(), extents);
  auto const infos =
      pseudoinverse(Exec(), ArrowJacobian{motion.view(), depth.view(), offsets.view()},
                    inverse.view(), workspace);
  inverse.to_host();
  EXPECT_TRUE(inverse.guards_intact());
  std::vector<HostMatrix<Real>> all;
  statuses.clear();
  for (int frame = 0; frame < f; ++frame) {
    HostMatrix<Real> one(k + m, n);
    for (int i = 0; i < k + m; ++i)
      for (int j = 0; j < n; ++j)
        one(i, j) = inverse({std::size_t(frame), std::size_t(i), std::size_t(j)});
    all.push_back(std::move(one));
    statuses.push_back(infos[static_cast<std::size_t>(frame)].status);
  }
  return all;
}

template <class Real>
void expect_a_frame_alone_spoilt(int n, int k, int m, std::vector<int> const& bad_offsets) {
  Random random(15);
  std::vector<ArrowProblem<Real>> problems;
  for (int frame = 0; frame < 7; ++frame) problems.push_back(random_arrow<Real>(random, n, k, m));
  std::vector<Status> statuses;
  auto const whole = inverses_of(problems, statuses);
  EXPECT_EQ(statuses, std::vector<Status>(7, Status::success));
  for (int const bad : {0, 3, 6})
    for (bool const offsets : {true, false}) {
      auto broken = problems;
      auto& one = broken[static_cast<std::size_t>(bad)];
      if (offsets)
        one.offsets = bad_offsets;
      else
        one.depth[static_cast<std::size_t>(n / 2)] = std::numeric_limits<Real>::quiet_NaN();
      auto const found = inverses_of(broken, statuses);
      for (int frame = 0; frame < 7; ++frame) {
        auto const at = static_cast<std::size_t>(frame);
        if (frame != bad) {
          EXPECT_EQ(statuses[at], Status::success);
          EXPECT_TRUE(same_bits(found[at].data, whole[at].data)) << k << ' ' << frame;
        } else {
          EXPECT_EQ(statuses[at], offsets ? Status::breakdown : Status::non_finite);
          EXPECT_TRUE(all_nan(found[at].data));
        }
      }
    }
}

TEST(Pseudoinverse, AnUnusableFrameIsNoConcernOfTheOthers) {
  for (int const k : {1, 2, 3, 6, 8}) {
    expect_a_frame_alone_spoilt<float>(49, k, 2, {0, 49, 48});
    expect_a_frame_alone_spoilt<float>(33, k, 5, {0, 8, 29, 30, 33, 34});
    expect_a_frame_alone_spoilt<double>(49, k, 2, {0, 49, 48});
    expect_a_frame_alone_spoilt<double>(33, k, 5, {0, 8, 29, 30, 33, 34});
  }
}

/// With no offsets that are any good there is no core to look at: what memory holds in its place,
/// here a number of null vectors, is not to be believed.
TEST(Pseudoinverse, ACoreThatNobodySolvedIsNotRead) {
  ArrowProblem<float> problem;
  problem.motion = HostMatrix<float>(2, 2);
  for (int i = 0; i < 2; ++i) {
    problem.motion(i, 0) = 1;
    problem.motion(i, 1) = 3;
  }
  problem.depth = problem.rhs = {1e-6F, 1e-6F};
  problem.offsets = {0, 2};
  auto broken = problem;
  broken.offsets = {0, 3};
  DeviceArrow<float, Kokkos::LayoutLeft> const good(problem), bad(broken);
  auto workspace =
      pseudoinverse_workspace<float>(Exec(), {.rows = 2, .motions = 2, .depths = 1, .dense = true});
  Kokkos::View<float**, Memory> const inverse("carroll_test::inverse", 3, 2);
  EXPECT_EQ(pseudoinverse(Exec(), good.jacobian(), inverse, workspace).status, Status::success);
  double* const core = carroll::detail::PseudoinverseAccess<Exec, float>::batch(workspace).core(0);
  Kokkos::View<double, Memory, Kokkos::MemoryUnmanaged> const nullity(
      core + (carroll::detail::Core(2, core, nullptr).nullity - core));
  Kokkos::deep_copy(nullity, 1e9);
  EXPECT_EQ(pseudoinverse(Exec(), bad.jacobian(), inverse, workspace).status, Status::breakdown);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), inverse);
  EXPECT_TRUE(all_nan(std::vector<float>(found.data(), found.data() + found.size())));
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
