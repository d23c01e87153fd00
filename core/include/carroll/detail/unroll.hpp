// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Before a loop, on devices: unrolled, or an array that it runs over leaves the registers; or not,
/// so that a large body is there once. Host compilers need not be told.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define CARROLL_UNROLL _Pragma("unroll")
#define CARROLL_NO_UNROLL _Pragma("unroll 1")
#else
#define CARROLL_UNROLL
#define CARROLL_NO_UNROLL
#endif

/// Before a loop none of whose steps writes what another one reads or writes, on hosts: so that the
/// compiler need not find that out before it makes vector code.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define CARROLL_INDEPENDENT
#elif defined(__clang__)
#define CARROLL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CARROLL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define CARROLL_INDEPENDENT
#endif
