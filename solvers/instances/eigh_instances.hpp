// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/eigh.hpp>

#include "decompositions/complex_svd_instances.hpp"

/// `eigh`: its workspaces, and what enqueues kernels.
#define CARROLL_EIGH_INSTANCE(TEMPLATE, T)                                                  \
  TEMPLATE void carroll::detail::enqueue_eigh<Kokkos::DefaultExecutionSpace>(               \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::EighBatch<T> const&,           \
      carroll::detail::EighPlan const&, carroll::EighOptions const&);                       \
  TEMPLATE void carroll::detail::enqueue_eigh_jacobi<Kokkos::DefaultExecutionSpace>(        \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::EighBatch<T> const&,           \
      carroll::detail::EighJacobiPart<Kokkos::DefaultExecutionSpace, T> const&, int const*, \
      carroll::EighMethod);                                                                 \
  TEMPLATE struct carroll::detail::AccessTo<                                                \
      carroll::EighWorkspace<Kokkos::DefaultExecutionSpace, T>>

CARROLL_EIGH_INSTANCE(extern template, float);
CARROLL_EIGH_INSTANCE(extern template, double);
CARROLL_EIGH_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_EIGH_INSTANCE(extern template, Kokkos::complex<double>);
