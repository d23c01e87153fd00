// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which compiler is at work, and which of its passes. Only core/device asks.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define CARROLL_DEVICE_COMPILER  ///< its code for hosts knows no vector types
#endif
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define CARROLL_DEVICE_PASS
#endif
#if defined(__CUDA_ARCH__)
#define CARROLL_CUDA_PASS  ///< device/cuda/ is the backend; in all other passes it is
                           ///< device/emulated/
#endif
