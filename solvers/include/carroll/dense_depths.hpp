// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/camera.hpp>
#include <carroll/concepts.hpp>
#include <carroll/dense_depths/types.hpp>
#include <carroll/dense_depths/workspace.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/error.hpp>
#include <carroll/lens.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <cmath>
#include <concepts>
#include <string>

/// From depths at the vertices of a mesh to the depth of every pixel:
///
///   auto dense = carroll::dense_depths_workspace(exec, camera, mesh);              // once per
///   mesh carroll::dense_depths_async(exec, state.inverse_depth, depths, dense);         // once
///   per frame
///
/// In a triangle the scene is a plane: along the ray s of a pixel the inverse range is Σ wₖζₖ with
/// w = V⁻ᵀs, as the tracker has it for its samples.
namespace carroll {

/// Finds the triangle of `mesh` that each pixel of `camera`, a Camera or, for pictures that are not
/// rectified, a Lens, looks through. Holds 16 bytes a pixel, 12 a triangle and 4 a vertex;
/// allocates 128 a triangle besides, and fences `exec`: for once per mesh. Throws
/// std::invalid_argument for a camera without pixels and where a corner of a triangle is no vertex,
/// AllocationError for want of memory. O(pixels + T·pixels/256) operations.
///
/// Of several triangles that have a pixel the one counts that it is deepest in. Pixels up to 1e-10
/// rad beyond the border belong to it.
template <ExecutionSpace ExecSpace, class Viewer, class Mesh>
[[nodiscard]] DenseDepthsWorkspace<ExecSpace> dense_depths_workspace(ExecSpace const& exec,
                                                                     Viewer const& camera,
                                                                     Mesh const& mesh) {
  static_assert(
      detail::is_instance_of<Viewer, Camera> || detail::is_instance_of<Viewer, Lens>,
      "carroll::dense_depths_workspace: camera must be a carroll::Camera or a carroll::Lens");
  static_assert(detail::is_instance_of<Mesh, SphericalMesh>,
                "carroll::dense_depths_workspace: mesh must be a carroll::SphericalMesh");
  static_assert(AccessibleView<decltype(Mesh::vertices), ExecSpace>,
                "carroll::dense_depths_workspace: the mesh must be in memory that the execution "
                "space can access; carroll::mesh_on copies it there");
  return detail::AccessTo<DenseDepthsWorkspace<ExecSpace>>::make(exec, camera.template as<double>(),
                                                                 mesh);
}

/// Enqueues the depth of every pixel, and returns; `depths`, height×width of the camera, becomes
/// NaN where no triangle is, and may be read by later work on the same instance.
///
/// `inverse_depth`: a strided View of float or double, ζ of the M vertices; `depths`: a writable
/// one of float or double. They must not overlap. A depth of NaN leaves NaN in its triangles, and
/// one of 0 infinity where all three are. Sums are in double precision. O(1) operations and 32
/// bytes a pixel. Never fences, never allocates. Throws std::invalid_argument for wrong extents,
/// and a unit that is not above 0 and finite; nothing is enqueued then.
template <ExecutionSpace ExecSpace, class DepthView, class ResultView>
void dense_depths_async(ExecSpace const& exec, DepthView const& inverse_depth,
                        ResultView const& depths, DenseDepthsWorkspace<ExecSpace> const& workspace,
                        DenseDepthOptions const& options = {}) {
  static_assert(ReadableView<DepthView, ExecSpace, 1>,
                "carroll::dense_depths_async: inverse_depth must be a strided View of float or "
                "double, of rank 1, in memory that the execution space can access");
  static_assert(WritableView<ResultView, ExecSpace, 2>,
                "carroll::dense_depths_async: depths must be a writable strided View of float or "
                "double, of rank 2, in memory that the execution space can access");
  constexpr char const* function = "carroll::dense_depths_async";
  auto const length = [](auto const& view, int d) {
    return static_cast<long long>(view.extent(d));
  };
  detail::require_extents(function, "inverse_depth", {length(inverse_depth, 0)},
                          {static_cast<long long>(workspace.vertices())});
  detail::require_extents(function, "depths", {length(depths, 0), length(depths, 1)},
                          {workspace.height(), workspace.width()});
  detail::require(options.unit > 0 && std::isfinite(options.unit), function, [&] {
    return "options.unit is " + std::to_string(options.unit) + ", must be above 0 and finite";
  });
  detail::AccessTo<DenseDepthsWorkspace<ExecSpace>>::enqueue(exec, inverse_depth, depths, workspace,
                                                             options);
}

}  // namespace carroll
