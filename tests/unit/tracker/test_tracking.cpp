// SPDX-License-Identifier: BSD-3-Clause
// Tracking of small images: both cameras and motions, inputs of both types and any layout, the log.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/copy.hpp"
#include "support/tolerance.hpp"
#include "support/tracker/problem.hpp"
#include "unit/tracker/small_problems.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;

TEST(DirectTracker, FindsArcAndDepthsFromAStartThatIsOff) {
  for (double const rho : {0.15, -0.1, 0.0}) {
    TrackerProblem const problem(sphere(), 4, 100, rho, 0.5, 1);
    TrackedState const state(problem, TrackerMotion::ackermann, 1.2);
    EXPECT_GE(state.depth_error(problem), 0.15);
    auto const info = track(problem, state);
    EXPECT_EQ(info.status, Status::success) << to_string(info.end);
    EXPECT_LE(state.heading_error(problem), 0.05) << rho;
    EXPECT_LE(state.depth_error(problem), 0.02) << rho;
    EXPECT_LT(info.cost, info.initial_cost);
  }
}

TEST(DirectTracker, GaussNewtonFindsThem) {
  TrackerProblem const problem(sphere(), 4, 100, 0.1, 0.5, 1);
  TrackedState const state(problem, TrackerMotion::ackermann, 1.2);
  auto const info = track(problem, state, {.method = TrackerMethod::gauss_newton});
  EXPECT_EQ(info.status, Status::success);
  EXPECT_LE(state.heading_error(problem), 0.05);
  EXPECT_LE(state.depth_error(problem), 0.02);
}

TEST(DirectTracker, FindsAMotionInSpaceAndKeepsTheScale) {
  TrackerProblem const problem(sphere(), 4, 100, 0.1, 0.5, 1);
  TrackedState const state(problem, TrackerMotion::se3, 1.2);
  double scale_before = 0, scale_after = 0;
  for (double const z : state.numbers()) scale_before += z > 0 ? std::log(z) : 0;
  auto const before = state.numbers();
  auto const info = track(problem, state, {.motion = TrackerMotion::se3});
  auto const after = state.numbers();
  scale_before = 0;
  for (std::size_t i = 12; i < after.size(); ++i) {
    scale_before += std::log(before[i]);
    scale_after += std::log(after[i]);
  }
  EXPECT_EQ(info.status, Status::success);
  EXPECT_NEAR(scale_after, scale_before, 1e-9 * static_cast<double>(after.size()));
  EXPECT_LE(state.heading_error(problem), 0.05);
  EXPECT_LE(state.depth_error(problem), 0.02);
  // No pitch, no roll, no climb, and a rotation still.
  EXPECT_NEAR(after[2], 0, 2e-3);
  EXPECT_NEAR(after[6], 0, 2e-3);
  EXPECT_NEAR(after[11], 0, 5e-3);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(std::hypot(after[4 * i], after[4 * i + 1], after[4 * i + 2]), 1, 1e-12);
}

TEST(DirectTracker, UnifiedCameraTracksWhatItSees) {
  for (TrackerMotion const kind : {TrackerMotion::ackermann, TrackerMotion::se3}) {
    TrackerProblem const problem(fisheye(), 4, 200, 0.08, 0.5, 1);
    TrackedState const state(problem, kind, 1.1);
    auto const info = track(problem, state, {.motion = kind});
    EXPECT_EQ(info.status, Status::success) << to_string(info.end);
    EXPECT_LT(info.valid_samples, static_cast<int>(problem.mesh.samples.extent(0)));
    EXPECT_LE(state.heading_error(problem), 0.1);
  }
}

// Pictures as sharp as their pixels allow: grey levels drawn four to a pixel each way and averaged,
// before and after a turn by 1 1/4 pixels. Lines between their pixels are far from what is there.
TEST(DirectTracker, SharpPicturesShowTheirTurn) {
  auto const camera = sphere();
  constexpr int parts = 4, turned_by = 5, width = 512, height = 256;
  std::mt19937 generator(7);
  std::vector<float> fine(static_cast<std::size_t>(width) * height * parts * parts);
  for (float& grey : fine) grey = static_cast<float>(generator() % 256);
  auto const picture = [&](int turn) {
    TrackerPicture<float> const averaged("carroll_test::sharp", height, width);
    auto const host = Kokkos::create_mirror_view(averaged);
    for (int v = 0; v < height * parts; ++v)
      for (int u = 0; u < width * parts; ++u)
        host(v / parts, (u + turn) / parts % width) +=
            fine[static_cast<std::size_t>(v) * width * parts + u] / (parts * parts);
    carroll::test::deep_copy(averaged, host);
    return averaged;
  };
  TrackerProblem const room(camera, 4, 100, 0, 0.5, 1);  // for its mesh
  TrackedState const state(room, TrackerMotion::se3, 1);
  Kokkos::deep_copy(Exec(), Kokkos::subview(state.motion, 3), 0.0);
  auto const info = track_frame(Exec(), camera, picture(0), picture(turned_by), room.mesh,
                                state.view(), {.motion = TrackerMotion::se3});
  EXPECT_EQ(info.status, Status::success) << to_string(info.end);
  EXPECT_GE(info.matched_triangles, 0.9 * info.textured_triangles);
  auto const found = state.numbers();
  double const degree = Kokkos::numbers::pi / 180, pixel = 360.0 / width;
  EXPECT_NEAR(std::atan2(found[4], found[0]) / degree, pixel * turned_by / parts, 0.1 * pixel);
}

// An exposure that is half as long again, and what it makes white.
TEST(DirectTracker, LevelsThatAreCutOffAreExpected) {
  TrackerProblem problem(sphere(), 4, 100, 0.1, 0.5, 1);
  auto const before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.current);
  problem.current =
      TrackerProblem::Picture("carroll_test::exposed", before.extent(0), before.extent(1));
  auto const host = Kokkos::create_mirror_view(problem.current);
  int cut = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    float const exposed = 1.5F * before.data()[i] + 20;
    cut += exposed > 255;
    host.data()[i] = std::min(exposed, 255.0F);
  }
  EXPECT_GT(cut, static_cast<int>(host.size()) / 10);
  carroll::test::deep_copy(problem.current, host);
  for (auto const kind : {TrackerMotion::ackermann, TrackerMotion::se3}) {
    TrackedState const told(problem, kind, 1.2), untold(problem, kind, 1.2);
    auto const info = track(problem, told, {.motion = kind, .black = 0, .white = 255});
    EXPECT_EQ(info.status, Status::success) << to_string(info.end);
    EXPECT_NEAR(info.gain, 1.5, 0.1);  // averages at the edge of what is white are less
    EXPECT_LE(told.heading_error(problem), 0.05);
    EXPECT_LE(told.depth_error(problem), 0.025);
    EXPECT_LT(info.cost, track(problem, untold, {.motion = kind}).cost / 2);
  }
}

TEST(DirectTracker, SameBitsForEveryLayoutAndNearlyForBytes) {
  TrackerProblem const problem(sphere(), 3, 60, 0.1, 0.5, 1);
  TrackedState const state(problem, TrackerMotion::ackermann, 1.1);
  (void)track(problem, state);
  auto const expected = state.numbers();

  auto const bytes = [&]<class Layout>(Layout) {
    TrackedState const other(problem, TrackerMotion::ackermann, 1.1);
    auto const info =
        track_frame(Exec(), problem.camera, TrackerProblem::rounded<Layout>(problem.reference),
                    TrackerProblem::rounded<Layout>(problem.current), problem.mesh, other.view());
    EXPECT_EQ(info.status, Status::success);
    return other.numbers();
  };
  auto const right = bytes(Kokkos::LayoutRight());
  auto const left = bytes(Kokkos::LayoutLeft());
  EXPECT_EQ(right, left);
  EXPECT_NEAR(right[0], expected[0], 1e-3);

  // Depths of another type, at a stride; images with a stride between pixels.
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const apart("carroll_test::depth",
                                                               problem.depths.size(), 2);
  TrackedState const start(problem, TrackerMotion::ackermann, 1.1);
  auto const column = Kokkos::subview(apart, Kokkos::ALL, 1);
  auto const host = Kokkos::create_mirror_view(apart);
  auto const begin = start.numbers();
  for (std::size_t i = 0; i < problem.depths.size(); ++i)
    host(i, 1) = static_cast<float>(begin[i + 1]);
  carroll::test::deep_copy(apart, host);
  Kokkos::View<float***, Kokkos::LayoutRight, Exec> const wide(
      "carroll_test::wide", problem.reference.extent(0), problem.reference.extent(1), 3);
  auto const first = Kokkos::subview(wide, Kokkos::ALL, Kokkos::ALL, 1);
  Kokkos::deep_copy(Exec(), first, problem.reference);
  auto const info = track_frame(Exec(), problem.camera, first, problem.current, problem.mesh,
                                DirectTrackerState{start.motion, column});
  EXPECT_EQ(info.status, Status::success);
  EXPECT_NEAR(start.numbers()[0], expected[0], 1e-5);
}

TEST(DirectTracker, LogTellsEveryPass) {
  TrackerProblem const problem(sphere(), 3, 60, 0.1, 0.5, 1);
  DirectTrackerOptions const options{.levels = 3, .iterations = 12, .tolerance = 0};
  auto workspace = direct_tracker_workspace(Exec(), problem.camera, problem.mesh, options);
  EXPECT_EQ(workspace.levels(), 3);
  set_reference_async(Exec(), problem.reference, workspace);
  TrackedState const state(problem, TrackerMotion::ackermann, 1.1);
  auto const info = track_frame(Exec(), problem.current, state.view(), workspace);
  auto const log = tracker_log(Exec(), workspace);
  ASSERT_EQ(static_cast<int>(log.size()), info.iterations);
  EXPECT_EQ(log.size(), 12U);
  EXPECT_EQ(log.front().level, 2);
  EXPECT_EQ(log.back().level, 0);
  double kept = 0;
  int level = 3;
  for (auto const& entry : log) {
    EXPECT_LE(entry.level, level);
    // The first pass of a level holds the depths, for which there is nothing to be solved.
    EXPECT_EQ(entry.solver_iterations > 0, entry.level == level);
    if (entry.level < level) {
      EXPECT_EQ(entry.accepted, 1);
    }
    if (entry.accepted == 1 && entry.level == level) {
      EXPECT_LE(entry.cost, kept);
    }
    if (entry.accepted == 1) kept = entry.cost;
    level = entry.level;
    EXPECT_GT(entry.valid_samples, 0);
    EXPECT_GT(entry.gradient, 0);
  }
  EXPECT_EQ(info.cost, kept);
}

TEST(DirectTracker, SecondFrameOfAWorkspaceIsAsTheFirst) {
  TrackerProblem const problem(sphere(), 3, 60, 0.1, 0.5, 1);
  auto workspace = direct_tracker_workspace(Exec(), problem.camera, problem.mesh);
  set_reference_async(Exec(), problem.reference, workspace);
  TrackedState const first(problem, TrackerMotion::ackermann, 1.2);
  TrackedState const second(problem, TrackerMotion::ackermann, 1.2);
  (void)track_frame(Exec(), problem.current, first.view(), workspace);
  (void)track_frame(Exec(), problem.current, second.view(), workspace);
  EXPECT_EQ(first.numbers(), second.numbers());
}

TEST(DirectTracker, StartAtTheTruthStaysThere) {
  TrackerProblem const problem(sphere(), 4, 100, 0, 0.5, 0);
  TrackedState const state(problem, TrackerMotion::ackermann, 1);
  auto const info = track(problem, state);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_LE(state.heading_error(problem), 0.02);
  EXPECT_LE(state.depth_error(problem), 0.01);
}

TEST(DirectTracker, EqualImagesAreNoMotionInSpace) {
  TrackerProblem problem(sphere(), 3, 60, 0, 0.5, 0);
  problem.current = problem.reference;
  TrackedState const state(problem, TrackerMotion::se3, 1);
  auto const m = Kokkos::create_mirror_view(state.motion);
  carroll::test::deep_copy(m, 0.0);
  m(0) = m(5) = m(10) = 1;
  carroll::test::deep_copy(state.motion, m);
  auto const before = state.numbers();
  auto const info = track(problem, state, {.motion = TrackerMotion::se3, .smoothness = 0});
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.end, TrackerEnd::converged);
  EXPECT_LE(info.cost, 1e-3);
  auto const after = state.numbers();
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(after[i], before[i], 1e-3) << i;
}

TEST(DirectTracker, VertexWithoutSamplesKeepsItsDepth) {
  TrackerProblem problem(sphere(), 3, 60, 0.1, 0.5, 1);
  // A vertex more, which no triangle has.
  std::size_t const m = problem.depths.size();
  Kokkos::View<float* [3], Kokkos::HostSpace> const vertices("carroll_test::vertices", m + 1);
  for (std::size_t i = 0; i < m; ++i)
    for (int a = 0; a < 3; ++a) vertices(i, a) = problem.host_mesh.vertices(i, a);
  vertices(m, 0) = 1;
  problem.host_mesh.vertices = vertices;
  problem.mesh = mesh_on<float>(Exec(), problem.host_mesh);
  problem.depths.push_back(0.25);
  TrackedState const state(problem, TrackerMotion::ackermann, 1.1);
  double const before = state.numbers().back();
  auto const info = track(problem, state);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_NEAR(state.numbers().back(), before, 4 * epsilon<double>);
  EXPECT_LE(state.heading_error(problem), 0.1);
}

TEST(DirectTracker, EnumeratorsHaveNames) {
  for (int end = 0; end <= static_cast<int>(TrackerEnd::non_finite); ++end)
    EXPECT_NE(to_string(static_cast<TrackerEnd>(end)), "unknown");
}

}  // namespace
