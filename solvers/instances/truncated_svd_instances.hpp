// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/truncated_svd.hpp>

#include "svd_instances.hpp"

/// `truncated_svd`: its workspaces, and what enqueues kernels.
#define CARROLL_TRUNCATED_SVD_INSTANCE(TEMPLATE, Real)                                      \
  TEMPLATE void carroll::detail::enqueue_truncated<Kokkos::DefaultExecutionSpace>(          \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::TruncatedProblem<Real> const&, \
      carroll::TruncatedSvdWorkspace<Kokkos::DefaultExecutionSpace, Real>&);                \
  TEMPLATE void carroll::detail::enqueue_more<Kokkos::DefaultExecutionSpace>(               \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::TruncatedProblem<Real> const&, \
      carroll::TruncatedSvdWorkspace<Kokkos::DefaultExecutionSpace, Real>&, int, int);      \
  TEMPLATE struct carroll::detail::AccessTo<                                                \
      carroll::TruncatedSvdWorkspace<Kokkos::DefaultExecutionSpace, Real>>

CARROLL_TRUNCATED_SVD_INSTANCE(extern template, float);
CARROLL_TRUNCATED_SVD_INSTANCE(extern template, double);
