// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/fused/kernel.hpp>
#include <carroll/detail/svd/host_batch/kernel.hpp>
#include <carroll/detail/svd/host_block/kernel.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/svd/tiled/launch.hpp>
#include <carroll/detail/svd/warp/kernel.hpp>

namespace carroll::detail {

/// On devices with warps: every member on its path, then the team kernels on those that are left.
template <class ExecSpace, class Real>
void enqueue_paths(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                   SvdOptions const& options) {
  PathBins const& bins = bounds.bins;
  auto const members_of = [&](int bin) {
    return bounds.binned ? bounds.binned + bins.first[bin] : nullptr;
  };
  // The warp path and the fused one begin a list themselves, if need be, for a uniform batch.
  if (bounds.binned || bins.size(PathBins::tiles) > 0)
    enqueue_fallback_list(exec, batch, members_of(PathBins::team), bins.size(PathBins::team));
  if constexpr (has_warp_path<ExecSpace, Real>)
    enqueue_warp_classes(
        WarpClasses{}, exec, batch, bounds.binned, usable_tolerance<Real>(options),
        options.max_sweeps, [&](int k) { return bins.first[k]; },
        [&](int k) { return bins.size(k); });
  enqueue_fused_classes(
      FusedClasses<Real>{}, exec, batch, bounds.binned, bounds.tile_cols,
      usable_tolerance<Real>(options), options.max_sweeps,
      [&](int k) { return bins.first[PathBins::fused + k]; },
      [&](int k) { return bins.size(PathBins::fused + k); });
  if (int const count = bins.size(PathBins::tiles); count > 0) {
    SvdBatch<Real> tiles = batch;
    tiles.selection = members_of(PathBins::tiles);
    enqueue_tiles(exec, tiles, {count, bounds.tile_rows, bounds.tile_cols}, options);
  }
  enqueue_fallback(exec, batch, bounds, options);
}

/// On hosts: every member on its path, then the team kernels on those that are left.
template <class ExecSpace, class Real>
void enqueue_host_paths(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                        SvdOptions const& options) {
  // Ragged members differ: both kernels see all of them, and each takes its own.
  SvdPath const path = choose_path<ExecSpace, Real>(options, bounds.rows, bounds.cols);
  if (!batch.slots && path == SvdPath::team) return enqueue_team(exec, batch, bounds, options);
  enqueue_fallback_list(exec, batch, nullptr, 0);
  if (has_registers(options) && bounds.cols > 0 && (batch.slots || path == SvdPath::registers))
    enqueue_simd(exec, batch, bounds, usable_tolerance<Real>(options), options.max_sweeps);
  if (batch.slots || path == SvdPath::tiles)
    launch_fitting_teams(
        "carroll::svd::host_blocks", exec,
        HostBlocksKernel<ExecSpace, Real>(batch, options, usable_tolerance<Real>(options)),
        {bounds.members, team_threads(exec, bounds.members, bounds.cols)});
  enqueue_fallback(exec, batch, bounds, options);
}

/// Enqueues a decomposition. Never fences, never allocates.
template <class ExecSpace, class Real>
void enqueue_svd(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                 SvdOptions const& options) {
  if (bounds.members == 0) return;
  if constexpr (lanes<ExecSpace> == 1) {
    if (has_registers(options) || has_tiles(options))
      return enqueue_host_paths(exec, batch, bounds, options);
  }
  if constexpr (has_warps<ExecSpace>) {
    if (bounds.bins.size(PathBins::team) < bounds.members)
      return enqueue_paths(exec, batch, bounds, options);
  }
  enqueue_team(exec, batch, bounds, options);
}

}  // namespace carroll::detail
