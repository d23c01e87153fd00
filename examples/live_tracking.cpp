#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/carry_depths.hpp>
#include <carroll/direct_tracker.hpp>
#include <carroll/spherical_mesh.hpp>
#include <carroll/synthetic_scene.hpp>
#include <carroll/tracker_window.hpp>
#include <cmath>
#include <cstdio>
#include <string_view>

using Exec = Kokkos::DefaultExecutionSpace;
using Frame = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;

/// Allocations and fences that Kokkos tells of, so that nothing has to be believed.
int allocations = 0, fences = 0;

/// Follows a camera, image by image, as a robot would: images are in the device's memory, all work
/// is on an instance (a stream) of its own, and once it runs nothing is allocated. With --window
/// each image is looked at once more, together with the one before the reference.
int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  bool const windows = argc > 1 && std::string_view(argv[1]) == "--window";
  Exec const exec = Kokkos::Experimental::partition_space(Exec(), 1).front();

  // What stands in for the camera: a room, seen from an arc, in 320 x 240 pixels.
  auto const camera = carroll::Camera<double>::unified(320, 240, 200, 200, 159.5, 119.5, 0);
  auto const scene = carroll::synthetic_scene(exec, carroll::box_room(), 5);
  Frame const range("range", 240, 320),
      images[2] = {Frame("even", 240, 320), Frame("odd", 240, 320)};
  carroll::CameraPose place;
  auto const take = [&](int number) -> Frame const& {
    carroll::render_scene(exec, scene, camera, place, images[number % 2], range);
    carroll::add_noise(exec, images[number % 2], 2, 1, number);
    place = carroll::ackermann_step(place, 0.02, 0.08);
    return images[number % 2];
  };

  // The start: a mesh of the first image's corners, all memory, and a motion that is searched for,
  // besides.
  Frame const& first = take(0);
  auto const mesh = carroll::mesh_on<float>(
      exec, carroll::spherical_mesh(exec, first, camera, {.vertices = 300, .samples = 20000}));
  carroll::DirectTrackerOptions options{.motion = carroll::TrackerMotion::se3, .search = true};
  auto searcher = carroll::direct_tracker_workspace(exec, camera, mesh, options);
  options.search = false;
  options.levels = 3;  // an image begins where the one before ended: little is left to be found
  options.iterations = 18;
  auto tracker = carroll::direct_tracker_workspace(exec, camera, mesh, options);
  auto window = carroll::tracker_window_workspace(exec, tracker, {.frames = 2, .passes = 3});
  auto const carry = carroll::carry_depths_workspace(exec, mesh);
  // Of the image, and of the one before the reference.
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const motions("motions", 2, 12);
  Kokkos::View<double*, Exec> const motion(motions.data(), 12), last_motion("last motion", 12);
  Kokkos::View<float*, Exec> const depth("depth", tracker.vertices()),
      last_depth("last depth", depth.extent(0));
  Kokkos::View<carroll::DirectTrackerInfo, Exec> const info("info");
  Kokkos::View<carroll::DirectTrackerInfo, Kokkos::SharedHostPinnedSpace> const host_info(
      "host info");
  Kokkos::View<double*, Kokkos::SharedHostPinnedSpace> const pose("pose", 12), back("back", 12);
  carroll::DirectTrackerState const state{motion, depth};
  for (int i = 0; i < 12; ++i) pose(i) = i % 5 == 0;
  Kokkos::deep_copy(exec, motion, pose);
  Kokkos::deep_copy(exec, depth, 1.0F);  // unknown: how far things are is the unit of length

  // The pose of `image` against the reference, on the host: one fence. True if it can be trusted.
  auto const track = [&](Frame const& image, auto& workspace) {
    carroll::track_frame_async(exec, image, state, info, workspace);
    carroll::keep_scale_async(exec, last_depth, state);
    Kokkos::deep_copy(exec, host_info, info);
    if (windows && &workspace == &tracker) {  // where that is no success the state stays
      carroll::set_window_frame_async(exec, 0, image, window);
      carroll::track_window_async(exec, carroll::TrackerWindowState{motions, depth}, info, window);
      carroll::keep_scale_async(exec, last_depth, state);
    }
    Kokkos::deep_copy(exec, pose, motion);
    exec.fence("the pose is here");
    return host_info().status == carroll::Status::success;
  };
  // While the camera exposes the next image: this one becomes the reference.
  auto const go_on = [&](Frame const& image) {
    Frame const& before = &image == images ? images[1] : images[0];
    carroll::set_window_frame_async(exec, 1, before, window);
    for (int a = 0; a < 3; ++a) {  // its pose is the way back
      back(4 * a + 3) = 0;
      for (int b = 0; b < 3; ++b) {
        back(4 * a + b) = pose(4 * b + a);
        back(4 * a + 3) -= pose(4 * b + a) * pose(4 * b + 3);
      }
    }
    Kokkos::deep_copy(exec, Kokkos::subview(motions, 1, Kokkos::ALL), back);
    carroll::carry_depths_async(exec, state, carry);
    Kokkos::deep_copy(exec, last_motion, motion);
    Kokkos::deep_copy(exec, last_depth, depth);
    carroll::set_reference_async(exec, image, tracker);
    carroll::set_reference_async(exec, image, searcher);
  };
  auto const go_back = [&] {
    Kokkos::deep_copy(exec, motion, last_motion);
    Kokkos::deep_copy(exec, depth, last_depth);
  };

  go_on(first);
  Frame const& second = take(1);
  if (!track(second, searcher)) return 1;
  double const way = std::hypot(pose(3), pose(7), pose(11));
  go_on(second);
  if (windows) {  // once before it counts: what teams ask for first, Kokkos allocates
    carroll::set_window_frame_async(exec, 0, second, window);
    carroll::track_window_async(exec, carroll::TrackerWindowState{motions, depth}, info, window);
    go_back();
  }

  Kokkos::Tools::Experimental::set_allocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, char const*, void const*, uint64_t bytes) {
        if (bytes > 0) ++allocations;  // on CUDA Kokkos tells of teams' scratch of no bytes, too
      });
  Kokkos::Tools::Experimental::set_begin_fence_callback(
      [](char const*, uint32_t, uint64_t*) { ++fences; });
  constexpr int count = 40;
  int lost = 0;
  double turn = 0, length = 0;
  std::array<double, count> milliseconds{};
  for (int k = 0; k < count; ++k) {
    Frame const& image = take(k + 2);
    exec.fence("the camera has delivered");
    Kokkos::Timer const timer;
    bool good = track(image, tracker);
    if (!good) {  // with what is known of the depths, and nothing of the motion
      go_back();
      good = track(image, searcher);
    }
    milliseconds[k] = 1e3 * timer.seconds();
    if (good) {
      turn += std::atan2(pose(4), pose(0));
      length += std::hypot(pose(3), pose(7), pose(11));
      go_on(image);
    } else {  // the reference stays, and so does what was known
      ++lost;
      go_back();
    }
  }
  exec.fence("all is done");
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);

  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("%d frames, %d lost\n", count, lost);
  std::printf("turned by %.2f degrees, in truth %.2f; went %.2f first ways, in truth %d\n",
              turn * 180 / Kokkos::numbers::pi,
              count * 2 * std::asin(0.01) * 180 / Kokkos::numbers::pi, length / way, count);
  std::printf("latency: median %.2f ms, worst %.2f ms\n", milliseconds[count / 2],
              milliseconds.back());
  // Of these fences one a frame is the camera's, and one the pose's.
  std::printf("%d allocations, %d fences\n", allocations, fences);
  return lost == 0 && allocations == 0 ? 0 : 1;
}
