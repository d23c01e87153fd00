// SPDX-License-Identifier: BSD-3-Clause
#include "decompositions/complex_svd_instances.hpp"

CARROLL_COMPLEX_SVD_INSTANCE(template, float);
CARROLL_COMPLEX_SVD_INSTANCE(template, double);
