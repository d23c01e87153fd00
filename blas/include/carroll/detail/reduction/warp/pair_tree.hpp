// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// The canonical tree over chunks that come one after the other, for a warp: lane k keeps the sum
/// that waits on level k, so that no lane needs memory for it. Up to 2^31 chunks.
template <class Partial>
class WarpPairTree {
 public:
  /// `sum`, as all other results here, is that of all lanes.
  KOKKOS_FORCEINLINE_FUNCTION void add(DeviceWarp const& warp, Partial sum) {
    int level = 0;
    for (int count = count_++; count & 1; count >>= 1) sum = joined(warp, level++, sum);
    if (warp.lane == level) waiting_ = sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION Partial total(DeviceWarp const& warp) const {
    Partial sum{};
    int level = 0;
    for (int count = count_; count != 0; count >>= 1, ++level)
      if (count & 1) sum = joined(warp, level, sum);  // nothing is joined to the first
    return sum;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Partial joined(DeviceWarp const& warp, int level,
                                             Partial const& sum) const {
    Partial left = waiting_.each([&](auto x) { return warp.from(x, level); });
    left.join(sum);
    return left;
  }

  Partial waiting_{};
  int count_ = 0;
};

}  // namespace carroll::detail
