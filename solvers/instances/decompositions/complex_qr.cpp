// SPDX-License-Identifier: BSD-3-Clause
#include "decompositions/qr_instances.hpp"

CARROLL_QR_INSTANCE(template, Kokkos::complex<float>);
CARROLL_QR_INSTANCE(template, Kokkos::complex<double>);
