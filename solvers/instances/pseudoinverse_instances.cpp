// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse_instances.hpp"

CARROLL_PSEUDOINVERSE_INSTANCE(template, float);
CARROLL_PSEUDOINVERSE_INSTANCE(template, double);
