// SPDX-License-Identifier: BSD-3-Clause
#include "determinant_instances.hpp"

CARROLL_DETERMINANT_INSTANCE(template, Kokkos::complex<float>);
CARROLL_DETERMINANT_INSTANCE(template, Kokkos::complex<double>);
