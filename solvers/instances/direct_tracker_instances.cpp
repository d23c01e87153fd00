// SPDX-License-Identifier: BSD-3-Clause
#include "direct_tracker_instances.hpp"

CARROLL_TRACKER_REFERENCE_INSTANCE(template);
CARROLL_TRACKER_INSTANCE(template, equirectangular, ackermann);
CARROLL_TRACKER_INSTANCE(template, equirectangular, se3);
CARROLL_TRACKER_INSTANCE(template, unified, ackermann);
CARROLL_TRACKER_INSTANCE(template, unified, se3);

CARROLL_WINDOW_INSTANCE(template, equirectangular);
CARROLL_WINDOW_INSTANCE(template, unified);
