// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/svd/common/classes.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/slim/factor.hpp>
#include <carroll/detail/svd/slim/memory.hpp>
#include <carroll/detail/svd/warp/classes.hpp>
#include <carroll/detail/svd/warp/kernel.hpp>
#include <type_traits>

namespace carroll::detail {

/// Of the triangles of a class.
template <class Shape>
using SlimTriangleShape =
    std::conditional_t<Shape::cols == 4, WarpOf4,
                       std::conditional_t<Shape::cols == 8, WarpOf8, WarpOf16>>;

/// Small matrices that are longer than wide: A = Q·R with rows in lanes, the decomposition of R as
/// of any small matrix, and Q times its left vectors.
template <class ExecSpace, class Real, class Shape>
void enqueue_slim_class(ExecSpace const& exec, SvdBatch<Real> batch, SvdPlan const& plan,
                        SvdOptions const& options, int bin) {
  static_assert(Shape::cols <= SlimTriangleShape<Shape>::cols);
  int const members = plan.size(bin);
  if (members == 0) return;
  batch.selection = plan.members(bin);
  SlimFactorKernel<ExecSpace, Real, Shape> const factor(batch, members);
  launch_teams("carroll::svd::slim::factor", exec, factor, factor.teams());
  using Triangles = WarpKernel<ExecSpace, Real, SlimTriangleShape<Shape>, SlimTriangle<Real>>;
  enqueue_class<Triangles>("carroll::svd::slim::triangle", bin, exec, batch, plan, options);
  if (batch.u_wanted == SvdVectors::none && batch.v_wanted == SvdVectors::none) return;
  SlimLeftKernel<ExecSpace, Real, Shape> const left(batch, members);
  launch_teams("carroll::svd::slim::left", exec, left, left.teams());
}

template <class ExecSpace, class Real, class... Shapes>
void enqueue_slim(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                  SvdOptions const& options, QrSlimShapeList<Shapes...>) {
  int bin = SvdPlan::slim;
  (enqueue_slim_class<ExecSpace, Real, Shapes>(exec, batch, plan, options, bin++), ...);
}

}  // namespace carroll::detail
