// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <cstdint>

namespace carroll::detail {

/// The largest of a group; devices have an instruction for whole warps.
template <class Shape>
KOKKOS_INLINE_FUNCTION int max_of_group(LaneGroup<Shape> const& group, int x) {
  if constexpr (Shape::width == 32)
    return group.warp.max(x);
  else
    return group.max(x);
}

KOKKOS_INLINE_FUNCTION int max_of_group(DeviceWarp const& warp, int x) {
  return warp.max(x);
}

/// The row with the largest |x| of those that are `among` others, the first of equals, by comparing
/// bits; NaN is larger than all numbers. Of none it is any row. A group is a LaneGroup, or a warp.
template <class Real, class Group>
KOKKOS_INLINE_FUNCTION int row_of_largest(Group const& group, Real x, bool among) {
  int const size = among ? magnitude(x) : -1;
  bool best = size == max_of_group(group, size);
  if constexpr (sizeof(Real) == sizeof(double)) {
    // The lower halves of those that are equal so far, shifted into the order of signed numbers.
    auto const bits = static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x));
    int const lower = best ? static_cast<int>(bits ^ 0x80000000U) : -0x7fffffff - 1;
    best = lower == max_of_group(group, lower) && best;
  }
  return Kokkos::Experimental::countr_zero_builtin(group.ballot(best));
}

}  // namespace carroll::detail
