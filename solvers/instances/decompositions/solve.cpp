// SPDX-License-Identifier: BSD-3-Clause
#include "decompositions/solve_instances.hpp"

CARROLL_SOLVE_INSTANCE(template, float);
CARROLL_SOLVE_INSTANCE(template, double);
