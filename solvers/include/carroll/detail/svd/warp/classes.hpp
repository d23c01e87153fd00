// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/common/shape_list.hpp>
#include <carroll/detail/svd/warp/group.hpp>

/// Size classes of matrices in a warp's registers.
namespace carroll::detail {

/// Lanes per pair and teams per multiprocessor are the quickest of those tried on an H200,
/// 2026-11-21.
using WarpOf4 = WarpShape<4, 4, 1>;
using WarpOf8 = WarpShape<8, 8, 1>;
using WarpOf16 = WarpShape<16, 16, 2, 1, 16>;
using WarpClasses =
    ShapeList<false, WarpOf4, WarpOf8, WarpOf16, WarpShape<32, 8, 2>, WarpShape<32, 16, 2>,
              WarpShape<32, 24, 2, 1, 12>, WarpShape<32, 32, 2, 1, 12>>;

/// Single precision is worked on in double: only where that costs twice the time, not 32 or 64
/// times.
#if defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_AMPERE80) || \
    defined(KOKKOS_ARCH_VOLTA70) || defined(KOKKOS_ARCH_PASCAL60) ||  \
    defined(KOKKOS_ARCH_BLACKWELL100)
inline constexpr bool has_fast_double = true;
#else
inline constexpr bool has_fast_double = false;
#endif

template <class Real>
inline constexpr bool has_warp_kernels = has_fast_double || sizeof(Real) == sizeof(double);

}  // namespace carroll::detail
