// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/mesh_jacobian/launch.hpp>
#include <carroll/detail/mesh_jacobian/stored_rows.hpp>
#include <carroll/detail/mesh_jacobian/views.hpp>
#include <carroll/mesh_jacobian/types.hpp>
#include <carroll/mesh_jacobian/workspace.hpp>
#include <carroll/mesh_triangulation.hpp>
#include <span>
#include <vector>

/// The step of direct visual SLAM on a mesh: x = (y, ξ) minimises
///
///   ‖√w(Ax - d)‖² + λ‖x‖² + smoothness,   A = [B | U],
///
/// where U has three entries a row, in the columns of the corners of the row's triangle. A
/// Gauss-Newton step is -x. Rows come in triangle by triangle, n of them for m vertices and T
/// triangles, and are read or evaluated once: of each triangle 11 + 4k + k(k+1)/2 sums are left.
///
///   auto const mesh = carroll::mesh_triangulation(exec, triangles, m);               // once
///   auto workspace = carroll::mesh_workspace<float>(exec, mesh, {.rows = n});        // once
///   auto info = carroll::mesh_step(exec, triangle_offsets, rows, carroll::ArrowSolution{y, xi},
///                                  workspace);
///
/// `rows` is a row functor: rows(frame, triangle) returns an object with what the rows of a
/// triangle have in common, which kernels call with the number of a row, 0 <= row < n, for its
/// MeshRow<Real, k>. It is copied to the device, as Kokkos functors are:
///
///   struct Rows {
///     KOKKOS_FUNCTION OfTriangle operator()(int frame, int triangle) const;
///   };
///   struct OfTriangle {
///     KOKKOS_FUNCTION carroll::MeshRow<float, 1> operator()(int row) const;
///   };
///
/// On hosts 16 rows at a time come from OfTriangle::block, where there is one; rows from `count` on
/// are then not looked at:
///
///     template <int W>
///     void block(int first, int count, carroll::MeshRowBlock<float, 1, W>& rows) const;
///
/// Rows that are in memory are a MeshJacobian, with apply_pseudoinverse.
///
/// `triangle_offsets` (T+1 of int, or frames×(T+1) for frames with different ones) tells which rows
/// are a triangle's; the last one may be less than the workspace's n, the most rows of a frame. A
/// window of F frames on one mesh has k·F motion columns, those of frame f from y(f·k) on; frames
/// are counted over all problems, problem·F + f. y has k·F and ξ m entries, with the problem as
/// first index in batches.
///
/// Method: normal equations, since conjugate gradients solve those; sums in double precision.
/// Errors of the motion step grow with cond(A)², which in double precision leaves the digits of a
/// single-precision Jacobian up to cond(A) = 10⁴. See detail/mesh_jacobian/problem.hpp for the
/// formulas and costs. A vertex without rows, smoothness or damping has ξ = 0; where depths are
/// not determined otherwise (rows of all triangles around a vertex on one line) the step is one of
/// those that minimise, and smoothness or damping makes it unique. Motion columns that depend on
/// the others have y = 0, as far as MeshInfo::motion_rank does not count them.
///
/// Results are the same bits for every number of problems, place among them, layout, instance, team
/// size and thread count of one build. Misuse throws std::invalid_argument with the actual and the
/// required sizes before anything is written.
namespace carroll {

/// A mesh Jacobian in memory: Views of one frame's rows, or with the frame as first index.
///
///   carroll::MeshJacobian A{motion, depth, triangle_offsets};
template <class MotionView, class DepthView, class OffsetView, class WeightView = None>
struct MeshJacobian {
  using value_type = typename MotionView::non_const_value_type;

  MotionView motion;            ///< B: n×k, 1 <= k <= 8
  DepthView depth;              ///< n×3: entries in the columns of the triangle's corners 0, 1, 2
  OffsetView triangle_offsets;  ///< T+1 of int, rising from 0 to n
  [[no_unique_address]] WeightView weights = {};  ///< n weights w >= 0; none: 1
};

template <class M, class D, class O>
MeshJacobian(M, D, O) -> MeshJacobian<M, D, O>;
template <class M, class D, class O, class W>
MeshJacobian(M, D, O, W) -> MeshJacobian<M, D, O, W>;

namespace detail {

template <class ExecSpace, class Real, class Rows, class OffsetView, class ActiveView>
void enqueue_moments(char const* function, ExecSpace const& exec, OffsetView const& offsets,
                     Rows const& rows, MeshWorkspace<ExecSpace, Real>& workspace,
                     ActiveView const& active) {
  assert_mesh_offsets<ExecSpace, OffsetView, ActiveView>();
  static_assert(
      MeshRowFunctor<Rows>,
      "carroll::mesh_jacobian: rows(frame, triangle)(row) must return a carroll::MeshRow");
  auto batch = AccessTo<MeshWorkspace<ExecSpace, Real>>::batch(workspace);
  bind_mesh_offsets(function, batch, offsets, active);
  enqueue_mesh_moments(exec, batch, rows);
}

/// Rows of a functor have as many motion columns as the workspace was made for.
template <class Rows>
void require_motions(char const* function, MeshExtents const& made) {
  constexpr int k = MeshRowOf<Rows>::motions;
  require(k == made.motions, function, [&] {
    return "rows have " + std::to_string(int{k}) + " motion columns, the workspace was made for " +
           std::to_string(made.motions);
  });
}

/// The step with the infos in the workspace.
template <class ExecSpace, class Real, class Solution, class Controls>
MeshBatch<Real> bind_step(Binder& bind, Solution const& x,
                          MeshWorkspace<ExecSpace, Real> const& workspace,
                          Controls const& controls) {
  auto batch = AccessTo<MeshWorkspace<ExecSpace, Real>>::batch(workspace);
  bind_mesh_step(bind, batch, x, controls);
  return batch;
}

template <class ExecSpace, class A, class RhsView>
consteval void assert_mesh_jacobian() {
  static_assert(is_instance_of<A, MeshJacobian>,
                "carroll::apply_pseudoinverse: A must be a MeshJacobian");
  using Real = typename A::value_type;
  using Motion = decltype(A::motion);
  using Depth = decltype(A::depth);
  using Weights = decltype(A::weights);
  constexpr int rank = rank_of<Motion>();
  static_assert(RealScalar<Real> && is_view_of<Motion, ExecSpace, Real> && (rank == 2 || rank == 3),
                "carroll::apply_pseudoinverse: A.motion must be a strided View of float or double, "
                "of rank 2 (one frame) or 3, in memory that the execution space can access");
  static_assert(is_view_of<Depth, ExecSpace, Real> && rank_of<Depth>() == rank,
                "carroll::apply_pseudoinverse: A.depth must be a strided View of A.motion's scalar "
                "type and rank");
  static_assert(is_absent<Weights> ||
                    (is_view_of<Weights, ExecSpace, Real> && rank_of<Weights>() == rank - 1),
                "carroll::apply_pseudoinverse: A.weights must be carroll::none or a strided View "
                "of A.motion's scalar type, of one rank less");
  static_assert(is_view_of<RhsView, ExecSpace, Real> && rank_of<RhsView>() == rank - 1,
                "carroll::apply_pseudoinverse: d must be a strided View of A.motion's scalar type, "
                "of one rank less");
}

/// Fills in the functor of the rows in memory; `bind` knows what the step writes.
template <class Rows, class A, class RhsView>
void bind_stored_rows(Binder& bind, Rows& rows, MeshExtents const& made, A const& jacobian,
                      RhsView const& d) {
  constexpr bool batched = rank_of<decltype(A::motion)>() == 3;
  std::int64_t const frames = made.problems * made.frames, n = made.rows, k = made.motions;
  require(batched || frames == 1, bind.function(), [&] {
    return "the workspace is for " + std::to_string(frames) +
           " frames, A.motion must have the frame as first index";
  });
  bind.input(rows.motion, "A.motion", jacobian.motion, {frames, n, k});
  bind.input(rows.depth, "A.depth", jacobian.depth, {frames, n, 3});
  bind.input(rows.rhs, "d", d, {frames, n});
  bind.input(rows.weights, "A.weights", jacobian.weights, {frames, n});
}

/// Both halves of a step with rows in memory: checks all Views before anything is enqueued.
template <class ExecSpace, class Real, class A, class RhsView, class ActiveView, class Step>
void with_mesh_rows(Binder& bind, ExecSpace const& exec, A const& jacobian, RhsView const& d,
                    MeshBatch<Real> const& batch, MeshWorkspace<ExecSpace, Real>& workspace,
                    ActiveView const& active, Step const& step) {
  static_assert(std::same_as<typename A::value_type, Real>,
                "carroll::apply_pseudoinverse: the workspace must have the scalar type of A");
  with_stored_rows<Real>(bind.function(), batch.k, [&](auto rows) {
    bind_stored_rows(bind, rows, workspace.extents(), jacobian, d);
    enqueue_moments(bind.function(), exec, jacobian.triangle_offsets, rows, workspace, active);
    step();
  });
}

/// The infos of all problems, or that of the only one.
template <bool Batched, class ExecSpace, class Real>
auto mesh_infos(ExecSpace const& exec, MeshWorkspace<ExecSpace, Real> const& workspace) {
  auto const infos = AccessTo<MeshWorkspace<ExecSpace, Real>>::fetch_infos(exec, workspace);
  if constexpr (Batched)
    return infos;
  else
    return MeshInfo<Real>(infos.front());
}

}  // namespace detail

/// Enqueues the first half of a step on `exec`: evaluates all rows and leaves their sums by
/// triangle in the workspace, one kernel. Never fences, never allocates. With `active` (of int, one
/// per problem, on the device) the sums of problems with 0 stay as they are.
template <ExecutionSpace ExecSpace, class OffsetView, class Rows, class Real,
          class ActiveView = None>
void mesh_moments_async(ExecSpace const& exec, OffsetView const& triangle_offsets, Rows const& rows,
                        MeshWorkspace<ExecSpace, Real>& workspace, ActiveView const& active = {}) {
  constexpr char const* function = "carroll::mesh_moments_async";
  detail::require_motions<Rows>(function, workspace.extents());
  detail::enqueue_moments(function, exec, triangle_offsets, rows, workspace, active);
}

/// Enqueues the second half: the step from the sums in the workspace, four kernels, two or three on
/// CUDA for up to 1024 vertices. Never fences, never allocates; may be enqueued again with other
/// damping. `info` is a View of MeshInfo<Real>
/// that kernels can write, of rank 0, or 1 in a batch.
template <ExecutionSpace ExecSpace, class Solution, class InfoView, class Real,
          class Controls = MeshControls<>>
void mesh_step_async(ExecSpace const& exec, Solution const& x, InfoView const& info,
                     MeshWorkspace<ExecSpace, Real>& workspace, Controls const& controls = {}) {
  detail::assert_mesh_step<ExecSpace, Real, Solution, InfoView, Controls>();
  constexpr char const* function = "carroll::mesh_step_async";
  detail::Binder bind(function);
  auto batch = detail::bind_step(bind, x, workspace, controls);
  detail::bind_mesh_info(function, batch, info);
  detail::enqueue_mesh_step(exec, batch);
}

/// Both halves and one fence of `exec`, to return the info: MeshInfo for x of rank 1, otherwise a
/// span of them, valid until the workspace is used again. Allocates nothing.
template <ExecutionSpace ExecSpace, class OffsetView, class Rows, class Solution, class Real,
          class Controls = MeshControls<>>
[[nodiscard]] auto mesh_step(ExecSpace const& exec, OffsetView const& triangle_offsets,
                             Rows const& rows, Solution const& x,
                             MeshWorkspace<ExecSpace, Real>& workspace,
                             Controls const& controls = {}) {
  detail::assert_mesh_step<ExecSpace, Real, Solution, None, Controls>();
  constexpr char const* function = "carroll::mesh_step";
  detail::Binder bind(function);
  detail::require_motions<Rows>(function, workspace.extents());
  auto const batch = detail::bind_step(bind, x, workspace, controls);
  detail::enqueue_moments(function, exec, triangle_offsets, rows, workspace, controls.active);
  detail::enqueue_mesh_step(exec, batch);
  return detail::mesh_infos<detail::rank_of<decltype(x.motion)>() == 2>(exec, workspace);
}

/// The step for rows in memory, enqueued: both halves. Never fences, never allocates.
template <ExecutionSpace ExecSpace, class A, class RhsView, class Solution, class InfoView,
          class Real, class Controls = MeshControls<>>
void apply_pseudoinverse_async(ExecSpace const& exec, A const& jacobian, RhsView const& d,
                               Solution const& x, InfoView const& info,
                               MeshWorkspace<ExecSpace, Real>& workspace,
                               Controls const& controls = {}) {
  detail::assert_mesh_jacobian<ExecSpace, A, RhsView>();
  detail::assert_mesh_step<ExecSpace, Real, Solution, InfoView, Controls>();
  constexpr char const* function = "carroll::apply_pseudoinverse_async";
  detail::Binder bind(function);
  auto batch = detail::bind_step(bind, x, workspace, controls);
  detail::bind_mesh_info(function, batch, info);
  detail::with_mesh_rows(bind, exec, jacobian, d, batch, workspace, controls.active,
                         [&] { detail::enqueue_mesh_step(exec, batch); });
}

/// The step for rows in memory, and one fence of `exec`, to return the info, as mesh_step does.
template <ExecutionSpace ExecSpace, class A, class RhsView, class Solution, class Real,
          class Controls = MeshControls<>>
[[nodiscard]] auto apply_pseudoinverse(ExecSpace const& exec, A const& jacobian, RhsView const& d,
                                       Solution const& x, MeshWorkspace<ExecSpace, Real>& workspace,
                                       Controls const& controls = {}) {
  detail::assert_mesh_jacobian<ExecSpace, A, RhsView>();
  detail::assert_mesh_step<ExecSpace, Real, Solution, None, Controls>();
  constexpr char const* function = "carroll::apply_pseudoinverse";
  detail::Binder bind(function);
  auto const batch = detail::bind_step(bind, x, workspace, controls);
  detail::with_mesh_rows(bind, exec, jacobian, d, batch, workspace, controls.active,
                         [&] { detail::enqueue_mesh_step(exec, batch); });
  return detail::mesh_infos<detail::rank_of<decltype(x.motion)>() == 2>(exec, workspace);
}

}  // namespace carroll
