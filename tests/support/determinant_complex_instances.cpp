// SPDX-License-Identifier: BSD-3-Clause
#include "determinant_instances.hpp"

CARROLL_TEST_DETERMINANT_INSTANCE(Kokkos::complex<float>);
CARROLL_TEST_DETERMINANT_INSTANCE(Kokkos::complex<double>);
