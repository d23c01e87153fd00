// SPDX-License-Identifier: BSD-3-Clause
// Windows of several images against one reference: what they are better at, that layouts, types and
// masks do not matter, and their ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/tracker_window.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "support/copy.hpp"
#include "support/tracker/problem.hpp"
#include "unit/tracker/small_problems.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;
using Motions = Kokkos::View<double* [12], Kokkos::LayoutRight, Exec>;

constexpr double rho = 0.1, chord = 0.15, noise = 4;
/// Of the images of a window: the current one of the problem, and others from behind and beside.
constexpr std::array<std::array<double, 2>, 3> places = {
    {{rho, chord}, {-rho, -chord}, {0.2, -2 * chord}}};

/// The rows of [R | t] of one of them, t in chords.
std::array<double, 12> pose_at(int frame, double turned_besides = 0) {
  auto const [curvature, length] = places[frame];
  double const half = std::asin(curvature / 2), way = length / chord;
  double const c = std::cos(2 * half + turned_besides), s = std::sin(2 * half + turned_besides);
  return {c, -s, 0, way * std::cos(half), s, c, 0, way * std::sin(half), 0, 0, 1, 0};
}

TrackerProblem::Picture image_at(int frame) {
  return TrackerProblem::pictures(sphere(), places[frame][0], places[frame][1], noise).second;
}

/// A frame that is tracked alone, and where its window begins.
struct Tracked {
  TrackerProblem problem{sphere(), 6, 50, rho, chord, noise};
  TrackedState alone{problem, TrackerMotion::se3, 1.1};
  DirectTrackerWorkspace<Exec> workspace = direct_tracker_workspace(
      Exec(), problem.camera, problem.mesh, {.motion = TrackerMotion::se3});

  Tracked() {
    set_reference_async(Exec(), problem.reference, workspace);
    EXPECT_EQ(track_frame(Exec(), problem.current, alone.view(), workspace).status,
              Status::success);
  }

  /// Motions of F frames, all but the first one a fiftieth of a degree off.
  [[nodiscard]] Motions motions(int frames) const {
    Motions const all("carroll_test::motions", frames);
    auto const host = Kokkos::create_mirror_view(all);
    auto const first = alone.numbers();
    for (int f = 0; f < frames; ++f) {
      auto const pose = pose_at(f, 3e-4);
      for (int i = 0; i < 12; ++i) host(f, i) = f == 0 ? first[i] : pose[i];
    }
    carroll::test::deep_copy(all, host);
    return all;
  }
  /// Depths of the frame that was tracked alone, of which the window makes its own.
  [[nodiscard]] Kokkos::View<double*, Exec> depths() const {
    Kokkos::View<double*, Exec> const copy("carroll_test::depths", alone.depth.extent(0));
    carroll::test::deep_copy(copy, alone.depth);
    return copy;
  }
};

TrackerWindowWorkspace<Exec> window_of(Tracked const& tracked,
                                       TrackerWindowOptions const& options) {
  auto window = tracker_window_workspace(Exec(), tracked.workspace, options);
  for (int f = 0; f < options.frames; ++f) set_window_frame_async(Exec(), f, image_at(f), window);
  return window;
}

template <class View>
std::vector<double> numbers(View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.size()};
}

/// Median of |ζ/ζ_true - 1| after the scale that most of them have is taken off.
double depth_error(TrackerProblem const& problem, Kokkos::View<double*, Exec> const& depths) {
  auto const median = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
    return values[values.size() / 2];
  };
  std::vector<double> ratios = numbers(depths);
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= problem.depths[i];
  double const scale = median(ratios);
  for (double& ratio : ratios) ratio = std::abs(ratio / scale - 1);
  return median(ratios);
}

TEST(TrackerWindow, MoreImagesTellTheDepthsBetter) {
  Tracked const tracked;
  double const alone = depth_error(tracked.problem, tracked.depths());
  double before = alone;
  for (int const frames : {1, 2, 3}) {
    auto window = window_of(tracked, {.frames = frames});
    auto const motions = tracked.motions(frames);
    auto const depths = tracked.depths();
    auto const info = track_window(Exec(), TrackerWindowState{motions, depths}, window);
    EXPECT_EQ(info.status, Status::success) << to_string(info.end);
    EXPECT_LE(info.cost, info.initial_cost);
    EXPECT_GT(info.matched_triangles, 0.9 * info.textured_triangles);
    double const error = depth_error(tracked.problem, depths);
    if (frames > 1)
      EXPECT_LT(error, before) << frames;
    else
      EXPECT_NEAR(error, alone, 0.3 * alone);  // nothing new
    before = error;
    // The geometric mean stays, and every frame's turn is found.
    double sum = 0;
    auto const first = tracked.depths();
    auto const was = numbers(first), is = numbers(depths);
    for (std::size_t i = 0; i < is.size(); ++i) sum += std::log(is[i] / was[i]);
    EXPECT_NEAR(sum, 0, 1e-9 * static_cast<double>(is.size()));
    auto const found = numbers(motions);
    for (int f = 0; f < frames; ++f) {
      auto const truth = pose_at(f);
      double const turn = std::atan2(found[12 * f + 4], found[12 * f]);
      EXPECT_NEAR(turn, std::atan2(truth[4], truth[0]), 1.5e-4) << f;
    }
  }
  EXPECT_LT(before, 0.7 * alone);  // measured: 0.60
}

TEST(TrackerWindow, SameBitsForEveryLayoutAndMask) {
  Tracked const tracked;
  auto window = window_of(tracked, {.frames = 2, .levels = 2});
  auto const motions = tracked.motions(2);
  auto const depths = tracked.depths();
  (void)track_window(Exec(), TrackerWindowState{motions, depths}, window);

  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> const left("carroll_test::motions", 2, 12);
  carroll::test::deep_copy(left, tracked.motions(2));
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const wide("carroll_test::depths",
                                                               depths.extent(0), 2);
  auto const strided = Kokkos::subview(wide, Kokkos::ALL(), 1);
  carroll::test::deep_copy(strided, tracked.depths());
  TrackerPicture<float, Kokkos::LayoutLeft> const turned("carroll_test::turned", 256, 512);
  TrackerPicture<std::uint8_t> const all("carroll_test::mask", 256, 512);
  carroll::test::deep_copy(turned, image_at(1));
  carroll::test::deep_copy(all, std::uint8_t{1});
  set_window_frame_async(Exec(), 1, MaskedImage{turned, all}, window);
  (void)track_window(Exec(), TrackerWindowState{left, strided}, window);
  Motions const again("carroll_test::again", 2);
  carroll::test::deep_copy(again, left);
  EXPECT_EQ(numbers(again), numbers(motions));
  Kokkos::View<double*, Exec> const depths_again("carroll_test::again", depths.extent(0));
  carroll::test::deep_copy(depths_again, strided);
  EXPECT_EQ(numbers(depths_again), numbers(depths));
}

TEST(TrackerWindow, WhatMasksHideOfAFrameDoesNotCount) {
  Tracked const tracked;
  auto window = window_of(tracked, {.frames = 2});
  TrackerPicture<float> const spoilt("carroll_test::spoilt", 256, 512);
  TrackerPicture<std::uint8_t> const mask("carroll_test::mask", 256, 512);
  auto const pixels = Kokkos::create_mirror_view(spoilt);
  auto const counts = Kokkos::create_mirror_view(mask);
  carroll::test::deep_copy(pixels, image_at(1));
  for (int v = 0; v < 256; ++v)
    for (int u = 0; u < 512; ++u) {
      counts(v, u) = u < 400;
      if (u >= 400) pixels(v, u) = std::numeric_limits<float>::quiet_NaN();
    }
  carroll::test::deep_copy(spoilt, pixels);
  carroll::test::deep_copy(mask, counts);
  set_window_frame_async(Exec(), 1, MaskedImage{spoilt, mask}, window);
  auto const depths = tracked.depths();
  auto const info = track_window(Exec(), TrackerWindowState{tracked.motions(2), depths}, window);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_LT(depth_error(tracked.problem, depths), depth_error(tracked.problem, tracked.depths()));

  // Without the mask it is no image.
  set_window_frame_async(Exec(), 1, spoilt, window);
  auto const motions = tracked.motions(2);
  auto const lost = track_window(Exec(), TrackerWindowState{motions, depths}, window);
  EXPECT_EQ(lost.status, Status::non_finite);
  for (double const x : numbers(motions)) EXPECT_TRUE(std::isnan(x));
  for (double const x : numbers(depths)) EXPECT_TRUE(std::isnan(x));
}

TEST(TrackerWindow, AStateThatIsNotFiniteHasNoEnd) {
  Tracked const tracked;
  auto window = window_of(tracked, {.frames = 2});
  for (int const what : {0, 1}) {
    auto const motions = tracked.motions(2);
    auto const depths = tracked.depths();
    if (what == 0) carroll::test::deep_copy(Kokkos::subview(depths, 3), 0.0);
    if (what == 1)
      carroll::test::deep_copy(Kokkos::subview(motions, 1, 7),
                               std::numeric_limits<double>::infinity());
    auto const info = track_window(Exec(), TrackerWindowState{motions, depths}, window);
    EXPECT_EQ(info.status, Status::non_finite);
    EXPECT_TRUE(std::isnan(numbers(motions)[5]));
  }
}

/// The first frame's image is of something else: the window says so.
TEST(TrackerWindow, AnImageOfSomethingElseIsNotExplained) {
  Tracked const tracked;
  auto window = window_of(tracked, {.frames = 2});
  Kokkos::View<float**, Exec> const grey("carroll_test::grey", 256, 512);
  carroll::test::deep_copy(grey, 100.0F);
  set_window_frame_async(Exec(), 0, grey, window);
  auto const motions = tracked.motions(2);
  auto const depths = tracked.depths();
  auto const info = track_window(Exec(), TrackerWindowState{motions, depths}, window);
  EXPECT_EQ(info.status, Status::not_converged) << to_string(info.end);
  for (double const x : numbers(motions)) EXPECT_TRUE(std::isfinite(x));
}

/// A window keeps no part of the reference: it may be made before that is set, or changed.
TEST(TrackerWindow, TheReferenceIsTheTrackers) {
  Tracked const tracked;
  auto workspace = direct_tracker_workspace(Exec(), tracked.problem.camera, tracked.problem.mesh,
                                            {.motion = TrackerMotion::se3});
  auto early = tracker_window_workspace(Exec(), workspace, {.frames = 2});
  set_reference_async(Exec(), tracked.problem.reference, workspace);
  auto late = window_of(tracked, {.frames = 2});
  for (int f = 0; f < 2; ++f) set_window_frame_async(Exec(), f, image_at(f), early);
  auto const motions = tracked.motions(2), expected = tracked.motions(2);
  (void)track_window(Exec(), TrackerWindowState{motions, tracked.depths()}, early);
  (void)track_window(Exec(), TrackerWindowState{expected, tracked.depths()}, late);
  EXPECT_EQ(numbers(motions), numbers(expected));
}

/// A move of a workspace is a copy: what has been moved from has its images and its levels.
TEST(TrackerWindow, WorkspacesThatWereMovedFromGoOn) {
  Tracked tracked;
  auto window = window_of(tracked, {.frames = 2});
  auto window_now = std::move(window);
  auto tracker_now = std::move(tracked.workspace);
  auto const by_window = [&](TrackerWindowWorkspace<Exec>& each) {
    auto const motions = tracked.motions(2);
    (void)track_window(Exec(), TrackerWindowState{motions, tracked.depths()}, each);
    return numbers(motions);
  };
  auto const by_tracker = [&](DirectTrackerWorkspace<Exec>& each) {
    TrackedState state(tracked.problem, TrackerMotion::se3, 1.1);
    (void)track_frame(Exec(), tracked.problem.current, state.view(), each);
    return state.numbers();
  };
  EXPECT_EQ(window.frames(), window_now.frames());
  EXPECT_EQ(by_window(window), by_window(window_now));                // NOLINT
  EXPECT_EQ(tracked.workspace.levels(), tracker_now.levels());        // NOLINT
  EXPECT_EQ(by_tracker(tracked.workspace), by_tracker(tracker_now));  // NOLINT
}

}  // namespace
