// SPDX-License-Identifier: BSD-3-Clause
#include "truncated_svd_instances.hpp"

CARROLL_TRUNCATED_SVD_INSTANCE(template, float);
CARROLL_TRUNCATED_SVD_INSTANCE(template, double);
