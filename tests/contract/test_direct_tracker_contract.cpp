// SPDX-License-Identifier: BSD-3-Clause
// What the direct tracker promises to callers with several instances: fences, instance,
// allocations, labels, and the same bits everywhere.
#include <gtest/gtest.h>

#include <carroll/carry_depths.hpp>
#include <carroll/dense_depths.hpp>
#include <carroll/rectify.hpp>
#include <carroll/tracker_window.hpp>
#include <memory>
#include <vector>

#include "documented_calls.hpp"
#include "new_instance.hpp"
#include "support/copy.hpp"
#include "support/tracker/problem.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;

TrackerProblem const& room() {
  static std::unique_ptr<TrackerProblem const> problem;  // that ends before Kokkos does
  if (!problem) {
    problem = std::make_unique<TrackerProblem const>(Camera<double>::equirectangular(256, 128), 3,
                                                     40, 0.1, 0.5, 1);
    Kokkos::push_finalize_hook([] { problem.reset(); });
  }
  return *problem;
}

struct Problem {
  Exec exec = new_instance_of<Exec>();
  DirectTrackerOptions options;
  TrackedState state;
  Kokkos::View<DirectTrackerInfo, Exec> info{"carroll_test::info"};
  DirectTrackerWorkspace<Exec> workspace;
  CarryDepthsWorkspace<Exec> carry;
  Kokkos::View<double*, Exec> start;
  TrackerPicture<std::uint8_t> mask{"carroll_test::mask", 128, 256};
  DenseDepthsWorkspace<Exec> dense;
  LensRectifier<Exec> rectifier;
  TrackerPicture<float> dense_depths{"carroll_test::dense", 128, 256};
  TrackerPicture<float> rectified{"carroll_test::rectified", 128, 256};
  TrackerPicture<std::uint8_t> rectified_mask{"carroll_test::mask", 128, 256};

  explicit Problem(DirectTrackerOptions const& wanted)
      : options(wanted),
        state(room(), wanted.motion, 1.1),
        workspace(direct_tracker_workspace(exec, room().camera, room().mesh, wanted)),
        carry(carry_depths_workspace(exec, room().mesh)),
        start("carroll_test::start", state.depth.extent(0)),
        dense(dense_depths_workspace(exec, room().camera, room().mesh)),
        rectifier(lens_rectifier(
            exec, Lens<double>::kannala_brandt(256, 128, 60, 60, 128, 64, {0.02, 0, 0, 0}),
            room().camera)) {
    carroll::test::deep_copy(start, state.depth);
    carroll::test::deep_copy(mask, std::uint8_t{1});
    set_reference_async(exec, room().reference, workspace);
    Kokkos::fence();
  }
  void reference() { set_reference_async(exec, room().reference, workspace); }
  void with_workspace() { (void)track_frame(exec, room().current, state.view(), workspace); }
  auto masked() const { return MaskedImage{room().current, mask}; }
  void masked_reference() { set_reference_async(exec, masked(), workspace); }
  void with_mask() { (void)track_frame(exec, masked(), state.view(), workspace); }
  void async() { track_frame_async(exec, room().current, state.view(), info, workspace); }
  void keep_scale() {
    if (options.motion == TrackerMotion::se3)
      keep_scale_async(exec, start, state.view());
    else
      carry_depths();
  }
  void carry_depths() { carry_depths_async(exec, state.view(), carry); }
  void dense_async() { dense_depths_async(exec, state.depth, dense_depths, dense); }
  void rectify() { rectify_async(exec, room().current, rectified, rectifier); }
  void rectify_masked() {
    rectify_async(exec, masked(), MaskedImage{rectified, rectified_mask}, rectifier);
  }
  /// Of a robot's camera: the current image is the reference of the next one.
  void live_frame() {
    with_workspace();
    keep_scale();
    carry_depths();
    Kokkos::deep_copy(exec, start, state.depth);
    set_reference_async(exec, room().current, workspace);
  }
};

/// The documentation of direct_tracker.hpp, as a table.
constexpr DocumentedCall<Problem> calls[] = {
    {"set_reference_async", &Problem::reference, 0, false},
    {"track_frame with a workspace", &Problem::with_workspace, 1, false},
    {"track_frame_async", &Problem::async, 0, false},
    {"track_frame with a mask", &Problem::with_mask, 1, false},
    {"set_reference_async with a mask", &Problem::masked_reference, 0, false},
};

/// And of carry_depths.hpp.
constexpr DocumentedCall<Problem> live_calls[] = {
    {"keep_scale_async", &Problem::keep_scale, 0, false},
    {"carry_depths_async", &Problem::carry_depths, 0, false},
};

/// Of rectify.hpp and dense_depths.hpp.
constexpr DocumentedCall<Problem> pixel_calls[] = {
    {"dense_depths_async", &Problem::dense_async, 0, false},
    {"rectify_async", &Problem::rectify, 0, false},
    {"rectify_async with masks", &Problem::rectify_masked, 0, false},
};

class DirectTrackerContract : public ::testing::TestWithParam<TrackerMotion> {};

TEST_P(DirectTrackerContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  Problem problem({.motion = GetParam()});
  expect_documented(problem, calls, "carroll::");
}

TEST_P(DirectTrackerContract, SoAreThoseOfALiveSequence) {
  Problem problem({.motion = GetParam()});
  expect_documented(problem, live_calls, "carroll::carry_depths::");
  expect_documented(problem, pixel_calls, "carroll::");
  Problem robot({.motion = GetParam()});
  for (int k = 0; k < 3; ++k) robot.live_frame();
  Kokkos::fence();
  constexpr int frames = 20;
  ToolsRecorder const recorder;
  for (int k = 0; k < frames; ++k) robot.live_frame();
  EXPECT_TRUE(recorder.of(ToolsEvent::Kind::allocation).empty());
  EXPECT_EQ(recorder.of(ToolsEvent::Kind::fence).size(), std::size_t(frames));
}

/// A window of two frames, both the same image.
struct WindowProblem : Problem {
  TrackerWindowWorkspace<Exec> window;
  Kokkos::View<double* [12], Kokkos::LayoutRight, Exec> motions { "carroll_test::motions", 2 };

  WindowProblem()
      : Problem({.motion = TrackerMotion::se3}),
        window(tracker_window_workspace(exec, workspace, {.frames = 2})) {
    (void)track_frame(exec, room().current, state.view(), workspace);
    for (int f = 0; f < 2; ++f) {
      set_window_frame_async(exec, f, room().current, window);
      Kokkos::deep_copy(Kokkos::subview(motions, f, Kokkos::ALL()), state.motion);
    }
    Kokkos::fence();
  }
  auto tracked() const { return TrackerWindowState{motions, state.depth}; }
  void frame() { set_window_frame_async(exec, 1, room().current, window); }
  void masked_frame() { set_window_frame_async(exec, 1, masked(), window); }
  void with_window() { (void)track_window(exec, tracked(), window); }
  void window_async() { track_window_async(exec, tracked(), info, window); }
};

/// The documentation of tracker_window.hpp.
constexpr DocumentedCall<WindowProblem> window_calls[] = {
    {"set_window_frame_async", &WindowProblem::frame, 0, false},
    {"set_window_frame_async with a mask", &WindowProblem::masked_frame, 0, false},
    {"track_window", &WindowProblem::with_window, 1, false},
    {"track_window_async", &WindowProblem::window_async, 0, false},
};

TEST(TrackerWindowContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  WindowProblem problem;
  expect_documented(problem, window_calls, "carroll::");
}

TEST(TrackerWindowContract, SameBitsOnEveryInstance) {
  WindowProblem here, there;
  here.exec = Exec();
  here.window = tracker_window_workspace(Exec(), here.workspace, {.frames = 2});
  for (int f = 0; f < 2; ++f) set_window_frame_async(Exec(), f, room().current, here.window);
  for (WindowProblem* const problem : {&here, &there}) problem->with_window();
  EXPECT_EQ(here.state.numbers(), there.state.numbers());
  auto const poses = [](WindowProblem const& problem) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.motions);
    return std::vector<double>(host.data(), host.data() + host.size());
  };
  EXPECT_EQ(poses(here), poses(there));
}

/// With OpenMP the other instance has one thread: the same bits also for every number of them.
TEST_P(DirectTrackerContract, SameBitsOnEveryInstance) {
  DirectTrackerOptions const options{.motion = GetParam()};
  TrackedState const expected(room(), GetParam(), 1.1), other(room(), GetParam(), 1.1);
  (void)track_frame(Exec(), room().camera, room().reference, room().current, room().mesh,
                    expected.view(), options);
  Problem problem(options);
  (void)track_frame(problem.exec, room().current, other.view(), problem.workspace);
  EXPECT_EQ(other.numbers(), expected.numbers());
  auto const on_another = carry_depths_workspace(Exec(), room().mesh);
  carry_depths_async(Exec(), expected.view(), on_another);
  carry_depths_async(problem.exec, other.view(), problem.carry);
  if (GetParam() == TrackerMotion::se3) {
    keep_scale_async(Exec(), problem.start, expected.view());
    keep_scale_async(problem.exec, problem.start, other.view());
  }
  Kokkos::fence();
  EXPECT_EQ(other.numbers(), expected.numbers());
}

/// Tiles of pixels are other teams' on another instance.
TEST(PixelContract, SameBitsOnEveryInstance) {
  Problem problem(DirectTrackerOptions{});
  auto const dense = dense_depths_workspace(Exec(), room().camera, room().mesh);
  auto const rectifier =
      lens_rectifier(Exec(), problem.rectifier.lens(), problem.rectifier.camera());
  TrackerPicture<float> const depths("carroll_test::depths", 128, 256),
      rectified("carroll_test::rectified", 128, 256);
  dense_depths_async(Exec(), problem.state.depth, depths, dense);
  rectify_async(Exec(), room().current, rectified, rectifier);
  problem.dense_async();
  problem.rectify();
  Kokkos::fence();
  auto const bits = [](auto const& view) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    return std::vector<float>(host.data(), host.data() + host.size());
  };
  EXPECT_EQ(bits(problem.dense_depths), bits(depths));
  EXPECT_EQ(bits(problem.rectified), bits(rectified));
}

INSTANTIATE_TEST_SUITE_P(Motions, DirectTrackerContract,
                         ::testing::Values(TrackerMotion::ackermann, TrackerMotion::se3));

}  // namespace
