// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/gemv.hpp>

/// `gemv`: its workspaces, and what enqueues kernels.
#define CARROLL_GEMV_INSTANCE(TEMPLATE, T)   \
  TEMPLATE struct carroll::detail::AccessTo< \
      carroll::GemvWorkspace<Kokkos::DefaultExecutionSpace, T>>

CARROLL_GEMV_INSTANCE(extern template, float);
CARROLL_GEMV_INSTANCE(extern template, double);
CARROLL_GEMV_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_GEMV_INSTANCE(extern template, Kokkos::complex<double>);
