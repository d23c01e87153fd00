// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/concepts.hpp>
#include <carroll/mesh_jacobian_types.hpp>

/// SIGNATURES (bodies follow). Usage by a tracker:
///
///   auto mesh = carroll::mesh_triangulation(exec, triangles /*T×3 int device View*/, m);   // once
///   auto workspace = carroll::mesh_workspace<float>(exec, mesh,
///                        {.problems = 1, .frames = 1, .rows = n, .motions = 1}, options);    // once
///   each iteration, no fence, no allocation:
///     carroll::mesh_moments_async(exec, triangle_offsets, rows, workspace, active = none);
///     carroll::mesh_step_async(exec, carroll::ArrowSolution{y, xi}, info, workspace,
///                              carroll::MeshControls{damping, prior, active});
/// The workspace keeps the triangulation (m, T come from it). mesh_step_async may be called again
/// with another damping on the same moments.
///
/// `rows` is the row functor: rows(frame, triangle), frame = problem·F + f, returns an object with
/// what the rows of a triangle have in common; called with the row it returns MeshRow<Real, K>:
///
///   struct Rows {
///     KOKKOS_FUNCTION OfTriangle operator()(int frame, int triangle) const;
///   };
///   struct OfTriangle {
///     KOKKOS_FUNCTION carroll::MeshRow<float, 1> operator()(int row) const;   // 0 <= row < n
///   };
///
/// Rows are sorted by triangle: rows triangle_offsets(t) <= row < triangle_offsets(t+1).
/// triangle_offsets: int View of T+1, or (problems·F)×(T+1). y: k·F (or problems×(k·F)), frame by
/// frame; xi: m (or problems×m). info: View<MeshInfo<Real>> of rank 0, or rank 1 for a batch
/// (workspace.extents().problems entries; rank 0 only for one problem).
/// x solves min ‖√w(Ax - d)‖² + λ‖x‖² + smoothness; a Gauss-Newton step is -x.
