// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/svd/common/shape_list.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/fused/kernel.hpp>
#include <carroll/detail/svd/host_batch/kernel.hpp>
#include <carroll/detail/svd/host_block/kernel.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/slim/factor.hpp>
#include <carroll/detail/svd/slim/memory.hpp>
#include <carroll/detail/svd/study/launch.hpp>
#include <carroll/detail/svd/team/fallback.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/svd/tiled/launch.hpp>
#include <carroll/detail/svd/warp/kernel.hpp>
#include <type_traits>

namespace carroll::detail {

/// The kernel of a class of shapes, of which the members are those of a bin, if there are any.
template <class Kernel, class ExecSpace, class Real>
void enqueue_class(char const* label, int bin, ExecSpace const& exec, SvdBatch<Real> const& batch,
                   SvdPlan const& plan, SvdOptions const& options) {
  int const count = plan.size(bin);
  if (count == 0) return;
  int const* const members = plan.members(bin);
  if (!members && !Kernel::is_alone(members, count)) enqueue_fallback_list(exec, batch, nullptr, 0);
  Kernel const kernel(batch, members, count, static_cast<Real>(options.tolerance),
                      options.max_sweeps);
  Kokkos::parallel_for(label, kernel.policy(exec, plan.bounds(bin).cols), kernel);
}

/// The kernels of all classes of shapes, the first of which has bin `first`.
template <template <class, class, class> class Kernel, class ExecSpace, class Real, bool by_team,
          class... Shapes>
void enqueue_classes(char const* label, ShapeList<by_team, Shapes...>, int first,
                     ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                     SvdOptions const& options) {
  int bin = first;
  (enqueue_class<Kernel<ExecSpace, Real, Shapes>>(label, bin++, exec, batch, plan, options), ...);
}

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

/// Enqueues a decomposition: every member on the kernels that the plan has for it, then the team
/// kernels on those that are left. Never allocates, and fences for `spectral` alone. `starts`: of
/// the members that the plan has for `eigenbasis` and `spectral`.
template <class ExecSpace, class Real>
void enqueue_svd(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                 SvdOptions const& options, SvdStarts<ExecSpace> const& starts) {
  SvdBounds const& all = plan.all();
  if (all.members == 0) return;
  if (options.method != SvdMethod::preconditioned) return enqueue_study(exec, batch, all, options);
  if (plan.size(SvdPlan::team) == all.members) return enqueue_team(exec, batch, all, options);
  // Kernels of warps and fused ones begin a list themselves, if need be, for a uniform batch.
  if (plan.is_sorted() || !plan.any_before(SvdPlan::tiled))
    enqueue_fallback_list(exec, batch, plan.members(SvdPlan::team), plan.size(SvdPlan::team));
  if constexpr (has_warps<ExecSpace>) {
    if constexpr (has_warp_kernels<Real>) {
      enqueue_classes<WholeWarpKernel>("carroll::svd::warp", WarpClasses{}, SvdPlan::warp, exec,
                                       batch, plan, options);
      enqueue_slim(exec, batch, plan, options, QrSlimShapes{});
    }
    enqueue_classes<FusedKernel>("carroll::svd::fused", FusedClasses<Real>{}, SvdPlan::fused, exec,
                                 batch, plan, options);
    enqueue_tiles(exec, batch, plan, options, starts);
  }
  if constexpr (svd_backend<ExecSpace> == SvdBackend::host) {
    enqueue_host_batch(exec, batch, plan, options);
    enqueue_host_blocks(exec, batch, plan, options);
  }
  enqueue_fallback(exec, batch, all, options);
}

}  // namespace carroll::detail
