// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>

/// The kernels behind `determinant` and its ragged and DualView forms.
#define CARROLL_DETERMINANT_INSTANCE(TEMPLATE, ...)                                                \
  TEMPLATE void carroll::detail::enqueue_determinant<Kokkos::DefaultExecutionSpace>(               \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::DeterminantBatch<__VA_ARGS__> const&, \
      carroll::detail::DeterminantMemory<Kokkos::DefaultExecutionSpace, __VA_ARGS__> const&,       \
      carroll::detail::DeterminantPlan const&)

CARROLL_DETERMINANT_INSTANCE(extern template, float);
CARROLL_DETERMINANT_INSTANCE(extern template, double);
CARROLL_DETERMINANT_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_DETERMINANT_INSTANCE(extern template, Kokkos::complex<double>);
