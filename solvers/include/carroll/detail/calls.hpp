// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/workspace.hpp>
#include <vector>

/// How entry points end whose Views are bound.
namespace carroll::detail {

/// Enqueues the problems and brings their infos to the host: the one of a matrix (Rank 2), or a
/// span of those of a batch, which lives until the workspace is used again.
template <int Rank, class ExecSpace, class Batch, class Workspace>
auto enqueue_and_fetch(ExecSpace const& exec, Batch const& batch, Workspace const& workspace) {
  using Access = AccessTo<Workspace>;
  Access::enqueue(exec, batch, workspace);
  auto const infos = Access::fetch_infos(exec, workspace);
  if constexpr (Rank == 2)
    return typename decltype(infos)::value_type(infos.front());
  else
    return infos;
}

/// The same where the workspace ends with the call: of a batch a vector.
template <int Rank, class ExecSpace, class Batch, class Workspace>
auto enqueue_and_copy(ExecSpace const& exec, Batch const& batch, Workspace const& workspace) {
  auto const infos = enqueue_and_fetch<Rank>(exec, batch, workspace);
  if constexpr (Rank == 2)
    return infos;
  else
    return std::vector(infos.begin(), infos.end());
}

}  // namespace carroll::detail
