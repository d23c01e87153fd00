// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>

/// The kernels behind `determinant`, for the default execution space: compiled once, in
/// determinant_instances.cpp, for all tests that link carroll_test_determinants.
#define CARROLL_TEST_DETERMINANT_INSTANCE(...)                                                     \
  template void carroll::detail::enqueue_determinant<Kokkos::DefaultExecutionSpace>(               \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::DeterminantBatch<__VA_ARGS__> const&, \
      carroll::detail::DeterminantPanels<__VA_ARGS__> const&,                                      \
      carroll::detail::StripWorkspace<carroll::detail::RealOf<__VA_ARGS__>> const&,                \
      carroll::detail::DeterminantSlabs<Kokkos::DefaultExecutionSpace,                             \
                                        carroll::detail::RealOf<__VA_ARGS__>> const&,              \
      carroll::DeterminantMethod, carroll::detail::DeterminantPath)

extern CARROLL_TEST_DETERMINANT_INSTANCE(float);
extern CARROLL_TEST_DETERMINANT_INSTANCE(double);
extern CARROLL_TEST_DETERMINANT_INSTANCE(Kokkos::complex<float>);
extern CARROLL_TEST_DETERMINANT_INSTANCE(Kokkos::complex<double>);
