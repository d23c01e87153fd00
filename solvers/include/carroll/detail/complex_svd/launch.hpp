// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/dispatch.hpp>
#include <carroll/detail/complex_svd/team/kernel.hpp>

namespace carroll::detail {

/// Every member on the kernels of this path. Never fences, never allocates.
template <class ExecSpace, class Real>
void enqueue_complex_svd(ExecSpace const& exec, ComplexSvdBatch<Real> const& batch, SvdPath,
                         SvdOptions const& options) {
  enqueue_complex_svd_team(exec, batch, options);
}

}  // namespace carroll::detail
