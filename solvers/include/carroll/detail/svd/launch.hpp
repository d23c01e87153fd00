// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/launch_team.hpp>
#include <carroll/detail/svd/path.hpp>
#include <carroll/detail/svd/tile_launch.hpp>

namespace carroll::detail {

/// Enqueues a decomposition. Never fences, never allocates.
template <class ExecSpace, class Real>
void enqueue_svd(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                 SvdOptions const& options) {
  if (bounds.members == 0) return;
  if constexpr (has_warps<ExecSpace>) {
    if (!batch.slots &&
        choose_path<ExecSpace, Real>(options, bounds.rows, bounds.cols) == SvdPath::tiles) {
      enqueue_forget(exec, batch);
      enqueue_tiles(exec, batch, bounds, options);
      enqueue_remainder(exec, batch, bounds, options);
      return;
    }
  }
  enqueue_team(exec, batch, bounds, options);
}

}  // namespace carroll::detail
