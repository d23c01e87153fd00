// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/svd.hpp>

/// `svd`: its workspaces, and what enqueues kernels.
#define CARROLL_SVD_INSTANCE(TEMPLATE, Real)                                        \
  TEMPLATE void carroll::detail::enqueue_svd<Kokkos::DefaultExecutionSpace>(        \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::SvdBatch<Real> const&, \
      carroll::detail::SvdPlan const&, carroll::SvdOptions const&,                  \
      carroll::detail::SvdStarts<Kokkos::DefaultExecutionSpace> const&);            \
  TEMPLATE struct carroll::detail::AccessTo<                                        \
      carroll::SvdWorkspace<Kokkos::DefaultExecutionSpace, Real>>

CARROLL_SVD_INSTANCE(extern template, float);
CARROLL_SVD_INSTANCE(extern template, double);
