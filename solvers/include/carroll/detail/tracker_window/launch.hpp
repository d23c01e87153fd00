// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/direct_tracker/launch.hpp>
#include <carroll/detail/tracker_window/frames.hpp>
#include <carroll/tracker_window/workspace.hpp>

/// Which kernels of a window run, and in which order.
namespace carroll::detail {

/// All passes of a window whose begin is enqueued, and the verdict on its first frame.
template <class ExecSpace, CameraModel Model>
void enqueue_window_passes(ExecSpace const& exec, TrackerWindowWorkspace<ExecSpace>& w) {
  using Access = AccessTo<TrackerWindowWorkspace<ExecSpace>>;
  using Tracker = AccessTo<DirectTrackerWorkspace<ExecSpace>>;
  auto& tracker = Access::tracker(w);
  auto const& levels = Tracker::levels(tracker);
  for (WindowPass pass : Access::plan_of(w)) {
    pass.seen = levels[static_cast<std::size_t>(pass.level)].reference.seen;
    Access::template pass_async<Model>(
        exec, w, pass,
        WindowUpdateKernel<ExecSpace>{tracker.options(), pass, static_cast<int>(w.vertices()),
                                      w.frames(), Access::depths(w), Access::step(w),
                                      Access::states(w)});
  }
  int const second = w.options().levels > 1 ? 1 : 0;
  auto const& level = levels[static_cast<std::size_t>(second)];
  enqueue_verdict(
      exec, Tracker::mesh(tracker), Access::counts(w),
      WindowFrameRows<Model>{Tracker::mesh(tracker),
                             level.reference,
                             Access::levels(w, 0)[static_cast<std::size_t>(second)].image,
                             Access::depths(w).zeta,
                             Access::states(w),
                             tracker_huber(tracker.options()),
                             shown_levels(tracker.options()),
                             {}});
}

template <class ExecSpace, class State>
void enqueue_window(ExecSpace const& exec, State const& state, DirectTrackerInfo* info,
                    TrackerWindowWorkspace<ExecSpace>& w) {
  using Access = AccessTo<TrackerWindowWorkspace<ExecSpace>>;
  using Tracker = AccessTo<DirectTrackerWorkspace<ExecSpace>>;
  using Depth = typename decltype(state.inverse_depth)::non_const_value_type;
  constexpr TrackerMotion Motion = TrackerMotion::se3;
  auto& tracker = Access::tracker(w);
  auto const frame_stride = static_cast<std::int64_t>(state.motions.stride(0));
  auto const motion_stride = static_cast<std::int64_t>(state.motions.stride(1));
  auto const depth_stride = static_cast<std::int64_t>(state.inverse_depth.stride(0));
  int const m = static_cast<int>(w.vertices()), F = w.frames();
  enqueue_team("carroll::tracker_window::begin", exec,
               BeginWindowKernel<ExecSpace, Depth>{
                   state.motions.data(), frame_stride, motion_stride, state.inverse_depth.data(),
                   depth_stride, m, F, tracker.options().damping, Access::depths(w),
                   Access::step(w), Access::states(w), Access::faults(w),
                   Tracker::faults(tracker).data() + fault_of_reference, Access::counts(w)});
  with_camera_model(w.camera().model, [&](auto model) {
    enqueue_window_passes<ExecSpace, decltype(model)::value>(exec, w);
  });
  enqueue_team("carroll::tracker_window::finish", exec,
               FinishFrameKernel<ExecSpace, Motion, Depth>{
                   state.motions.data(), motion_stride, state.inverse_depth.data(), depth_stride, m,
                   Access::depths(w), Access::states(w), Access::log(w), info, tracker.options(),
                   static_cast<int>(tracker.triangles()), (1 + w.camera().chi) / w.camera().fx,
                   Access::counts(w)});
  if (F > 1)
    Kokkos::parallel_for(
        "carroll::tracker_window::motions",
        Kokkos::RangePolicy<ExecSpace>(exec, 0, (F - 1) * motion_numbers(Motion)),
        WindowMotionsKernel{state.motions.data(), frame_stride, motion_stride, Access::states(w)});
}

}  // namespace carroll::detail
