// SPDX-License-Identifier: BSD-3-Clause
#include "gemm_instances.hpp"

CARROLL_GEMM_INSTANCE(template, Kokkos::complex<float>);
CARROLL_GEMM_INSTANCE(template, Kokkos::complex<double>);
