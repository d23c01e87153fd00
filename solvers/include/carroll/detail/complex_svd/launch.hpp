// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/dispatch.hpp>
#include <carroll/detail/complex_svd/team/kernel.hpp>
#include <carroll/detail/complex_svd/warp/kernel.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/workspace.hpp>

namespace carroll::detail {

/// Every member on the kernels of this path. Never fences, never allocates.
template <class ExecSpace, class Real>
void enqueue_complex_svd(ExecSpace const& exec, ComplexSvdBatch<Real> batch, SvdPath path,
                         SvdOptions const& options) {
  if constexpr (has_warps<ExecSpace>) {
    if (path == SvdPath::warp) {
      set_to_zero(exec, batch.fallback.count, 1);
      enqueue_complex_svd_warp(exec, batch, options);
      return enqueue_complex_svd_team(exec, batch, options);
    }
  }
  batch.fallback = {};
  enqueue_complex_svd_team(exec, batch, options);
}

}  // namespace carroll::detail
