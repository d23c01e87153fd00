// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/leaves.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/eigh/divided/product.hpp>
#include <carroll/detail/eigh/divided/secular.hpp>
#include <carroll/detail/eigh/divided/steps.hpp>
#include <carroll/detail/eigh/divided/tree.hpp>
#include <carroll/detail/eigh/divided/weights.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// The merges of one level, of all members.
template <class ExecSpace, class Real>
class DividedMerges {
 public:
  /// `rows`: of a merge, at most.
  DividedMerges(ExecSpace const& exec, DividedLevel<Real> const& level, int members, int rows)
      : exec_(exec), level_(level), merges_(members * level.merges), rows_(rows) {}

  void enqueue() {
    if (rows_ <= most_small) {
      // As many threads as one merge can use, or teams side by side where there are many. First
      // choices, not tuned.
      if (rows_ > 32 && merges_ <= 256)
        enqueue_small<64>();
      else
        enqueue_small<16>();
    } else {
      level_.chunks = 1;
      launch_fitting_teams("carroll::eigh::divided_deflation", exec_,
                           DividedDeflationKernel<ExecSpace, Real>(level_),
                           {merges_, lanes<ExecSpace> == 1 ? 1 : 8});
      enqueue_step<DividedRoot>();
      enqueue_step<DividedWeight>();
      enqueue_step<DividedPlace>();
    }
    if (rows_ <= 64)
      enqueue_product<32>();
    else
      enqueue_product<64>();
  }

 private:
  /// Rows up to which a team takes all steps of a merge: larger ones have work for several.
  static constexpr int most_small = 128;

  template <int Threads>
  void enqueue_small() {
    using Kernel = DividedSmallKernel<ExecSpace, Real, Threads>;
    level_.chunks = 1;
    launch_teams("carroll::eigh::divided_small", exec_, Kernel(level_),
                 {.count = merges_, .threads = Kernel::threads, .lanes = divided_lanes<ExecSpace>});
  }

  template <class Step>
  void enqueue_step() {
    using Kernel = DividedStepKernel<ExecSpace, Real, Step>;
    level_.chunks = Kernel::chunks(rows_);
    launch_teams(Step::label, exec_, Kernel(level_),
                 {.count = merges_ * level_.chunks,
                  .threads = Kernel::threads,
                  .lanes = divided_lanes<ExecSpace>});
  }

  template <int Size>
  void enqueue_product() {
    using Kernel = DividedProductKernel<ExecSpace, Real, Size>;
    level_.chunks = Kernel::tiles(rows_);
    launch_teams("carroll::eigh::divided_product", exec_, Kernel(level_),
                 {.count = merges_ * level_.chunks,
                  .threads = lanes<ExecSpace> == 1 ? 1 : Kernel::threads,
                  .scratch = Kernel::scratch_bytes()});
  }

  ExecSpace exec_;
  DividedLevel<Real> level_;
  int merges_, rows_;
};

/// T = S·diag(d)·Sᵀ of the first `members` members of a batch, of order n at most, in their
/// DividedStorage: d and e are read; d, ascending, S, and messages steps and done are written. T's
/// entries are of at most about 1. Enqueues kernels; never fences, never allocates.
///
/// Cost: a launch for the leaves, two a level up to 128 rows, five for each of the others; at most
/// 4n³/3 flops of products, and some 10·n² quotients.
template <class ExecSpace, class Real>
void enqueue_divided_steps(ExecSpace const& exec, EighBatch<Real> const& batch, int members,
                           int n) {
  if (members == 0 || n == 0) return;
  DivideTree const tree(n);
  using Leaves = DividedLeavesKernel<ExecSpace, Real>;
  launch_teams("carroll::eigh::divided_leaves", exec, Leaves(batch, members, tree.leaves()),
               {.count = Leaves::teams(members, tree.leaves()),
                .threads = Leaves::leaves_of_team,
                .scratch = Leaves::scratch_bytes()});
  for (int level = 1; level <= tree.levels; ++level) {
    // Smaller members of a ragged batch may have larger parts.
    int const rows =
        batch.slots ? std::min(n, most_leaf_rows << level) : tree.largest_part(tree.levels - level);
    DividedMerges<ExecSpace, Real>(exec, {batch, level, tree.merges_at(level), 1}, members, rows)
        .enqueue();
  }
}

}  // namespace carroll::detail
