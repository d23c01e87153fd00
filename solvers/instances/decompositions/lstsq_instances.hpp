// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/lstsq.hpp>

#include "gemm_instances.hpp"
#include "svd_instances.hpp"

/// `lstsq` and `pinv`: their workspaces, and what enqueues kernels.
#define CARROLL_LSTSQ_INSTANCE(TEMPLATE, Real)                                  \
  TEMPLATE void carroll::detail::enqueue_lstsq<Kokkos::DefaultExecutionSpace>(  \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::LstsqBatch<Real>,  \
      carroll::detail::LstsqSteps<Kokkos::DefaultExecutionSpace, Real> const&); \
  TEMPLATE struct carroll::detail::AccessTo<                                    \
      carroll::LstsqWorkspace<Kokkos::DefaultExecutionSpace, Real>>

CARROLL_LSTSQ_INSTANCE(extern template, float);
CARROLL_LSTSQ_INSTANCE(extern template, double);
