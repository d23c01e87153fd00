// SPDX-License-Identifier: BSD-3-Clause
#include "decompositions/solve_instances.hpp"

CARROLL_SOLVE_INSTANCE(template, Kokkos::complex<float>);
CARROLL_SOLVE_INSTANCE(template, Kokkos::complex<double>);
