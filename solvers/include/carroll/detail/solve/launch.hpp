// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/dispatch.hpp>
#include <carroll/detail/solve/host_batch/kernel.hpp>
#include <carroll/detail/solve/team/kernel.hpp>
#include <carroll/detail/solve/tiled/launch.hpp>
#include <carroll/detail/solve/warp/kernel.hpp>
#include <cstdint>

namespace carroll::detail {

/// Workspace of a system for the kernels of its path; members begin at cache lines.
template <class Value>
std::int64_t solve_reals(SolvePath path, SolveExtents const& extents,
                         [[maybe_unused]] bool condition) {
  std::int64_t reals = 0;
  if (path == SolvePath::team) reals = SolveStorage<Value>::reals(extents.n, extents.columns);
  if (path == SolvePath::tiled) reals = SolveTileStorage<Value>::reals(extents, condition);
  constexpr std::int64_t line = 128 / int{sizeof(RealOf<Value>)};
  return (reals + line - 1) / line * line;
}

/// All systems on the kernels of `path`. Never fences, never allocates.
template <class ExecSpace, class Value>
void enqueue_solve(ExecSpace const& exec, SolveBatch<Value> const& batch, SolvePath path) {
  if constexpr (solve_backend<ExecSpace> == SolveBackend::host)
    if (path == SolvePath::host_batch) return enqueue_solve_host_batch(exec, batch);
  if constexpr (solve_backend<ExecSpace> == SolveBackend::warps) {
    if (path == SolvePath::warp) return enqueue_solve_warp(exec, batch);
    if (path == SolvePath::tiled) return enqueue_solve_tiled(exec, batch);
  }
  enqueue_solve_team(exec, batch);
}

}  // namespace carroll::detail
