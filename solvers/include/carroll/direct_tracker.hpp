// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/camera.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/direct_tracker/launch.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <carroll/direct_tracker/workspace.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>

/// Direct visual tracking: from two images of a scene, the motion of the camera between them and
/// the depth of the scene, by aligning grey levels; no features are matched.
///
///   auto const mesh = carroll::mesh_on<float>(exec, host_mesh);      // carroll/spherical_mesh.hpp
///   auto workspace = carroll::direct_tracker_workspace(exec, camera, mesh, options);
///   carroll::set_reference_async(exec, reference, workspace);        // once per key frame
///   auto info = carroll::track_frame(exec, current, carroll::DirectTrackerState{motion, zeta},
///                                    workspace);                     // once per frame
///
/// The least-squares problem Σ (I(π(p(s))) - I*(s))² over the samples s of the mesh, weighted
/// robustly, is solved for the motion and the logarithm of the inverse range at the vertices, by
/// Levenberg's and Marquardt's method from the coarsest to the finest level of an image pyramid.
/// Formulas, with sources: detail/direct_tracker/rows.hpp and docs/tracking/direct-tracker.md. A
/// pass reads 7 floats and 4 pixels a sample; the Jacobian is not stored; all that the iterations
/// decide is decided on the device, so that nothing comes back to the host before the end.
///
/// Images are strided Views of float or std::uint8_t, rows first, height×width of the camera; or a
/// MaskedImage of such a View and a mask.
/// Sample rows are in single precision, their sums and the state in double. Results are the same
/// bits for every layout, instance and thread count of one build.
///
/// Numerical trouble is told by DirectTrackerInfo; misuse throws std::invalid_argument with the
/// actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

template <class View, class ExecSpace>
inline constexpr bool is_tracker_image = false;
template <class View, class ExecSpace>
requires StridedView<View> && AccessibleView<View, ExecSpace>
inline constexpr bool is_tracker_image<View, ExecSpace> =
    int(View::rank) == 2 && (std::same_as<typename View::non_const_value_type, float> ||
                             std::same_as<typename View::non_const_value_type, std::uint8_t>);

template <class ExecSpace, class Image>
consteval void assert_tracker_image() {
  if constexpr (is_instance_of<Image, MaskedImage>) {
    assert_tracker_image<ExecSpace, decltype(Image::image)>();
    static_assert(is_tracker_image<decltype(Image::mask), ExecSpace>,
                  "carroll::track_frame: a mask must be a strided View of float or std::uint8_t, "
                  "of rank 2, in memory that the execution space can access");
  } else {
    static_assert(is_tracker_image<Image, ExecSpace>,
                  "carroll::track_frame: an image must be a strided View of float or "
                  "std::uint8_t, of rank 2, in memory that the execution space can access");
  }
}

template <class ExecSpace, class State>
consteval void assert_tracker_state() {
  static_assert(is_instance_of<State, DirectTrackerState>,
                "carroll::track_frame: state must be a carroll::DirectTrackerState");
  using Motion = decltype(State::motion);
  using Depth = decltype(State::inverse_depth);
  static_assert(WritableView<Motion, ExecSpace, 1> &&
                    std::same_as<typename Motion::non_const_value_type, double>,
                "carroll::track_frame: state.motion must be a writable strided View of double, of "
                "rank 1, in memory that the execution space can access");
  static_assert(
      WritableView<Depth, ExecSpace, 1>,
      "carroll::track_frame: state.inverse_depth must be a writable strided View of float "
      "or double, of rank 1, in memory that the execution space can access");
}

template <class ExecSpace, class Mesh>
consteval void assert_tracker_mesh() {
  static_assert(is_instance_of<Mesh, SphericalMesh>,
                "carroll::direct_tracker_workspace: mesh must be a carroll::SphericalMesh");
  static_assert(AccessibleView<decltype(Mesh::vertices), ExecSpace>,
                "carroll::direct_tracker_workspace: the mesh must be in memory that the execution "
                "space can access; carroll::mesh_on copies it there");
}

template <class ExecSpace, class Image>
void check_tracker_image(char const* function, char const* name, char const* mask_name,
                         Image const& image, DirectTrackerWorkspace<ExecSpace> const& workspace) {
  if constexpr (is_instance_of<Image, MaskedImage>) {
    check_tracker_image(function, name, mask_name, image.image, workspace);
    check_tracker_image(function, mask_name, mask_name, image.mask, workspace);
  } else {
    auto const& camera = workspace.camera();
    require_extents(
        function, name,
        {static_cast<long long>(image.extent(0)), static_cast<long long>(image.extent(1))},
        {camera.height, camera.width});
  }
}

template <class ExecSpace, class Image>
void check_current_image(char const* function, Image const& image,
                         DirectTrackerWorkspace<ExecSpace> const& workspace) {
  check_tracker_image(function, "the current image", "the current image's mask", image, workspace);
}

template <class ExecSpace, class State>
void check_tracker_state(char const* function, State const& state,
                         DirectTrackerWorkspace<ExecSpace>& workspace) {
  require(AccessTo<DirectTrackerWorkspace<ExecSpace>>::has_reference(workspace), function,
          [] { return std::string("the workspace has no reference image yet"); });
  auto const length = [](auto const& view) { return static_cast<long long>(view.extent(0)); };
  require_extents(function, "state.motion", {length(state.motion)},
                  {motion_numbers(workspace.options().motion)});
  require_extents(function, "state.inverse_depth", {length(state.inverse_depth)},
                  {static_cast<long long>(workspace.vertices())});
}

/// A frame of checked arguments.
template <class ExecSpace, class ImageView, class State>
void enqueue_frame(ExecSpace const& exec, ImageView const& current, State const& state,
                   DirectTrackerInfo* info, DirectTrackerWorkspace<ExecSpace>& w) {
  using Access = AccessTo<DirectTrackerWorkspace<ExecSpace>>;
  using Depth = typename decltype(state.inverse_depth)::non_const_value_type;
  auto const motion_stride = static_cast<std::int64_t>(state.motion.stride(0));
  auto const depth_stride = static_cast<std::int64_t>(state.inverse_depth.stride(0));
  int const m = static_cast<int>(w.vertices());
  enqueue_pyramid(exec, w, current, fault_of_current);
  with_motion(w.options().motion, [&](auto motion) {
    constexpr TrackerMotion Motion = decltype(motion)::value;
    enqueue_team("carroll::direct_tracker::begin", exec,
                 BeginFrameKernel<ExecSpace, Motion, Depth>{
                     state.motion.data(), motion_stride, state.inverse_depth.data(), depth_stride,
                     m, w.options().damping, Access::depths(w), Access::step(w), Access::state(w),
                     Access::faults(w).data(), Access::counts(w)});
    with_camera_model(w.camera().model, [&](auto model) {
      enqueue_iterations<ExecSpace, decltype(model)::value, Motion>(exec, w);
    });
    enqueue_team("carroll::direct_tracker::finish", exec,
                 FinishFrameKernel<ExecSpace, Motion, Depth>{
                     state.motion.data(), motion_stride, state.inverse_depth.data(), depth_stride,
                     m, Access::depths(w), Access::state(w), Access::log(w), info, w.options(),
                     static_cast<int>(w.triangles()), (1 + w.camera().chi) / w.camera().fx,
                     Access::counts(w)});
  });
}

}  // namespace detail

/// A workspace for tracking frames of `camera` on `mesh`, which is copied. Allocates 4 bytes a
/// pixel of the pyramid and about 40 a sample; copies the triangles to the host to order them, and
/// fences `exec`: for once per mesh. Throws std::invalid_argument for a camera, mesh or options
/// that cannot be used, AllocationError for want of memory.
template <ExecutionSpace ExecSpace, class T, class Mesh>
[[nodiscard]] DirectTrackerWorkspace<ExecSpace> direct_tracker_workspace(
    ExecSpace const& exec, Camera<T> const& camera, Mesh const& mesh,
    DirectTrackerOptions const& options = {}) {
  detail::assert_tracker_mesh<ExecSpace, Mesh>();
  return detail::AccessTo<DirectTrackerWorkspace<ExecSpace>>::make(
      exec, "carroll::direct_tracker_workspace", camera.template as<double>(), mesh, options);
}

/// Enqueues what is to be kept of the reference image, and returns; `reference` (and its mask) may
/// be changed by later work on the same instance. Never fences, never allocates.
template <ExecutionSpace ExecSpace, class ImageView>
void set_reference_async(ExecSpace const& exec, ImageView const& reference,
                         DirectTrackerWorkspace<ExecSpace>& workspace) {
  detail::assert_tracker_image<ExecSpace, ImageView>();
  detail::check_tracker_image("carroll::set_reference_async", "the reference image",
                              "the reference image's mask", reference, workspace);
  detail::enqueue_pyramid(exec, workspace, reference, detail::fault_of_reference);
  detail::enqueue_reference(exec, workspace);
  detail::AccessTo<DirectTrackerWorkspace<ExecSpace>>::has_reference(workspace) = true;
}

/// Enqueues the tracking of one frame, and returns; state and `info`, a View of rank 0 of
/// DirectTrackerInfo that kernels can write, may be read by later work on the same instance. The
/// state is where the search starts, and its result. Never fences, never allocates. `workspace`
/// must live, unused by others, until the work is done.
template <ExecutionSpace ExecSpace, class ImageView, class State, class InfoView>
void track_frame_async(ExecSpace const& exec, ImageView const& current, State const& state,
                       InfoView const& info, DirectTrackerWorkspace<ExecSpace>& workspace) {
  detail::assert_tracker_image<ExecSpace, ImageView>();
  detail::assert_tracker_state<ExecSpace, State>();
  static_assert(Kokkos::is_view_v<InfoView>,
                "carroll::track_frame_async: info must be a View of carroll::DirectTrackerInfo");
  static_assert(int(InfoView::rank) == 0 &&
                    std::same_as<typename InfoView::value_type, DirectTrackerInfo> &&
                    AccessibleView<InfoView, ExecSpace>,
                "carroll::track_frame_async: info must be a writable View of "
                "carroll::DirectTrackerInfo, of rank 0, in memory that the execution space can "
                "access");
  constexpr char const* function = "carroll::track_frame_async";
  detail::check_current_image(function, current, workspace);
  detail::check_tracker_state(function, state, workspace);
  detail::enqueue_frame(exec, current, state, info.data(), workspace);
}

/// Tracks one frame: no allocation, one fence of `exec`, to return the info.
template <ExecutionSpace ExecSpace, class ImageView, class State>
[[nodiscard]] DirectTrackerInfo track_frame(ExecSpace const& exec, ImageView const& current,
                                            State const& state,
                                            DirectTrackerWorkspace<ExecSpace>& workspace) {
  detail::assert_tracker_image<ExecSpace, ImageView>();
  detail::assert_tracker_state<ExecSpace, State>();
  constexpr char const* function = "carroll::track_frame";
  detail::check_current_image(function, current, workspace);
  detail::check_tracker_state(function, state, workspace);
  using Access = detail::AccessTo<DirectTrackerWorkspace<ExecSpace>>;
  detail::enqueue_frame(exec, current, state, Access::info(workspace).data(), workspace);
  return Access::fetch_info(exec, workspace);
}

/// Tracks one frame against one reference image. Makes a workspace and frees it, for which Kokkos
/// waits for the whole device on CUDA: who tracks more than one frame gives a workspace.
template <ExecutionSpace ExecSpace, class T, class ReferenceView, class CurrentView, class Mesh,
          class State>
[[nodiscard]] DirectTrackerInfo track_frame(ExecSpace const& exec, Camera<T> const& camera,
                                            ReferenceView const& reference,
                                            CurrentView const& current, Mesh const& mesh,
                                            State const& state,
                                            DirectTrackerOptions const& options = {}) {
  detail::assert_tracker_mesh<ExecSpace, Mesh>();
  auto workspace = detail::AccessTo<DirectTrackerWorkspace<ExecSpace>>::make(
      exec, "carroll::track_frame", camera.template as<double>(), mesh, options);
  set_reference_async(exec, reference, workspace);
  return track_frame(exec, current, state, workspace);
}

/// The iterations of the frame before, which was tracked by `track_frame` with this workspace: one
/// entry for each pass over the samples. Valid until the workspace is used again. Fences `exec`.
template <ExecutionSpace ExecSpace>
[[nodiscard]] std::span<DirectTrackerIteration const> tracker_log(
    ExecSpace const& exec, DirectTrackerWorkspace<ExecSpace> const& workspace) {
  return detail::AccessTo<DirectTrackerWorkspace<ExecSpace>>::fetch_log(exec, workspace);
}

}  // namespace carroll

#ifdef CARROLL_COMPILED
#include <carroll/detail/direct_tracker/compiled.hpp>
#endif
