// SPDX-License-Identifier: BSD-3-Clause
#include "decompositions/lstsq_instances.hpp"

CARROLL_LSTSQ_INSTANCE(template, float);
CARROLL_LSTSQ_INSTANCE(template, double);
CARROLL_LSTSQ_INSTANCE(template, Kokkos::complex<float>);
CARROLL_LSTSQ_INSTANCE(template, Kokkos::complex<double>);
