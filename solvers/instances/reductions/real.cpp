// SPDX-License-Identifier: BSD-3-Clause
#include "reduction_instances.hpp"

CARROLL_REDUCTION_INSTANCE(template, float);
CARROLL_REDUCTION_INSTANCE(template, double);
