// SPDX-License-Identifier: BSD-3-Clause
// Wrong extents, cameras, meshes, options and order of calls: std::invalid_argument with the actual
// and the required sizes, and nothing written.
#include <gtest/gtest.h>

#include <carroll/carry_depths.hpp>
#include <carroll/tracker_window.hpp>
#include <limits>
#include <string>

#include "misuse/complaint.hpp"
#include "support/copy.hpp"
#include "support/tracker/problem.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

struct Setting {
  Camera<double> camera = Camera<double>::equirectangular(64, 32);
  SphericalMesh<float> host = icosphere(1, 3);
  SphericalMesh<float, Space> mesh = mesh_on<float>(Exec(), host);
  Kokkos::View<float**, Exec> image{"carroll_test::image", 32, 64};
  Kokkos::View<double*, Exec> motion{"carroll_test::motion", 1};
  Kokkos::View<float*, Exec> depth{"carroll_test::depth", 12};

  [[nodiscard]] std::string make(DirectTrackerOptions const& options = {}) const {
    return complaint([&] { (void)direct_tracker_workspace(Exec(), camera, mesh, options); });
  }
  void copy() { mesh = mesh_on<float>(Exec(), host); }
};

TEST(DirectTrackerMisuse, OptionsThatCannotBeUsed) {
  Setting const s;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::string const f = "carroll::direct_tracker_workspace: ";
  EXPECT_EQ(s.make({.levels = 13}), f + "options.levels is 13, must be from 0 to 12");
  EXPECT_EQ(s.make({.levels = 3, .iterations = 5}),
            f + "options.iterations is 5, must be from 6 (two per level) to 1000");
  EXPECT_EQ(s.make({.iterations = 1001}),
            f + "options.iterations is 1001, must be from 2 (two per level) to 1000");
  EXPECT_EQ(s.make({.huber = -1}),
            f + "options.huber is -1.000000, must be finite and not negative");
  EXPECT_EQ(s.make({.damping = nan}),
            f + "options.damping is nan, must be finite and not negative");
  EXPECT_EQ(s.make({.smoothness = -2}),
            f + "options.smoothness is -2.000000, must be finite and not negative");
  EXPECT_EQ(s.make({.smoothness_scale = -0.5}),
            f + "options.smoothness_scale is -0.500000, must be finite and not negative");
  EXPECT_EQ(s.make({.black = 9, .white = 9}),
            f + "options.black is 9.000000, must be less than white, 9.000000");
  EXPECT_EQ(s.make({.max_log_depth_step = 0}),
            f + "options.max_log_depth_step is 0.000000, must be finite and positive");
  EXPECT_EQ(s.make({.min_valid = -1}),
            f + "options.min_valid is -1.000000, must be finite and not negative");
  EXPECT_EQ(s.make({.min_matched = -1}),
            f + "options.min_matched is -1.000000, must be finite and not negative");
  EXPECT_EQ(s.make({.max_turn_deviation = -1}),
            f + "options.max_turn_deviation is -1.000000, must be finite and not negative");
  EXPECT_EQ(s.make({.max_way_deviation = -1}),
            f + "options.max_way_deviation is -1.000000, must be finite and not negative");
  EXPECT_EQ(s.make({.tolerance = nan}),
            f + "options.tolerance is nan, must be finite and not negative");
  EXPECT_EQ(s.make({.motion = static_cast<TrackerMotion>(2)}),
            f + "options.motion is 2, must be an enumerator of TrackerMotion");
  EXPECT_EQ(s.make({.method = static_cast<TrackerMethod>(-1)}),
            f + "options.method is -1, must be an enumerator of TrackerMethod");
  EXPECT_EQ(s.make({.levels = 7}),
            f + "options.levels is 7, but the image of 64×32 can be halved only 4 times");
}

TEST(DirectTrackerMisuse, CamerasThatCannotBeUsed) {
  Setting s;
  std::string const f = "carroll::direct_tracker_workspace: ";
  s.camera.width = 0;
  EXPECT_EQ(s.make(),
            f + "the camera's image is 0×32 (width×height), must be from 1×1 to 32768×32768");
  s.camera = Camera<double>::unified(64, 32, -1, 1, 0, 0, 0);
  EXPECT_EQ(
      s.make(),
      f + "the camera's fx and fy must be positive, chi not negative, and all of them finite");
}

TEST(DirectTrackerMisuse, MeshesThatCannotBeUsed) {
  std::string const f = "carroll::direct_tracker_workspace: ";
  Setting s;
  s.host.triangles(4, 1) = 12;
  s.copy();
  EXPECT_EQ(s.make(), f + "mesh.triangles(4, 1) is 12, must be from 0 to below the 12 vertices");
  s = Setting();
  s.host.triangle_offsets(3) = 100;
  s.copy();
  EXPECT_EQ(s.make(),
            f + "mesh.triangle_offsets(3) is 100, offsets must rise from 0 to the 60 samples");
  s = Setting();
  s.host.triangle_offsets(20) = 59;
  s.copy();
  EXPECT_EQ(s.make(),
            f + "mesh.triangle_offsets(20) is 59, offsets must rise from 0 to the 60 samples");
  s = Setting();
  s.mesh.triangle_offsets = decltype(s.mesh.triangle_offsets)("carroll_test::offsets", 20);
  EXPECT_EQ(s.make(), f + "mesh.triangle_offsets is 20, must be 21");
  s = Setting();
  s.mesh.weights = decltype(s.mesh.weights)("carroll_test::weights", 59);
  EXPECT_EQ(s.make(), f + "mesh.weights is 59×3, must be 60×3");
}

TEST(DirectTrackerMisuse, ImagesAndStatesThatDoNotFit) {
  Setting s;
  auto workspace = direct_tracker_workspace(Exec(), s.camera, s.mesh);
  auto const track = [&](auto const& image, auto const& motion, auto const& depth) {
    return complaint([&] {
      (void)track_frame(Exec(), image, DirectTrackerState{motion, depth}, workspace);
    });
  };
  carroll::test::deep_copy(s.depth, 0.5F);
  EXPECT_EQ(track(s.image, s.motion, s.depth),
            "carroll::track_frame: the workspace has no reference image yet");
  Kokkos::View<float**, Exec> const small("carroll_test::small", 32, 63);
  EXPECT_EQ(complaint([&] { set_reference_async(Exec(), small, workspace); }),
            "carroll::set_reference_async: the reference image is 32×63, must be 32×64");
  set_reference_async(Exec(), s.image, workspace);
  EXPECT_EQ(track(small, s.motion, s.depth),
            "carroll::track_frame: the current image is 32×63, must be 32×64");
  Kokkos::View<double*, Exec> const pose("carroll_test::pose", 12);
  EXPECT_EQ(track(s.image, pose, s.depth), "carroll::track_frame: state.motion is 12, must be 1");
  Kokkos::View<float*, Exec> const few("carroll_test::few", 11);
  EXPECT_EQ(track(s.image, s.motion, few),
            "carroll::track_frame: state.inverse_depth is 11, must be 12");
  auto const depth = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), s.depth);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(depth(i), 0.5F);
  EXPECT_EQ(track(MaskedImage{s.image, small}, s.motion, s.depth),
            "carroll::track_frame: the current image's mask is 32×63, must be 32×64");
  EXPECT_EQ(complaint([&] {
              set_reference_async(Exec(), MaskedImage{s.image, small}, workspace);
            }),
            "carroll::set_reference_async: the reference image's mask is 32×63, must be 32×64");
  DirectTrackerWorkspace<Exec> nobodys;
  EXPECT_EQ(complaint([&] { set_reference_async(Exec(), s.image, nobodys); }),
            "carroll::set_reference_async: the reference image is 32×64, must be 0×0");
}

TEST(DirectTrackerMisuse, StatesThatCannotBeCarried) {
  Setting const s;
  auto const workspace = carry_depths_workspace(Exec(), s.mesh);
  carroll::test::deep_copy(s.depth, 0.5F);
  auto const view = [](std::size_t n) {
    return Kokkos::View<double*, Exec>("carroll_test::numbers", n);
  };
  auto const carry = [&](auto const& motion, auto const& depth) {
    return complaint([&] {
      carry_depths_async(Exec(), DirectTrackerState{motion, depth}, workspace);
    });
  };
  std::string const f = "carroll::carry_depths_async: ";
  EXPECT_EQ(carry(view(6), s.depth), f + "state.motion is 6, must be 1 or 12");
  EXPECT_EQ(carry(view(12), view(11)), f + "state.inverse_depth is 11, must be 12");
  auto const keep = [&](auto const& start, auto const& motion) {
    return complaint([&] { keep_scale_async(Exec(), start, DirectTrackerState{motion, s.depth}); });
  };
  std::string const g = "carroll::keep_scale_async: ";
  EXPECT_EQ(keep(s.depth, view(1)), g + "state.motion is 1, must be 12");
  EXPECT_EQ(keep(view(11), view(12)), g + "start is 11, must be 12");
  auto const depth = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), s.depth);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(depth(i), 0.5F);
}

TEST(DirectTrackerMisuse, WindowsThatCannotBe) {
  Setting const s;
  auto const arc = direct_tracker_workspace(Exec(), s.camera, s.mesh);
  auto tracker = direct_tracker_workspace(Exec(), s.camera, s.mesh, {.motion = TrackerMotion::se3});
  auto const make = [&](auto const& workspace, TrackerWindowOptions const& options) {
    return complaint([&] { (void)tracker_window_workspace(Exec(), workspace, options); });
  };
  std::string const f = "carroll::tracker_window_workspace: ";
  EXPECT_EQ(make(arc, {}), f + "the tracker's options.motion must be TrackerMotion::se3");
  EXPECT_EQ(make(tracker, {.frames = 0}), f + "options.frames is 0, must be from 1 to 8");
  EXPECT_EQ(make(tracker, {.frames = 9}), f + "options.frames is 9, must be from 1 to 8");
  EXPECT_EQ(make(tracker, {.levels = 0}), f + "options.levels is 0, must be from 1 to 12");
  EXPECT_EQ(make(tracker, {.passes = 1}), f + "options.passes is 1, must be from 2 to 1000");

  auto window = tracker_window_workspace(Exec(), tracker, {.frames = 2, .levels = 12});
  EXPECT_EQ(window.options().levels, tracker.levels());
  auto const set = [&](int frame, auto const& image) {
    return complaint([&] { set_window_frame_async(Exec(), frame, image, window); });
  };
  std::string const g = "carroll::set_window_frame_async: ";
  Kokkos::View<float**, Exec> const small("carroll_test::small", 32, 63);
  EXPECT_EQ(set(2, s.image), g + "frame is 2, must be from 0 to 1");
  EXPECT_EQ(set(-1, s.image), g + "frame is -1, must be from 0 to 1");
  EXPECT_EQ(set(0, small), g + "the frame's image is 32×63, must be 32×64");
  EXPECT_EQ(set(0, MaskedImage{s.image, small}), g + "the frame's mask is 32×63, must be 32×64");

  Kokkos::View<double**, Exec> const motions("carroll_test::motions", 2, 12);
  auto const track = [&](auto const& all, auto const& depth) {
    return complaint([&] { (void)track_window(Exec(), TrackerWindowState{all, depth}, window); });
  };
  std::string const h = "carroll::track_window: ";
  EXPECT_EQ(track(motions, s.depth), h + "the tracker's workspace has no reference image yet");
  set_reference_async(Exec(), s.image, tracker);
  EXPECT_EQ(set(0, s.image), "");
  EXPECT_EQ(track(motions, s.depth), h + "frame 1 has no image yet");
  EXPECT_EQ(set(1, s.image), "");
  Kokkos::View<double**, Exec> const three("carroll_test::motions", 3, 12);
  EXPECT_EQ(track(three, s.depth), h + "state.motions is 3×12, must be 2×12");
  Kokkos::View<float*, Exec> const few("carroll_test::few", 11);
  EXPECT_EQ(track(motions, few), h + "state.inverse_depth is 11, must be 12");
}

}  // namespace
