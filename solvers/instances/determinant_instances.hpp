// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <carroll/determinant_ragged.hpp>

/// `determinant` and its ragged and DualView forms: their workspaces, and what enqueues kernels.
#define CARROLL_DETERMINANT_INSTANCE(TEMPLATE, ...)                                                \
  TEMPLATE void carroll::detail::enqueue_determinant<Kokkos::DefaultExecutionSpace>(               \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::DeterminantBatch<__VA_ARGS__> const&, \
      carroll::detail::DeterminantMemory<Kokkos::DefaultExecutionSpace, __VA_ARGS__> const&,       \
      carroll::detail::DeterminantPlan const&);                                                    \
  TEMPLATE struct carroll::detail::AccessTo<                                                       \
      carroll::DeterminantWorkspace<Kokkos::DefaultExecutionSpace, __VA_ARGS__>>;                  \
  TEMPLATE struct carroll::detail::AccessTo<                                                       \
      carroll::DeterminantRaggedWorkspace<Kokkos::DefaultExecutionSpace, __VA_ARGS__>>

CARROLL_DETERMINANT_INSTANCE(extern template, float);
CARROLL_DETERMINANT_INSTANCE(extern template, double);
CARROLL_DETERMINANT_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_DETERMINANT_INSTANCE(extern template, Kokkos::complex<double>);
