// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/deflation.hpp>
#include <carroll/detail/eigh/divided/leaves.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/eigh/divided/product.hpp>
#include <carroll/detail/eigh/divided/secular.hpp>
#include <carroll/detail/eigh/divided/tree.hpp>
#include <carroll/detail/eigh/divided/weights.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// The merges of a level: five launches, each over all of them.
template <class ExecSpace, class Real>
void enqueue_divided_merges(ExecSpace const& exec, DividedLevel<Real> level, int members,
                            int rows) {
  int const merges = members * level.merges, chunks = (rows + 31) / 32;
  level.chunks = 1;
  launch_fitting_teams("carroll::eigh::divided_deflation", exec,
                       DividedDeflationKernel<ExecSpace, Real>(level),
                       {merges, lanes<ExecSpace> == 1 ? 1 : std::clamp(chunks, 1, 8)});
  level.chunks = chunks;
  TeamLaunch const lanes_apart{.count = merges * chunks, .lanes = lanes<ExecSpace>};
  launch_teams("carroll::eigh::divided_secular", exec, DividedSecularKernel<ExecSpace, Real>(level),
               lanes_apart);
  launch_teams("carroll::eigh::divided_weights", exec, DividedWeightsKernel<ExecSpace, Real>(level),
               lanes_apart);
  launch_teams("carroll::eigh::divided_places", exec, DividedPlacesKernel<ExecSpace, Real>(level),
               lanes_apart);
  auto const multiply = [&](auto size) {
    using Kernel = DividedProductKernel<ExecSpace, Real, decltype(size)::value>;
    level.chunks = Kernel::tiles(rows);
    launch_teams("carroll::eigh::divided_product", exec, Kernel(level),
                 {.count = merges * level.chunks,
                  .threads = lanes<ExecSpace> == 1 ? 1 : Kernel::threads,
                  .scratch = Kernel::scratch_bytes()});
  };
  if (rows <= 64)
    multiply(std::integral_constant<int, 32>{});
  else
    multiply(std::integral_constant<int, 64>{});
}

/// T = S·diag(d)·Sᵀ of the first `members` members of a batch, of order n at most, in their
/// DividedStorage: d and e are read; d, ascending, S, and messages steps and done are written. T's
/// entries are of at most about 1. Enqueues kernels; never fences, never allocates.
///
/// Cost: 1 + 5·log₂(n/32) launches, at most 4n³/3 flops of products and 5.4·32·n² of leaves.
template <class ExecSpace, class Real>
void enqueue_divided_steps(ExecSpace const& exec, EighBatch<Real> const& batch, int members,
                           int n) {
  if (members == 0 || n == 0) return;
  DivideTree const tree(n);
  using Leaves = DividedLeavesKernel<ExecSpace, Real>;
  launch_teams("carroll::eigh::divided_leaves", exec, Leaves(batch, tree.leaves()),
               {.count = members * tree.leaves(),
                .scratch = Leaves::scratch_bytes(),
                .lanes = lanes<ExecSpace>});
  for (int level = 1; level <= tree.levels; ++level) {
    // Smaller members of a ragged batch may have larger parts.
    int const rows =
        batch.slots ? std::min(n, most_leaf_rows << level) : tree.largest_part(tree.levels - level);
    enqueue_divided_merges<ExecSpace, Real>(exec, {batch, level, tree.merges_at(level), 1}, members,
                                            rows);
  }
}

}  // namespace carroll::detail
