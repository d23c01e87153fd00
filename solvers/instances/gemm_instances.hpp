// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/gemm.hpp>

/// `gemm`: its workspaces, and what enqueues kernels.
#define CARROLL_GEMM_INSTANCE(TEMPLATE, T)   \
  TEMPLATE struct carroll::detail::AccessTo< \
      carroll::GemmWorkspace<Kokkos::DefaultExecutionSpace, T>>

CARROLL_GEMM_INSTANCE(extern template, float);
CARROLL_GEMM_INSTANCE(extern template, double);
CARROLL_GEMM_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_GEMM_INSTANCE(extern template, Kokkos::complex<double>);
