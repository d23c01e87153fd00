// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// K sums over the lanes of a warp, dealt out to the lanes by scattered_sums: 31 exchanges are
/// enough for 32 sums, where one sum takes 5. The order of each sum is that of a tree over the
/// lanes.
template <int K>
class ScatteredSums {
 public:
  /// Of a group of sums: a power of 2, 32 at most.
  static constexpr int levels = K > 16 ? 5 : K > 8 ? 4 : K > 4 ? 3 : 2;
  static constexpr int width = 1 << levels;
  static constexpr int groups = (K + width - 1) / width;

  KOKKOS_FUNCTION ScatteredSums(DeviceWarp const& warp, Sums<double, K> const& terms)
      : lane_(warp.lane) {
    CARROLL_UNROLL
    for (int g = 0; g < groups; ++g) {
      double x[width];
      CARROLL_UNROLL
      for (int i = 0; i < width; ++i)
        x[i] = g * width + i < K ? terms.value[g * width + i < K ? g * width + i : 0] : 0.0;
      value_[g] = lanes_sum_up<width, 32>(warp, scattered_sums<width, width / 2>(warp, x));
    }
  }

  /// Sum lane % width, on every lane, where there is one group.
  KOKKOS_FUNCTION double own() const { return value_[0]; }

  /// f(k, sum) for every sum, by one lane each.
  template <class F>
  KOKKOS_FUNCTION void for_each(F const& f) const {
    CARROLL_UNROLL
    for (int g = 0; g < groups; ++g)
      if (lane_ < width && g * width + lane_ < K) f(g * width + lane_, value_[g]);
  }

 private:
  int lane_;
  double value_[groups];
};

}  // namespace carroll::detail
