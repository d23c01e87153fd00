// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// Which libraries of devices' vendors Carroll is built with, without reading their headers: tables
/// that choose kernels ask.
namespace carroll::detail {

/// Is there an Eigensolver (device/vendor/eigensolver.hpp)? On CUDA where CMake has found cuSOLVER
/// 11.7.1 or later (cmake/CarrollCusolver.cmake).
template <class ExecSpace>
inline constexpr bool has_eigensolver = false;
#if defined(KOKKOS_ENABLE_CUDA) && defined(CARROLL_HAVE_CUSOLVER)
template <>
inline constexpr bool has_eigensolver<Kokkos::Cuda> = true;
#endif

template <class ExecSpace, class Real>
class Eigensolver;

}  // namespace carroll::detail
