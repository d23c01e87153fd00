// SPDX-License-Identifier: BSD-3-Clause
// What cannot be tracked: images without texture, too little in view, no mesh, what is not finite.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/copy.hpp"
#include "support/tolerance.hpp"
#include "support/tracker/problem.hpp"
#include "unit/tracker/small_problems.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;

TEST(UntrackableFrames, ImagesWithoutTextureLeaveTheStart) {
  TrackerProblem flat(sphere(), 3, 60, 0.1, 0.5, 1);
  TrackerProblem::Picture const grey("carroll_test::grey", flat.camera.height, flat.camera.width);
  carroll::test::deep_copy(grey, 128.0F);
  flat.reference = flat.current = grey;
  TrackedState const state(flat, TrackerMotion::ackermann, 1.2);
  auto const before = state.numbers();
  auto const info = track(flat, state, {.smoothness = 0});
  EXPECT_EQ(info.status, Status::not_converged);
  EXPECT_EQ(info.end, TrackerEnd::no_texture);
  EXPECT_EQ(info.textured_triangles, 0);
  EXPECT_EQ(info.cost, 0);
  auto const after = state.numbers();
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_NEAR(after[i], before[i], 4 * epsilon<double>) << i;
}

TEST(UntrackableFrames, NonFiniteImagesAndStatesAreTold) {
  TrackerProblem const problem(sphere(), 2, 40, 0.1, 0.5, 1);
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto const infinity = std::numeric_limits<float>::infinity();
  auto const expect_told = [](DirectTrackerInfo const& info, TrackedState const& state) {
    EXPECT_EQ(info.status, Status::non_finite);
    EXPECT_EQ(info.end, TrackerEnd::non_finite);
    for (double const x : state.numbers()) EXPECT_TRUE(std::isnan(x));
  };
  for (float const bad : {nan, infinity, -infinity})
    for (bool const in_reference : {false, true}) {
      TrackerProblem broken = problem;
      TrackerProblem::Picture const image("carroll_test::broken", problem.current.extent(0),
                                          problem.current.extent(1));
      carroll::test::deep_copy(image, in_reference ? problem.reference : problem.current);
      carroll::test::deep_copy(Kokkos::subview(image, 200, 300), bad);
      (in_reference ? broken.reference : broken.current) = image;
      TrackedState const state(broken, TrackerMotion::ackermann, 1.1);
      expect_told(track(broken, state), state);
    }
  for (double const bad : {0.0, -0.1, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    TrackedState const state(problem, TrackerMotion::ackermann, 1.1);
    carroll::test::deep_copy(Kokkos::subview(state.depth, 3), bad);
    expect_told(track(problem, state), state);
  }
  for (double const bad : {2.0, -2.5, std::numeric_limits<double>::quiet_NaN()}) {
    TrackedState const state(problem, TrackerMotion::ackermann, 1.1);
    carroll::test::deep_copy(Kokkos::subview(state.motion, 0), bad);
    expect_told(track(problem, state), state);
  }
  // The workspace is as good as before.
  auto workspace = direct_tracker_workspace(Exec(), problem.camera, problem.mesh);
  set_reference_async(Exec(), problem.reference, workspace);
  TrackedState const lost(problem, TrackerMotion::ackermann, 1.1);
  carroll::test::deep_copy(lost.motion, 3.0);
  expect_told(track_frame(Exec(), problem.current, lost.view(), workspace), lost);
  TrackedState const found(problem, TrackerMotion::ackermann, 1.1);
  EXPECT_EQ(track_frame(Exec(), problem.current, found.view(), workspace).status, Status::success);
}

TEST(UntrackableFrames, TooFewSamplesInViewAreTold) {
  Camera<double> const narrow = Camera<double>::unified(256, 192, 240, 240, 127.5, 95.5, 0);
  TrackerProblem const problem(narrow, 4, 200, 0, 0.3, 1);
  TrackedState const state(problem, TrackerMotion::se3, 1);
  // A start that looks backwards.
  auto const m = Kokkos::create_mirror_view(state.motion);
  carroll::test::deep_copy(m, 0.0);
  m(0) = m(5) = -1;
  m(10) = 1;
  carroll::test::deep_copy(state.motion, m);
  auto const before = state.numbers();
  auto const info = track(problem, state, {.motion = TrackerMotion::se3});
  EXPECT_EQ(info.status, Status::not_converged);
  EXPECT_EQ(info.end, TrackerEnd::too_little_overlap);
  auto const after = state.numbers();
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-12);
}

TEST(UntrackableFrames, EmptyMeshHasNothingToTrack) {
  TrackerProblem problem(sphere(), 1, 1, 0, 0.5, 0);
  problem.mesh = {};
  problem.mesh.triangle_offsets = decltype(problem.mesh.triangle_offsets)("carroll_test::zero", 1);
  problem.depths.clear();
  TrackedState const state(problem, TrackerMotion::ackermann, 1);
  auto const info = track(problem, state);
  EXPECT_EQ(info.status, Status::not_converged);
  EXPECT_EQ(info.end, TrackerEnd::too_little_overlap);
  EXPECT_EQ(state.numbers().front(), 0);
}

}  // namespace
