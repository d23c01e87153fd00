// SPDX-License-Identifier: BSD-3-Clause
#include "narrow_instances.hpp"

CARROLL_NARROW_INSTANCE(template);
