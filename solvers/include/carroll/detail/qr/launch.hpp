// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/dispatch.hpp>
#include <carroll/detail/qr/host_batch/kernel.hpp>
#include <carroll/detail/qr/host_block/kernel.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/qr/slim/kernel.hpp>
#include <carroll/detail/qr/tall/launch.hpp>
#include <carroll/detail/qr/tall/member.hpp>
#include <carroll/detail/qr/team/kernel.hpp>
#include <carroll/detail/qr/tiled/launch.hpp>
#include <carroll/detail/qr/warp/kernel.hpp>
#include <cstdint>

namespace carroll::detail {

/// Workspace of a problem for the kernels of its family; members begin at cache lines.
template <class Value>
std::int64_t qr_reals(QrFamily family, QrExtents const& extents) {
  using Real = RealOf<Value>;
  std::int64_t reals = 0;
  if (family == QrFamily::team) reals = QrStorage<Value>::reals(extents);
  if (family == QrFamily::host_block) reals = QrBlockStorage<Real>::reals(extents);
  if (family == QrFamily::tiled) reals = QrTileStorage<Real>::reals(extents);
  if (family == QrFamily::tall) reals = QrTallMember<Real>::reals(extents);
  constexpr std::int64_t line = 128 / int{sizeof(Real)};
  return (reals + line - 1) / line * line;
}

/// Every member on the kernels that the plan has for it. Never fences, never allocates.
template <class ExecSpace, class Value>
void enqueue_qr(ExecSpace const& exec, QrBatch<Value> const& batch, QrPlan const& plan) {
  if constexpr (qr_backend<ExecSpace> == QrBackend::host) {
    enqueue_qr_host_batch(exec, batch, plan);
    if constexpr (!is_complex<Value>) enqueue_qr_host_block(exec, batch, plan);
  }
  if constexpr (qr_backend<ExecSpace> == QrBackend::warps) {
    enqueue_qr_warp(exec, batch, plan);
    if constexpr (!is_complex<Value>) {
      enqueue_qr_slim(exec, batch, plan);
      enqueue_qr_tiled(exec, batch, plan);
      enqueue_qr_tall(exec, batch, plan);
    }
  }
  enqueue_qr_team(exec, batch, plan);
}

}  // namespace carroll::detail
