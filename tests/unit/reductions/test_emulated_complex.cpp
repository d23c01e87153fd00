// SPDX-License-Identifier: BSD-3-Clause
#include "unit/reductions/emulated_checks.hpp"

/// The reductions' kernels of warps on the host: complex numbers.
namespace {

TEST(EmulatedReductions, OfComplexFloat) {
  carroll::test::check_emulated_reductions<Kokkos::complex<float>>();
}
TEST(EmulatedReductions, OfComplexDouble) {
  carroll::test::check_emulated_reductions<Kokkos::complex<double>>();
}

}  // namespace
