// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

/// Which compiler is at work, and which of its passes, and what there is for devices. Only
/// core/device asks.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define CARROLL_DEVICE_COMPILER  ///< its code for hosts knows no vector types
#endif
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define CARROLL_DEVICE_PASS
#endif
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#define CARROLL_DEVICE_ENABLED  ///< Kokkos has a device besides the host
#endif
#if defined(CARROLL_HAVE_KOKKOSKERNELS) && defined(KOKKOS_ENABLE_CUDA)
#define CARROLL_DEVICE_BLAS  ///< the vendor's, by KokkosKernels
#endif
#if defined(__CUDA_ARCH__)
#define CARROLL_CUDA_PASS  ///< device/cuda/ is the backend; in all other passes it is
                           ///< device/emulated/
#endif
