// SPDX-License-Identifier: BSD-3-Clause
#include "eigh_instances.hpp"

CARROLL_EIGH_INSTANCE(template, float);
CARROLL_EIGH_INSTANCE(template, double);
