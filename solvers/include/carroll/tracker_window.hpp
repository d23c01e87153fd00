// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/tracker_window/launch.hpp>
#include <carroll/direct_tracker.hpp>
#include <carroll/tracker_window/workspace.hpp>

/// Windows: the motions of several frames against one reference, and the depths that they share.
///
///   auto window = carroll::tracker_window_workspace(exec, workspace, {.frames = 2});
///   auto info = carroll::track_frame(exec, current, state, workspace);   // as ever
///   carroll::set_window_frame_async(exec, 0, current, window);
///   carroll::set_window_frame_async(exec, 1, before, window);            // its motion is known
///   info = carroll::track_window(exec, carroll::TrackerWindowState{motions, zeta}, window);
namespace carroll {

/// What a window tracks, start and result: Views that kernels can read and write.
template <class MotionsView, class DepthView>
struct TrackerWindowState {
  MotionsView motions;      ///< of double, F×12: rows of [R | t] of each frame
  DepthView inverse_depth;  ///< of float or double: ζ > 0 of the M vertices, 1/range
};

template <class M, class D>
TrackerWindowState(M, D) -> TrackerWindowState<M, D>;

template <ExecutionSpace ExecSpace>
[[nodiscard]] TrackerWindowWorkspace<ExecSpace> tracker_window_workspace(
    ExecSpace const& exec, DirectTrackerWorkspace<ExecSpace> const& tracker,
    TrackerWindowOptions const& options = {}) {
  return detail::AccessTo<TrackerWindowWorkspace<ExecSpace>>::make(
      exec, "carroll::tracker_window_workspace", tracker, options);
}

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
  detail::enqueue_pyramid(exec, Access::levels(window, frame), Access::fault(window, frame), image);
  Access::has_image(window)[static_cast<std::size_t>(frame)] = true;
}

template <ExecutionSpace ExecSpace, class State>
[[nodiscard]] DirectTrackerInfo track_window(ExecSpace const& exec, State const& state,
                                             TrackerWindowWorkspace<ExecSpace>& window) {
  using Access = detail::AccessTo<TrackerWindowWorkspace<ExecSpace>>;
  detail::enqueue_window(exec, state, Access::info(window), window);
  return Access::fetch_info(exec, window);
}

}  // namespace carroll
