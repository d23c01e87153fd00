// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/solve.hpp>

/// `solve` and `inverse`: their workspaces, and what enqueues kernels.
#define CARROLL_SOLVE_INSTANCE(TEMPLATE, Real)                                        \
  TEMPLATE void carroll::detail::enqueue_solve<Kokkos::DefaultExecutionSpace>(        \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::SolveBatch<Real> const&, \
      carroll::SolvePath);                                                            \
  TEMPLATE struct carroll::detail::AccessTo<                                          \
      carroll::SolveWorkspace<Kokkos::DefaultExecutionSpace, Real>>

CARROLL_SOLVE_INSTANCE(extern template, float);
CARROLL_SOLVE_INSTANCE(extern template, double);
