// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/eigh.hpp>

#include "svd_instances.hpp"

/// `eigh`: its workspaces, and what enqueues kernels.
#define CARROLL_EIGH_INSTANCE(TEMPLATE, Real)                                        \
  TEMPLATE void carroll::detail::enqueue_eigh<Kokkos::DefaultExecutionSpace>(        \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::EighBatch<Real> const&, \
      carroll::detail::EighPlan const&, carroll::EighOptions const&);                \
  TEMPLATE void carroll::detail::enqueue_eigh_jacobi<Kokkos::DefaultExecutionSpace>( \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::EighBatch<Real>,        \
      carroll::detail::EighPlan const&, int, int const*, carroll::EighMethod,        \
      carroll::detail::SvdViews<Real> const&,                                        \
      carroll::SvdWorkspace<Kokkos::DefaultExecutionSpace, Real> const&);            \
  TEMPLATE struct carroll::detail::AccessTo<                                         \
      carroll::EighWorkspace<Kokkos::DefaultExecutionSpace, Real>>

CARROLL_EIGH_INSTANCE(extern template, float);
CARROLL_EIGH_INSTANCE(extern template, double);
