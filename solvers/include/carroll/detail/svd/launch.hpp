// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/common/classes.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/fused/kernel.hpp>
#include <carroll/detail/svd/host_batch/kernel.hpp>
#include <carroll/detail/svd/host_block/kernel.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/slim/launch.hpp>
#include <carroll/detail/svd/study/launch.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/svd/tiled/launch.hpp>
#include <carroll/detail/svd/warp/kernel.hpp>

namespace carroll::detail {

/// Enqueues a decomposition: every member on the kernels that the plan has for it, then the team
/// kernels on those that are left. Never allocates, and fences for `spectral` alone, which is there
/// if the plan has members for it.
template <class ExecSpace, class Real>
void enqueue_svd(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                 SvdOptions const& options, SvdSpectralStart<ExecSpace> const* spectral) {
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
    enqueue_tiles(exec, batch, plan, options, spectral);
  }
  if constexpr (svd_backend<ExecSpace> == SvdBackend::host) {
    enqueue_host_batch(exec, batch, plan, options);
    enqueue_host_blocks(exec, batch, plan, options);
  }
  enqueue_fallback(exec, batch, all, options);
}

}  // namespace carroll::detail
