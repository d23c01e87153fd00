// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/pseudoinverse.hpp>

/// The kernels behind `apply_pseudoinverse` and `pseudoinverse`.
#define CARROLL_PSEUDOINVERSE_INSTANCE(TEMPLATE, Real)                                \
  TEMPLATE void carroll::detail::launch_step<Kokkos::DefaultExecutionSpace>(          \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::ArrowBatch<Real> const&, \
      carroll::detail::StepPlan const&);                                              \
  TEMPLATE void carroll::detail::launch_dense<Kokkos::DefaultExecutionSpace>(         \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::ArrowBatch<Real> const&, \
      carroll::detail::DenseFactors<Real> const&, carroll::detail::DensePlan const&)

CARROLL_PSEUDOINVERSE_INSTANCE(extern template, float);
CARROLL_PSEUDOINVERSE_INSTANCE(extern template, double);
