// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// Which libraries of devices' vendors Carroll is built with, without reading their headers: tables
/// that choose kernels ask.
namespace carroll::detail {

/// Is there a DenseLibrary (device/vendor/dense_library.hpp)? On CUDA where CMake has found
/// cuSOLVER (cmake/CarrollCusolver.cmake).
template <class ExecSpace>
inline constexpr bool has_dense_library = false;
#if defined(KOKKOS_ENABLE_CUDA) && defined(CARROLL_HAVE_CUSOLVER)
template <>
inline constexpr bool has_dense_library<Kokkos::Cuda> = true;
#endif

template <class ExecSpace>
class DenseLibrary;

}  // namespace carroll::detail
