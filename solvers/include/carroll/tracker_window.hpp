// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/tracker_window/launch.hpp>
#include <carroll/direct_tracker.hpp>
#include <carroll/error.hpp>
#include <carroll/tracker_window/types.hpp>
#include <carroll/tracker_window/workspace.hpp>
#include <concepts>
#include <string>

/// Windows of frames: the motions of several images against one reference, and the depths that all
/// of them show, in one least-squares problem. For any motion (TrackerMotion::se3).
///
///   auto window = carroll::tracker_window_workspace(exec, workspace, {.frames = 2});
///   carroll::set_window_frame_async(exec, 0, current, window);  // tracked already: its motion and
///   carroll::set_window_frame_async(exec, 1, before, window);   // the depths are known about
///   auto info = carroll::track_window(exec, carroll::TrackerWindowState{motions, zeta}, window);
///
/// Of an image that is tracked alone motion and depths follow from two pictures. A third one, taken
/// before the reference, shows the same depths from the other side, and all of what will leave the
/// picture: depths are better, and so is the scale that goes on from step to step.
///
/// It begins where `track_frame` has ended: on the finest levels alone, with the weights,
/// smoothness (in squares: depths do not jump) and damping of the tracker's options, by
/// Gauss-Newton steps in which the depths are eliminated (carroll/mesh_jacobian.hpp). The first
/// frame is the one that the verdict is about. All that the passes decide is decided on the device.
///
/// Images and masks are those of direct_tracker.hpp; the state (motions F×12, t in the unit of the
/// ranges 1/ζ) is overwritten and must not overlap them. Sample rows are in single
/// precision, their sums and the state in double. A pass reads 7 floats and 4 pixels a sample of
/// each frame and eliminates the depths of 8F + 1 right-hand sides by conjugate gradients, as
/// bundle adjustment does (Triggs et al., Vision Algorithms 1999); one team solves what is left, a
/// system of order 8F. Times: docs/tracking/windows.md. Results are the same bits for every layout,
/// instance and thread count of one build.
///
/// Numerical trouble is told by DirectTrackerInfo; misuse throws std::invalid_argument with the
/// actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class State>
consteval void assert_window_state() {
  static_assert(is_instance_of<State, TrackerWindowState>,
                "carroll::track_window: state must be a carroll::TrackerWindowState");
  using Motions = decltype(State::motions);
  static_assert(WritableView<Motions, ExecSpace, 2> &&
                    std::same_as<typename Motions::non_const_value_type, double>,
                "carroll::track_window: state.motions must be a writable strided View of double, "
                "of rank 2, in memory that the execution space can access");
  static_assert(WritableView<decltype(State::inverse_depth), ExecSpace, 1>,
                "carroll::track_window: state.inverse_depth must be a writable strided View of "
                "float or double, of rank 1, in memory that the execution space can access");
}

template <class ExecSpace, class State>
void check_window(char const* function, State const& state,
                  TrackerWindowWorkspace<ExecSpace> const& window) {
  using Access = AccessTo<TrackerWindowWorkspace<ExecSpace>>;
  require(Access::has_reference(window), function,
          [] { return std::string("the tracker's workspace has no reference image yet"); });
  int const without = Access::frame_without_image(window);
  require(without < 0, function,
          [&] { return "frame " + std::to_string(without) + " has no image yet"; });
  require_extents(function, "state.motions",
                  {static_cast<long long>(state.motions.extent(0)),
                   static_cast<long long>(state.motions.extent(1))},
                  {window.frames(), motion_numbers(TrackerMotion::se3)});
  require_extents(function, "state.inverse_depth",
                  {static_cast<long long>(state.inverse_depth.extent(0))},
                  {static_cast<long long>(window.vertices())});
}

}  // namespace detail

/// A window on the mesh, the camera and the reference of a tracker's workspace, which it shares;
/// `set_reference_async` on that is the window's, too. Allocates 4 bytes a pixel of each frame's
/// pyramid, and what steps with 8·F motion columns need (carroll/mesh_jacobian.hpp); fences `exec`:
/// for once per mesh. Throws std::invalid_argument unless the tracker's motion is se3, and for
/// options that cannot be used, AllocationError for want of memory.
template <ExecutionSpace ExecSpace>
[[nodiscard]] TrackerWindowWorkspace<ExecSpace> tracker_window_workspace(
    ExecSpace const& exec, DirectTrackerWorkspace<ExecSpace> const& tracker,
    TrackerWindowOptions const& options = {}) {
  return detail::AccessTo<TrackerWindowWorkspace<ExecSpace>>::make(
      exec, "carroll::tracker_window_workspace", tracker, options);
}

/// Enqueues what is to be kept of a frame's image, and returns; `image` (and its mask) may be
/// changed by later work on the same instance. Never fences, never allocates.
template <ExecutionSpace ExecSpace, class Image>
void set_window_frame_async(ExecSpace const& exec, int frame, Image const& image,
                            TrackerWindowWorkspace<ExecSpace>& window) {
  detail::assert_tracker_image<ExecSpace, Image>();
  using Access = detail::AccessTo<TrackerWindowWorkspace<ExecSpace>>;
  constexpr char const* function = "carroll::set_window_frame_async";
  detail::require(0 <= frame && frame < window.frames(), function, [&] {
    return "frame is " + std::to_string(frame) + ", must be from 0 to " +
           std::to_string(window.frames() - 1);
  });
  detail::check_tracker_image(function, "the frame's image", "the frame's mask", image,
                              Access::tracker(window));
  auto const fault = Access::fault(window, frame);
  Kokkos::deep_copy(exec, fault, 0);
  detail::enqueue_pyramid(exec, Access::levels(window, frame), fault, image);
  Access::keep_image(window, frame);
}

/// Enqueues the passes of a window, and returns; the state, start and result, and `info`, a View of
/// rank 0 of DirectTrackerInfo that kernels can write, may be read by later work on the same
/// instance. The info's cost and samples are those of all frames, the other quantities those of the
/// first one. Where the window ends `diverged` the state is the start; so it is where all
/// frames together see too little. Never fences, never allocates. `window` must live,
/// unused by others, until the work is done.
template <ExecutionSpace ExecSpace, class State, class InfoView>
void track_window_async(ExecSpace const& exec, State const& state, InfoView const& info,
                        TrackerWindowWorkspace<ExecSpace>& window) {
  detail::assert_window_state<ExecSpace, State>();
  static_assert(Kokkos::is_view_v<InfoView> && int(InfoView::rank) == 0 &&
                    std::same_as<typename InfoView::value_type, DirectTrackerInfo> &&
                    AccessibleView<InfoView, ExecSpace>,
                "carroll::track_window_async: info must be a writable View of "
                "carroll::DirectTrackerInfo, of rank 0, in memory that the execution space can "
                "access");
  detail::check_window("carroll::track_window_async", state, window);
  detail::enqueue_window(exec, state, info.data(), window);
}

/// Tracks a window: no allocation, one fence of `exec`, to return the info.
template <ExecutionSpace ExecSpace, class State>
[[nodiscard]] DirectTrackerInfo track_window(ExecSpace const& exec, State const& state,
                                             TrackerWindowWorkspace<ExecSpace>& window) {
  detail::assert_window_state<ExecSpace, State>();
  using Access = detail::AccessTo<TrackerWindowWorkspace<ExecSpace>>;
  detail::check_window("carroll::track_window", state, window);
  detail::enqueue_window(exec, state, Access::info(window), window);
  return Access::fetch_info(exec, window);
}

}  // namespace carroll

#ifdef CARROLL_COMPILED
#include <carroll/detail/tracker_window/compiled.hpp>
#endif
