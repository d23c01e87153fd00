// SPDX-License-Identifier: BSD-3-Clause
#include "gemv_instances.hpp"

CARROLL_GEMV_INSTANCE(template, Kokkos::complex<float>);
CARROLL_GEMV_INSTANCE(template, Kokkos::complex<double>);
