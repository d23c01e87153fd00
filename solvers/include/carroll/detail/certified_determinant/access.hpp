// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/certified_determinant/workspace.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/certified_determinant/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <span>
#include <string>

/// What AccessTo<CertifiedDeterminantWorkspace> declares.
namespace carroll::detail {

template <class ExecSpace, class Real>
auto AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>::make(
    ExecSpace const& exec, char const* function, CertifiedDeterminantExtents const& extents)
    -> Workspace {
  require_size(function, "the batch", extents.batch);
  require_size(function, "the order", extents.n);
  constexpr int largest = 1 << 26;  // up to which all bounds hold, see problem.hpp
  require(extents.n <= largest, function, [&] {
    return "the order is " + std::to_string(extents.n) + ", must be at most " +
           std::to_string(largest);
  });
  Workspace w;
  w.extents_ = extents;
  w.plan_ = CertifiedPlan::of(exec, extents.n, extents.batch);
  w.memory_.n = static_cast<int>(extents.n);
  w.bytes_ = allocate_arena(exec, "carroll::certified_determinant::workspace", [&](Arena& arena) {
    w.memory_.lay_out(arena, w.plan_.slots);
    w.infos_.lay_out(arena, extents.batch);
  });
  w.infos_.allocate_host("carroll::certified_determinant::host_infos", extents.batch);
  return w;
}

template <class ExecSpace, class Real>
CertifiedBatch<Real> AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>::batch(
    Workspace const& w, StridedBatch<Real const> const& A) {
  CertifiedBatch<Real> batch;
  batch.source = A;
  batch.n = static_cast<int>(w.extents_.n);
  batch.members = static_cast<int>(w.extents_.batch);
  batch.infos = w.infos_.data();
  return batch;
}

template <class ExecSpace, class Real>
void AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>::enqueue(
    ExecSpace const& exec, CertifiedBatch<Real> const& batch, Workspace const& w) {
  enqueue_certified(exec, batch, w.memory_, w.plan_);
}

}  // namespace carroll::detail
