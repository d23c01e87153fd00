// SPDX-License-Identifier: BSD-3-Clause
#include "gemm_instances.hpp"

CARROLL_GEMM_INSTANCE(template, float);
CARROLL_GEMM_INSTANCE(template, double);
