// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant.hpp>

/// `certified_determinant`: its workspaces, and what enqueues kernels.
#define CARROLL_CERTIFIED_DETERMINANT_INSTANCE(TEMPLATE, Real)                            \
  TEMPLATE void carroll::detail::enqueue_certified<Kokkos::DefaultExecutionSpace>(        \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::CertifiedBatch<Real> const&, \
      carroll::detail::CertifiedMemory const&, carroll::detail::CertifiedPlan const&);    \
  TEMPLATE struct carroll::detail::AccessTo<                                              \
      carroll::CertifiedDeterminantWorkspace<Kokkos::DefaultExecutionSpace, Real>>

CARROLL_CERTIFIED_DETERMINANT_INSTANCE(extern template, float);
CARROLL_CERTIFIED_DETERMINANT_INSTANCE(extern template, double);
