// SPDX-License-Identifier: BSD-3-Clause
#include "certified_determinant_instances.hpp"

CARROLL_CERTIFIED_DETERMINANT_INSTANCE(template, float);
CARROLL_CERTIFIED_DETERMINANT_INSTANCE(template, double);
