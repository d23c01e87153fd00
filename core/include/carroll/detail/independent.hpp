// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>

/// Before a loop none of whose steps writes what another one reads or writes, on hosts: so that the
/// compiler need not find that out before it makes vector code.
#ifdef CARROLL_DEVICE_COMPILER
#define CARROLL_INDEPENDENT
#elif defined(__clang__)
#define CARROLL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CARROLL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define CARROLL_INDEPENDENT
#endif
