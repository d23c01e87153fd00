// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/dispatch.hpp>
#include <carroll/detail/complex_svd/host_batch/kernel.hpp>
#include <carroll/detail/complex_svd/host_block/kernel.hpp>
#include <carroll/detail/complex_svd/team/kernel.hpp>
#include <carroll/detail/complex_svd/warp/kernel.hpp>
#include <carroll/detail/workspace.hpp>

namespace carroll::detail {

/// Every member on the kernels of this path, and on the team kernel what is left over. Never
/// fences, never allocates.
template <class ExecSpace, class Real>
void enqueue_complex_svd(ExecSpace const& exec, ComplexSvdBatch<Real> batch, SvdPath path,
                         SvdOptions const& options) {
  if (path == SvdPath::team)
    batch.fallback = {};
  else
    set_to_zero(exec, batch.fallback.count, 1);
  if constexpr (complex_svd_backend<ExecSpace> == ComplexSvdBackend::host) {
    if (path == SvdPath::host_batch) enqueue_complex_svd_host_batch(exec, batch, options);
    if (path == SvdPath::host_block) enqueue_complex_svd_host_blocks(exec, batch, options);
  }
  if constexpr (complex_svd_backend<ExecSpace> == ComplexSvdBackend::warps)
    if (path == SvdPath::warp) enqueue_complex_svd_warp(exec, batch, options);
  enqueue_complex_svd_team(exec, batch, options);
}

}  // namespace carroll::detail
