// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/pseudoinverse.hpp>

/// `apply_pseudoinverse` and `pseudoinverse`: their workspaces, and what launches kernels.
#define CARROLL_PSEUDOINVERSE_INSTANCE(TEMPLATE, Real)                                \
  TEMPLATE void carroll::detail::launch_step<Kokkos::DefaultExecutionSpace>(          \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::ArrowBatch<Real> const&, \
      carroll::detail::StepPlan const&);                                              \
  TEMPLATE void carroll::detail::launch_dense<Kokkos::DefaultExecutionSpace>(         \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::ArrowBatch<Real> const&, \
      carroll::detail::DenseFactors<Real> const&, carroll::detail::DensePlan const&); \
  TEMPLATE struct carroll::detail::AccessTo<                                          \
      carroll::PseudoinverseWorkspace<Kokkos::DefaultExecutionSpace, Real>>

CARROLL_PSEUDOINVERSE_INSTANCE(extern template, float);
CARROLL_PSEUDOINVERSE_INSTANCE(extern template, double);
