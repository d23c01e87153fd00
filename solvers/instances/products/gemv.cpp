// SPDX-License-Identifier: BSD-3-Clause
#include "gemv_instances.hpp"

CARROLL_GEMV_INSTANCE(template, float);
CARROLL_GEMV_INSTANCE(template, double);
