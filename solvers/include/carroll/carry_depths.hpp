// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/carry_depths/workspace.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/carry_depths/kernels.hpp>
#include <carroll/detail/carry_depths/scale.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

/// From one reference image to the next, for who tracks a camera's images as they come:
///
///   auto info = carroll::track_frame(exec, current, state, workspace);
///   if (info.status == carroll::Status::success) {
///     carroll::keep_scale_async(exec, start, state);            // of what the frame began with
///     carroll::carry_depths_async(exec, state, carry);          // as seen from there
///     Kokkos::deep_copy(exec, start, state.inverse_depth);
///     carroll::set_reference_async(exec, current, workspace);   // which comes next
///   }
///
/// The mesh stays as it is, its rays looking along with the camera: what changes is how far away
/// they end. Nothing is allocated, so that a robot can do that for hours.
namespace carroll {

namespace detail {

template <class ExecSpace, TrackerMotion Motion, class State>
void enqueue_carried(ExecSpace const& exec, State const& state,
                     CarryDepthsWorkspace<ExecSpace> const& workspace) {
  using Depth = typename decltype(state.inverse_depth)::non_const_value_type;
  CarriedMesh const& mesh = AccessTo<CarryDepthsWorkspace<ExecSpace>>::mesh(workspace);
  auto const stride = [](auto const& view) { return static_cast<std::int64_t>(view.stride(0)); };
  Kokkos::parallel_for(
      "carroll::carry_depths::move",
      Kokkos::RangePolicy<ExecSpace>(exec, 0, mesh.triangles + mesh.vertices),
      MoveMeshKernel<Motion, Depth>{mesh, state.motion.data(), stride(state.motion),
                                    state.inverse_depth.data(), stride(state.inverse_depth)});
  constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 4;
  launch_teams("carroll::carry_depths::look", exec,
               CarryDepthsKernel<ExecSpace, Depth>{mesh, state.inverse_depth.data(),
                                                   stride(state.inverse_depth)},
               {.count = (mesh.vertices + threads - 1) / threads,
                .threads = threads,
                .lanes = lanes<ExecSpace>});
}

template <class ExecSpace, class State>
consteval void assert_carried_state() {
  static_assert(is_instance_of<State, DirectTrackerState>,
                "carroll::carry_depths_async: state must be a carroll::DirectTrackerState");
  using Motion = decltype(State::motion);
  static_assert(WritableView<Motion, ExecSpace, 1> &&
                    std::same_as<typename Motion::non_const_value_type, double>,
                "carroll::carry_depths_async: state.motion must be a writable strided View of "
                "double, of rank 1, in memory that the execution space can access");
  static_assert(WritableView<decltype(State::inverse_depth), ExecSpace, 1>,
                "carroll::carry_depths_async: state.inverse_depth must be a writable strided View "
                "of float or double, of rank 1, in memory that the execution space can access");
}

}  // namespace detail

/// A workspace for carrying depths of `mesh`, of which vertices and triangles are copied. Allocates
/// some 28 bytes a vertex and 60 a triangle, and fences `exec`: for once per mesh. Throws
/// std::invalid_argument where a corner of a triangle is no vertex, AllocationError for want of
/// memory.
template <ExecutionSpace ExecSpace, class Mesh>
[[nodiscard]] CarryDepthsWorkspace<ExecSpace> carry_depths_workspace(ExecSpace const& exec,
                                                                     Mesh const& mesh) {
  static_assert(detail::is_instance_of<Mesh, SphericalMesh>,
                "carroll::carry_depths_workspace: mesh must be a carroll::SphericalMesh");
  static_assert(AccessibleView<decltype(Mesh::vertices), ExecSpace>,
                "carroll::carry_depths_workspace: the mesh must be in memory that the execution "
                "space can access; carroll::mesh_on copies it there");
  return detail::AccessTo<CarryDepthsWorkspace<ExecSpace>>::make(exec, mesh);
}

/// Enqueues the change of state.inverse_depth from what is seen at the mesh's vertices by the
/// reference camera to what is seen along the same rays by the current one, whose pose is
/// state.motion, and returns. That is the state to begin with when the current image becomes the
/// reference: the motion stays, as that of a camera that goes on as it did.
///
/// Where several triangles are met the nearest one counts, none that is seen from behind; where
/// none is, the vertex that is seen nearest to the ray. In an arc the unit of length is the chord:
/// depths stay right while its length does. Where nothing is seen at all, as with a motion that is
/// not finite, entries stay as they are.
///
/// `state` as `track_frame` has it, of M vertices. Never fences, never allocates. O(M·T)
/// operations. Throws std::invalid_argument for wrong extents; nothing is enqueued then.
template <ExecutionSpace ExecSpace, class State>
void carry_depths_async(ExecSpace const& exec, State const& state,
                        CarryDepthsWorkspace<ExecSpace> const& workspace) {
  detail::assert_carried_state<ExecSpace, State>();
  constexpr char const* function = "carroll::carry_depths_async";
  auto const length = [](auto const& view) { return static_cast<long long>(view.extent(0)); };
  long long const numbers = length(state.motion);
  detail::require(numbers == 1 || numbers == 12, function, [&] {
    return "state.motion is " + std::to_string(numbers) + ", must be 1 or 12";
  });
  detail::require_extents(function, "state.inverse_depth", {length(state.inverse_depth)},
                          {static_cast<long long>(workspace.vertices())});
  if (numbers == 1)
    detail::enqueue_carried<ExecSpace, TrackerMotion::ackermann>(exec, state, workspace);
  else
    detail::enqueue_carried<ExecSpace, TrackerMotion::se3>(exec, state, workspace);
}

/// Enqueues a change of scale after which the median of state.inverse_depth/start is 1, and
/// returns; `start`, M, is what the frame began with. For motions in space: their tracker keeps the
/// geometric mean of all depths, among them those that nothing is seen of, which lets the scale
/// drift by a percent a frame; what most of the depths say is better. Ratios that are not above 0
/// and finite do not count; where none does nothing changes.
///
/// Never fences, never allocates. Throws std::invalid_argument for wrong extents.
template <ExecutionSpace ExecSpace, class StartView, class State>
void keep_scale_async(ExecSpace const& exec, StartView const& start, State const& state) {
  detail::assert_carried_state<ExecSpace, State>();
  static_assert(ReadableView<StartView, ExecSpace, 1>,
                "carroll::keep_scale_async: start must be a strided View of float or double, of "
                "rank 1, in memory that the execution space can access");
  constexpr char const* function = "carroll::keep_scale_async";
  auto const length = [](auto const& view) { return static_cast<long long>(view.extent(0)); };
  auto const stride = [](auto const& view) { return static_cast<std::int64_t>(view.stride(0)); };
  detail::require_extents(function, "state.motion", {length(state.motion)}, {12});
  detail::require_extents(function, "start", {length(start)}, {length(state.inverse_depth)});
  detail::require_size(function, "state.inverse_depth", length(start));
  using Depth = typename decltype(State::inverse_depth)::non_const_value_type;
  using Kernel =
      detail::KeepScaleKernel<ExecSpace, Depth, typename StartView::non_const_value_type>;
  constexpr int threads = detail::lanes<ExecSpace> == 1 ? 1 : 512;
  detail::launch_teams("carroll::carry_depths::keep_scale", exec,
                       Kernel{start.data(), stride(start), state.motion.data(),
                              stride(state.motion), state.inverse_depth.data(),
                              stride(state.inverse_depth), static_cast<int>(length(start))},
                       {.threads = threads});
}

}  // namespace carroll
