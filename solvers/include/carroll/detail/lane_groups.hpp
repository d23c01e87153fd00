// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

/// Small matrices in the registers of a warp, a row or a column to a lane: shapes, who works on
/// which, and what lanes find out together.
namespace carroll::detail {

/// Matrices of order up to `Order`: `width` lanes are set aside for one, so that `matrices` share a
/// warp.
template <int Order>
struct LaneShape {
  static constexpr int order = Order;
  static constexpr int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Order)));
  static constexpr int matrices = 32 / width;
  static_assert(Order % 4 == 0 && width <= 32);
};

template <class... Shapes>
struct LaneShapeList {
  static constexpr int count = sizeof...(Shapes);

  /// Place of the first that has room for order n; `count` if none has.
  static constexpr int class_of(std::int64_t n) {
    int k = 0;
    bool found = false;
    ((found = found || n <= Shapes::order, k += found ? 0 : 1), ...);
    return k;
  }
};

/// Warps that a launch may ask a multiprocessor to hold, each with so many bytes of scratch: those
/// of the smallest ones (64 KiB, some of which are the system's) must have room.
constexpr int warps_at_once(int wanted, std::size_t scratch) {
  std::size_t const most = 60 * 1024 / (scratch + 1040);
  return wanted < static_cast<int>(most) ? wanted : static_cast<int>(most);
}

/// The lanes that work on one matrix, seen from one of them.
template <class Shape>
struct LaneGroup {
  DeviceWarp warp;
  int slot;   ///< of the matrix in the warp
  int first;  ///< lane of it
  int row;    ///< of the matrix that is here, or column

  KOKKOS_FUNCTION explicit LaneGroup(DeviceWarp const& w)
      : warp(w),
        slot(w.lane / Shape::width),
        first(slot * Shape::width),
        row(w.lane - slot * Shape::width) {}

  template <class T>
  KOKKOS_FUNCTION T from(T x, int other) const {
    return warp.from(x, first + other);
  }
  template <class Real>
  KOKKOS_FUNCTION Real sum(Real x) const {
    return lanes_sum_up<1, Shape::width>(warp, x);
  }
  template <class T>
  KOKKOS_FUNCTION T max(T x) const {
    return lanes_max<1, Shape::width>(warp, x);
  }
  template <class T>
  KOKKOS_FUNCTION T min(T x) const {
    return lanes_join<1, Shape::width>(warp, x, [](T a, T b) { return Kokkos::min(a, b); });
  }
  /// Bit k: what row k says.
  KOKKOS_FUNCTION std::uint32_t ballot(bool yes) const {
    constexpr std::uint32_t own = Shape::width == 32 ? ~0U : (1U << Shape::width % 32) - 1;
    return warp.ballot(yes) >> first & own;
  }
  /// Rows that say yes.
  KOKKOS_FUNCTION int count(bool yes) const { return Kokkos::popcount(ballot(yes)); }
  /// Does a lane of the warp? Where all lanes have one matrix, all of them know.
  KOKKOS_FUNCTION bool any_matrix(bool yes) const {
    if constexpr (Shape::matrices == 1)
      return yes;
    else
      return warp.ballot(yes) != 0;
  }
};

/// x[k], Begin <= k < Begin + 4, where there is such an entry: chosen, for an array whose places
/// vary has to lie in memory.
template <int Begin, class Real, int order>
KOKKOS_FORCEINLINE_FUNCTION Real entry_of_four(Real const (&x)[order], int k) {
  Real y = x[Begin];
  CARROLL_UNROLL
  for (int j = Begin + 1; j < Begin + 4 && j < order; ++j) y = k == j ? x[j] : y;
  return y;
}

/// 1/x for normal x.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real normal_reciprocal(Real x) {
  if constexpr (sizeof(Real) == sizeof(double))
    return refined_reciprocal(x, rough_reciprocal(x));
  else
    return 1 / x;
}

}  // namespace carroll::detail
