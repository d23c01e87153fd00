// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// K sums over the lanes of a warp, dealt out to the lanes: in a step half of the lanes give the
/// first half of what they have to the others for the second half, so that 31 exchanges are enough
/// for 32 sums, where one sum takes 5. The order of each sum is that of a tree over the lanes.
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
      // All trip counts are known, so that x stays in registers.
      CARROLL_UNROLL
      for (int level = 1; level <= levels; ++level) {
        int const half = width >> level;
        bool const second = (warp.lane & half) != 0;
        CARROLL_UNROLL
        for (int i = 0; i < width / 2; ++i) {
          if (i >= half) continue;
          double const one = x[i], two = x[i + half];
          double const given = second ? double{one} : double{two};
          x[i] = (second ? double{two} : double{one}) + warp.from(given, warp.lane ^ half);
        }
      }
      CARROLL_UNROLL
      for (int level = levels; level < 5; ++level)
        x[0] += warp.from(x[0], warp.lane ^ (1 << level));
      value_[g] = x[0];
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
