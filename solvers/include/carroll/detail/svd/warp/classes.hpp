// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <cstdint>

/// Which matrices take the path through a warp's registers, and in which size class.
namespace carroll::detail {

template <class... Shapes>
struct WarpShapeList {
  static constexpr int count = sizeof...(Shapes);

  /// Place of the first class that a rows×cols matrix, rows >= cols, fits; `count` if none does.
  static constexpr int class_of(std::int64_t rows, std::int64_t cols) {
    int k = 0;
    bool found = cols < 1;
    ((found = found || (rows <= Shapes::rows && cols <= Shapes::cols), k += found ? 0 : 1), ...);
    return cols < 1 ? count : k;
  }
};

/// Smallest first: a matrix takes the first class that it fits. Lanes per pair and teams per
/// multiprocessor are the quickest of those tried on an H200, 2026-11-21.
using WarpClasses =
    WarpShapeList<WarpShape<4, 4, 1>, WarpShape<8, 8, 1>, WarpShape<16, 16, 2, 1, 16>,
                  WarpShape<32, 8, 2>, WarpShape<32, 16, 2>, WarpShape<32, 24, 2, 1, 12>,
                  WarpShape<32, 32, 2, 1, 12>>;

/// Single precision is worked on in double: only where that costs twice the time, not 32 or 64
/// times.
#if defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_AMPERE80) || \
    defined(KOKKOS_ARCH_VOLTA70) || defined(KOKKOS_ARCH_PASCAL60) ||  \
    defined(KOKKOS_ARCH_BLACKWELL100)
inline constexpr bool has_fast_double = true;
#else
inline constexpr bool has_fast_double = false;
#endif

template <class ExecSpace, class Real>
inline constexpr bool has_warp_path = has_warps<ExecSpace> &&
                                      (has_fast_double || sizeof(Real) == sizeof(double));

/// Does the path exist for rows×cols problems, rows >= cols? The answer depends on nothing else, so
/// that results do not.
template <class ExecSpace, class Real>
constexpr bool warp_path_fits(std::int64_t rows, std::int64_t cols) {
  return has_warp_path<ExecSpace, Real> && WarpClasses::class_of(rows, cols) < WarpClasses::count;
}

}  // namespace carroll::detail
