// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/field.hpp>
#include <carroll/detail/host_groups.hpp>
#include <carroll/detail/host_lanes.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/host_batch/groups.hpp>
#include <cstddef>

namespace carroll::detail {

/// Small systems, all of it in one kernel: elimination with partial pivoting (Golub and Van Loan,
/// 3.4). `width` systems stand side by side in the lanes of the vector registers; a group of them
/// is the work of one thread and stays in its cache. Columns go four by four through all steps.
///
/// 2n³/3 flops to eliminate, with as many selections as products, 2n² for each right-hand side and
/// some 10n² for the condition's estimate; n divisions. A and B are read once, X is written once;
/// the working set of a group is n² + 8n registers. Of complex numbers four times as many flops and
/// twice as many registers.
template <class Value>
struct SolveHostBatch {
  SolveBatch<Value> batch;

  [[nodiscard]] std::size_t packs() const {
    return simd::solve_room<simd::lane_parts<Value>>(batch(0).n);
  }

  template <int Bytes>
  void run(int begin, int end, void* room) const {
    using Pack = carroll::detail::Pack<RealOf<Value>, Bytes>;
    simd::SolveGroups<Value, Pack>(batch).run(begin, end, static_cast<Pack*>(room));
  }
};

template <class ExecSpace, class Value>
void enqueue_solve_host_batch(ExecSpace const& exec, SolveBatch<Value> const& batch) {
  launch_host_groups<RealOf<Value>>("carroll::solve::host_batch", exec,
                                    SolveHostBatch<Value>{batch},
                                    static_cast<int>(batch.x.extents[0]), 1);
}

}  // namespace carroll::detail
