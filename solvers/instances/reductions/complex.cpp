// SPDX-License-Identifier: BSD-3-Clause
#include "reduction_instances.hpp"

CARROLL_REDUCTION_INSTANCE(template, Kokkos::complex<float>);
CARROLL_REDUCTION_INSTANCE(template, Kokkos::complex<double>);
