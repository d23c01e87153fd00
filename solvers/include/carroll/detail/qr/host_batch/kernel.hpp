// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/field.hpp>
#include <carroll/detail/host_groups.hpp>
#include <carroll/detail/host_lanes.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/host_batch/groups.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstddef>

namespace carroll::detail {

/// The factorisation of small matrices, all of it in one kernel: Householder reflectors (Golub and
/// Van Loan, 5.2). `width` matrices stand side by side in the lanes of the vector registers; a
/// group of them is the work of one thread and stays in its cache. Reflectors are applied two by
/// two to four columns at a time, which are read and written once for both.
///
/// 2mn² - 2n³/3 flops to find R, as many for thin Q, n roots and 2n divisions; half as many again
/// for R with pivoting; of complex numbers four times as many. A is read once, Q and R are written
/// once; the working set of a group is mn + 4m + 8n registers, of complex numbers 2mn + 4m + 10n.
template <class Value>
struct QrHostBatch {
  QrBatch<Value> batch;
  QrBounds bounds;

  [[nodiscard]] std::size_t packs() const {
    return simd::qr_room<simd::lane_parts<Value>>(bounds.entries, bounds.rows, bounds.cols);
  }

  template <int Bytes>
  void run(int begin, int end, void* room) const {
    using Pack = carroll::detail::Pack<RealOf<Value>, Bytes>;
    simd::QrGroups<Value, Pack>(batch).run(begin, end, static_cast<Pack*>(room));
  }
};

template <class ExecSpace, class Value>
void enqueue_qr_host_batch(ExecSpace const& exec, QrBatch<Value> batch, QrPlan const& plan) {
  QrBounds const& bounds = plan.bounds(QrFamily::host_batch);
  if (bounds.members == 0) return;
  batch.selection = plan.members(QrFamily::host_batch);
  launch_host_groups<RealOf<Value>>("carroll::qr::host_batch", exec,
                                    QrHostBatch<Value>{batch, bounds}, bounds.members, 1);
}

}  // namespace carroll::detail
