// SPDX-License-Identifier: BSD-3-Clause
// Starts that know nothing or everything, brightness that changes, and pictures that do not belong
// together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/copy.hpp"
#include "support/tolerance.hpp"
#include "support/tracker/problem.hpp"
#include "unit/tracker/small_problems.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;

Camera<double> pinhole() {
  return Camera<double>::unified(512, 384, 400, 400, 255.5, 191.5, 0);
}

/// No motion, and the same depth everywhere.
void know_nothing(TrackedState const& state) {
  auto const m = Kokkos::create_mirror_view(state.motion);
  carroll::test::deep_copy(m, 0.0);
  m(0) = m(5) = m(10) = 1;
  carroll::test::deep_copy(state.motion, m);
  carroll::test::deep_copy(state.depth, 1.0 / 30);
}

/// Degrees between the way that was found and the true one.
double direction_error(TrackedState const& state, double rho) {
  auto const m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state.motion);
  double const half = std::asin(rho / 2);
  double const along = m(3) * std::cos(half) + m(7) * std::sin(half);
  double const across = std::hypot(m(3) * std::sin(half) - m(7) * std::cos(half), m(11));
  return std::atan2(across, along) * 180 / 3.14159265358979324;
}

TrackerProblem::Picture changed(TrackerProblem::Picture const& picture, float gain, float shift) {
  TrackerProblem::Picture const result("carroll_test::changed", picture.extent(0),
                                       picture.extent(1));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), picture);
  auto const to = Kokkos::create_mirror_view(result);
  for (std::size_t i = 0; i < host.size(); ++i) to.data()[i] = gain * host.data()[i] + shift;
  carroll::test::deep_copy(result, to);
  return result;
}

TEST(DirectTrackerStart, AMotionOfWhichNothingIsKnownIsFound) {
  for (double const rho : {0.1, -0.05}) {
    TrackerProblem const problem(sphere(), 4, 100, rho, 0.5, 1);
    TrackedState const state(problem, TrackerMotion::se3, 1);
    know_nothing(state);
    auto const info = track(problem, state, {.motion = TrackerMotion::se3, .search = true});
    EXPECT_EQ(info.status, Status::success) << to_string(info.end);
    EXPECT_LE(state.heading_error(problem), 0.05) << rho;
    EXPECT_LE(direction_error(state, rho), 1) << rho;
    EXPECT_LE(state.depth_error(problem), 0.05) << rho;
    EXPECT_LT(info.cost, info.initial_cost);
  }
}

TEST(DirectTrackerStart, IsNeverBetterThanTheEnd) {
  // The truth is where nothing can be gained; what coarse levels make of it must not stay.
  TrackerProblem const problem(pinhole(), 4, 100, 0.05, 0.3, 2);
  TrackedState const state(problem, TrackerMotion::se3, 1);
  auto const m = Kokkos::create_mirror_view(state.motion);
  double const half = std::asin(problem.rho / 2);
  carroll::test::deep_copy(m, 0.0);
  m(0) = m(5) = std::cos(2 * half);
  m(1) = -std::sin(2 * half);
  m(4) = std::sin(2 * half);
  m(10) = 1;
  m(3) = std::cos(half);
  m(7) = std::sin(half);
  carroll::test::deep_copy(state.motion, m);
  auto const info = track(problem, state, {.motion = TrackerMotion::se3});
  EXPECT_LE(info.cost, info.initial_cost);
  EXPECT_LE(state.heading_error(problem), 0.1);
}

// 162 vertices: of 512×256 pixels and half as many, twice over, there are 16 a vertex, of 64×32
// not.
TEST(DirectTrackerStart, DepthsThatAreKnownAreLeftToLevelsThatCanTellThem) {
  Exec const exec;
  TrackerProblem const problem(sphere(), 4, 100, 0.1, 0.5, 1);
  for (auto const kind : {TrackerMotion::ackermann, TrackerMotion::se3}) {
    for (bool const known : {false, true}) {
      TrackedState const state(problem, kind, 1.05);
      auto workspace = direct_tracker_workspace(exec, problem.camera, problem.mesh,
                                                {.motion = kind, .known_depths = known});
      ASSERT_EQ(workspace.levels(), 5);
      set_reference_async(exec, problem.reference, workspace);
      auto const info = track_frame(exec, problem.current, state.view(), workspace);
      EXPECT_EQ(info.status, Status::success) << to_string(info.end);
      EXPECT_LE(state.heading_error(problem), 0.05);
      EXPECT_LE(state.depth_error(problem), 0.02);
      bool coarse = false, fine = false;
      for (auto const& pass : tracker_log(exec, workspace))
        (pass.level > 2 ? coarse : fine) |= pass.solver_iterations > 0;
      EXPECT_EQ(coarse, !known);
      EXPECT_TRUE(fine);
    }
  }
}

TEST(DirectTrackerBrightness, GainAndOffsetAreFoundAndDoNoHarm) {
  TrackerProblem const problem(sphere(), 4, 100, 0.1, 0.5, 1);
  for (auto const& [gain, shift] :
       {std::pair{1.0F, 0.0F}, {1.4F, 0.0F}, {0.7F, 10.0F}, {1.0F, 30.0F}, {1.0F, -30.0F}}) {
    TrackerProblem other = problem;
    other.current = changed(problem.current, gain, shift);
    for (auto const kind : {TrackerMotion::ackermann, TrackerMotion::se3}) {
      TrackedState const state(other, kind, 1.2);
      auto const info = track(other, state, {.motion = kind});
      EXPECT_EQ(info.status, Status::success) << gain << " " << shift;
      EXPECT_NEAR(info.gain, static_cast<double>(gain), 0.02);
      EXPECT_NEAR(info.offset, static_cast<double>(shift), 3);
      EXPECT_LE(state.heading_error(other), 0.05) << gain << " " << shift;
      EXPECT_LE(state.depth_error(other), 0.02) << gain << " " << shift;
    }
  }
}

TEST(DirectTrackerBrightness, StaysWhereItIsNotWanted) {
  TrackerProblem const problem(sphere(), 3, 60, 0.1, 0.5, 1);
  TrackedState const state(problem, TrackerMotion::ackermann, 1.1);
  auto const info = track(problem, state, {.brightness = false});
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.gain, 1);
  EXPECT_EQ(info.offset, 0);
}

TEST(DirectTrackerVerdict, WhatIsSeenCounts) {
  TrackerProblem const problem(sphere(), 4, 100, 0.1, 0.5, 1);
  TrackedState const state(problem, TrackerMotion::se3, 1.1);
  auto const info = track(problem, state, {.motion = TrackerMotion::se3});
  EXPECT_GT(info.textured_triangles, 250);  // of 320
  EXPECT_GT(info.matched_triangles, 0.8 * info.textured_triangles);
}

TEST(DirectTrackerVerdict, OtherScenesAndPicturesOfNothingAreTold) {
  TrackerProblem const problem(sphere(), 4, 100, 0.1, 0.5, 1);
  for (auto const kind : {TrackerMotion::ackermann, TrackerMotion::se3}) {
    for (bool const search : {false, true}) {
      DirectTrackerOptions const options{.motion = kind, .search = search};
      auto const expect_told = [&](TrackerProblem::Picture const& current) {
        TrackerProblem other = problem;
        other.current = current;
        TrackedState const state(other, kind, 1.1);
        auto const info = track(other, state, options);
        EXPECT_EQ(info.status, Status::not_converged) << to_string(info.end);
        for (double const x : state.numbers()) EXPECT_TRUE(std::isfinite(x));
      };
      expect_told(changed(problem.current, 0, 0));
      expect_told(changed(problem.current, 0, 255));
      expect_told(changed(problem.current, -1, 255));  // a negative
    }
  }
}

/// What is at (u, v) of another picture is seen at (u, v) of this one, by `from`.
template <class From>
TrackerProblem::Picture redrawn(TrackerProblem::Picture const& picture, From const& from) {
  TrackerProblem::Picture const result("carroll_test::redrawn", picture.extent(0),
                                       picture.extent(1));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), picture);
  auto const to = Kokkos::create_mirror_view(result);
  for (int v = 0; v < int(host.extent(0)); ++v)
    for (int u = 0; u < int(host.extent(1)); ++u) to(v, u) = from(host, v, u);
  carroll::test::deep_copy(result, to);
  return result;
}

/// The room with other textures.
TrackerProblem::Picture other_room(Camera<double> const& camera) {
  Exec const exec;
  TrackerProblem::Picture const image("carroll_test::other", camera.height, camera.width);
  TrackerProblem::Picture const range("carroll_test::range", camera.height, camera.width);
  auto patches = box_room();
  for (ScenePatch& patch : patches) patch.contrast = 35;
  render_scene(exec, synthetic_scene(exec, patches, 99), camera, CameraPose{}, image, range);
  exec.fence();
  return image;
}

TEST(DirectTrackerVerdict, PairsWithoutAnAnswerAreNeverASuccess) {
  for (auto const& camera : {sphere(), pinhole()}) {
    TrackerProblem const problem(camera, 4, 100, 0.1, 0.5, 1);
    auto const other = other_room(camera);
    auto const strange = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), other);
    int const width = camera.width, height = camera.height;
    std::vector<TrackerProblem::Picture> const currents = {
        other,
        redrawn(problem.current, [=](auto const& x, int v, int u) { return x(v, width - 1 - u); }),
        redrawn(problem.current, [=](auto const& x, int v, int u) { return x(height - 1 - v, u); }),
        // All but an eighth is hidden by what is nearer.
        redrawn(problem.current, [&](auto const& x, int v,
                                     int u) { return 8 * u < width ? x(v, u) : strange(v, u); }),
        // Of another camera: twice as wide.
        redrawn(problem.current,
                [=](auto const& x, int v, int u) { return x(v, width / 4 + u / 2); }),
        // Overexposed: only what was darkest is not white.
        redrawn(problem.current,
                [](auto const& x, int v, int u) { return std::min(255.0F, 12 * x(v, u)); })};
    for (std::size_t k = 0; k < currents.size(); ++k)
      for (auto const kind : {TrackerMotion::ackermann, TrackerMotion::se3}) {
        TrackerProblem pair = problem;
        pair.current = currents[k];
        TrackedState const state(pair, kind, 1.1);
        auto const info =
            track(pair, state, {.motion = kind, .search = kind == TrackerMotion::se3});
        EXPECT_NE(info.status, Status::success) << k << " " << to_string(info.end);
      }
  }
}

TEST(DirectTrackerVerdict, StripesLeaveTheMotionOpen) {
  // Along a stripe nothing is seen to move, and across it every depth explains any motion.
  TrackerProblem problem(pinhole(), 8, 60, 0.05, 0.3, 1);
  auto const stripes = [](float shift) {
    return [=](auto const&, int, int u) {
      return 128 + 60 * std::sin(0.21F * (static_cast<float>(u) + shift)) +
             30 * std::sin(0.47F * (static_cast<float>(u) + shift));
    };
  };
  problem.reference = redrawn(problem.reference, stripes(0));
  problem.current = redrawn(problem.reference, stripes(2));
  TrackedState const state(problem, TrackerMotion::se3, 1);
  know_nothing(state);
  auto const info = track(problem, state, {.motion = TrackerMotion::se3, .search = true});
  EXPECT_EQ(info.end, TrackerEnd::ambiguous) << to_string(info.end);
  EXPECT_EQ(info.status, Status::not_converged);
}

TEST(DirectTrackerCovariance, IsWhatNoiseDoes) {
  TrackerProblem const clean(sphere(), 4, 100, 0.1, 0.5, 0);
  constexpr int runs = 16;
  for (auto const kind : {TrackerMotion::ackermann, TrackerMotion::se3}) {
    double sum = 0, square = 0, predicted = 0;
    for (int run = 0; run < runs; ++run) {
      TrackerProblem problem = clean;
      auto const same = [](auto const& x, int v, int u) { return x(v, u); };
      problem.reference = redrawn(clean.reference, same);
      problem.current = redrawn(clean.current, same);
      add_noise(Exec(), problem.reference, 4.0, 2 * run + 1, 1);
      add_noise(Exec(), problem.current, 4.0, 2 * run + 2, 2);
      TrackedState const state(problem, kind, 1.02);
      auto const info = track(problem, state, {.motion = kind, .iterations = 40});
      ASSERT_EQ(info.status, Status::success) << to_string(info.end);
      auto const m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state.motion);
      double const turn = kind == TrackerMotion::ackermann ? m(0) : std::atan2(m(4), m(0));
      sum += turn;
      square += turn * turn;
      predicted += info.covariance[kind == TrackerMotion::ackermann ? 0 : 2]
                                  [kind == TrackerMotion::ackermann ? 0 : 2];
      EXPECT_GT(info.turn_deviation, 0);
      EXPECT_LT(info.turn_deviation, 0.01);
      EXPECT_LT(info.way_deviation, 0.1);
    }
    double const variance = (square - sum * sum / runs) / (runs - 1);
    double const ratio = std::sqrt(variance / (predicted / runs));
    EXPECT_GT(ratio, 0.5);
    EXPECT_LT(ratio, 2);
  }
}

TEST(DirectTrackerCovariance, StillCamerasAreNoFault) {
  TrackerProblem problem(sphere(), 4, 100, 0.1, 0.5, 1);
  auto const same = [](auto const& x, int v, int u) { return x(v, u); };
  problem.current = redrawn(problem.reference, same);
  add_noise(Exec(), problem.current, 1.0, 7, 3);
  TrackedState const state(problem, TrackerMotion::se3, 1);
  know_nothing(state);
  auto const m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state.motion);
  m(0) = m(5) = std::cos(0.02);
  m(1) = -std::sin(0.02);
  m(4) = std::sin(0.02);
  carroll::test::deep_copy(state.motion, m);
  auto const info = track(problem, state, {.motion = TrackerMotion::se3});
  EXPECT_EQ(info.status, Status::success) << to_string(info.end);
  carroll::test::deep_copy(m, state.motion);
  EXPECT_LE(std::abs(std::atan2(m(4), m(0))), 1e-4);
  EXPECT_GT(info.way_deviation, 0.05);
}

}  // namespace
