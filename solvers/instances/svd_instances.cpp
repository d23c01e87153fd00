// SPDX-License-Identifier: BSD-3-Clause
#include "svd_instances.hpp"

CARROLL_SVD_INSTANCE(template, float);
CARROLL_SVD_INSTANCE(template, double);
