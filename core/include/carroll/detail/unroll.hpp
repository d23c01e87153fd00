// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>

/// Before a loop, on devices: unrolled, or an array that it runs over leaves the registers; or not,
/// so that a large body is there once. Host compilers need not be told.
#ifdef CARROLL_DEVICE_PASS
#define CARROLL_UNROLL _Pragma("unroll")
#define CARROLL_NO_UNROLL _Pragma("unroll 1")
#else
#define CARROLL_UNROLL
#define CARROLL_NO_UNROLL
#endif
