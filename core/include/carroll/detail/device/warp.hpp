// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <cstdint>
#include <type_traits>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/warp.hpp>
#else
#include <carroll/detail/device/emulated/warp.hpp>
#endif

/// Warps of 32 lanes, which hand values from register to register.
namespace carroll::detail {

/// Do the kernels of an execution space run in warps, and is there a backend for these? Where
/// CARROLL_PORTABLE_KERNELS is defined (CMake: Carroll_PORTABLE_KERNELS) nobody asks: every device
/// takes the team kernels that those without a backend take.
#if defined(KOKKOS_ENABLE_CUDA) && !defined(CARROLL_PORTABLE_KERNELS)
template <class ExecSpace>
inline constexpr bool has_warps = std::is_same_v<ExecSpace, Kokkos::Cuda>;
#else
template <class ExecSpace>
inline constexpr bool has_warps = false;
#endif

/// The calling lane's warp. All 32 lanes call each of these functions together.
struct DeviceWarp {
  int lane;

  /// x of another lane, the one with that number modulo 32.
  template <class T>
  KOKKOS_FUNCTION T from(T x, int source) const {
    return warp_shuffle(x, source);
  }
  /// x of the lane whose number differs by the bits of `step`, which is the same for all: one
  /// instruction, without a register for the lane.
  template <class T>
  KOKKOS_FUNCTION T across(T x, int step) const {
    return warp_shuffle_xor(x, lane, step);
  }
  template <class Real>
  KOKKOS_FUNCTION Kokkos::complex<Real> from(Kokkos::complex<Real> const& x, int source) const {
    return {from(x.real(), source), from(x.imag(), source)};
  }
  template <class Real>
  KOKKOS_FUNCTION Kokkos::complex<Real> across(Kokkos::complex<Real> const& x, int step) const {
    return {across(x.real(), step), across(x.imag(), step)};
  }
  /// Bit k of the result: what lane k says.
  KOKKOS_FUNCTION std::uint32_t ballot(bool yes) const { return warp_ballot(yes); }
  /// The largest of all lanes' x.
  KOKKOS_FUNCTION int max(int x) const { return warp_max(x, lane); }
  /// The bits that any lane has.
  KOKKOS_FUNCTION std::uint32_t any_bits(std::uint32_t x) const { return warp_or(x, lane); }
  /// What a lane has written to memory before, the others may read after.
  KOKKOS_FUNCTION void sync() const { warp_barrier(); }
};

}  // namespace carroll::detail
