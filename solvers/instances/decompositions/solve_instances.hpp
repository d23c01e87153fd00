// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/solve.hpp>

/// `solve` and `inverse`: their workspaces, and what enqueues kernels.
#define CARROLL_SOLVE_INSTANCE(TEMPLATE, Value)                                        \
  TEMPLATE void carroll::detail::enqueue_solve<Kokkos::DefaultExecutionSpace>(         \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::SolveBatch<Value> const&, \
      carroll::SolvePath);                                                             \
  TEMPLATE struct carroll::detail::AccessTo<                                           \
      carroll::SolveWorkspace<Kokkos::DefaultExecutionSpace, Value>>

CARROLL_SOLVE_INSTANCE(extern template, float);
CARROLL_SOLVE_INSTANCE(extern template, double);
CARROLL_SOLVE_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_SOLVE_INSTANCE(extern template, Kokkos::complex<double>);
