// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/qr.hpp>

/// `qr`: its workspaces, and what enqueues kernels.
#define CARROLL_QR_INSTANCE(TEMPLATE, Value)                                        \
  TEMPLATE void carroll::detail::enqueue_qr<Kokkos::DefaultExecutionSpace>(         \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::QrBatch<Value> const&, \
      carroll::detail::QrPlan const&);                                              \
  TEMPLATE struct carroll::detail::AccessTo<                                        \
      carroll::QrWorkspace<Kokkos::DefaultExecutionSpace, Value>>

CARROLL_QR_INSTANCE(extern template, float);
CARROLL_QR_INSTANCE(extern template, double);
CARROLL_QR_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_QR_INSTANCE(extern template, Kokkos::complex<double>);
