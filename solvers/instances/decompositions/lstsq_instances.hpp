// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/lstsq.hpp>

#include "decompositions/complex_svd_instances.hpp"
#include "decompositions/qr_instances.hpp"
#include "gemm_instances.hpp"

/// `lstsq` and `pinv`: their workspaces, and what enqueues kernels.
#define CARROLL_LSTSQ_INSTANCE(TEMPLATE, T)                                    \
  TEMPLATE void carroll::detail::enqueue_lstsq<Kokkos::DefaultExecutionSpace>( \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::LstsqBatch<T>,    \
      carroll::detail::LstsqSteps<Kokkos::DefaultExecutionSpace, T> const&);   \
  TEMPLATE struct carroll::detail::AccessTo<                                   \
      carroll::LstsqWorkspace<Kokkos::DefaultExecutionSpace, T>>

CARROLL_LSTSQ_INSTANCE(extern template, float);
CARROLL_LSTSQ_INSTANCE(extern template, double);
CARROLL_LSTSQ_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_LSTSQ_INSTANCE(extern template, Kokkos::complex<double>);
