// SPDX-License-Identifier: BSD-3-Clause
#include "eigh_instances.hpp"

CARROLL_EIGH_INSTANCE(template, Kokkos::complex<float>);
CARROLL_EIGH_INSTANCE(template, Kokkos::complex<double>);
