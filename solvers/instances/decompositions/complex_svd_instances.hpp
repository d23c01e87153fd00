// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/complex_svd.hpp>

#include "svd_instances.hpp"

/// `svd` of complex matrices: its workspaces, and what enqueues kernels.
#define CARROLL_COMPLEX_SVD_INSTANCE(TEMPLATE, Real)                                 \
  TEMPLATE void carroll::detail::enqueue_complex_svd<Kokkos::DefaultExecutionSpace>( \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::ComplexSvdBatch<Real>,  \
      carroll::SvdPath, carroll::SvdOptions const&);                                 \
  TEMPLATE struct carroll::detail::AccessTo<                                         \
      carroll::SvdWorkspace<Kokkos::DefaultExecutionSpace, Kokkos::complex<Real>>>

CARROLL_COMPLEX_SVD_INSTANCE(extern template, float);
CARROLL_COMPLEX_SVD_INSTANCE(extern template, double);
