// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Column j of X := y without the powers of two of A's columns and 2^-e, which the right-hand side
/// was multiplied by. Tells what is beyond the range; returns Σ|y_i|. A warp.
template <class Value>
KOKKOS_INLINE_FUNCTION RealOf<Value> store_tile_solution(DeviceWarp const& warp,
                                                         SolveProblem<Value> const& problem,
                                                         SolveTileStorage<Value> const& at,
                                                         Value const* y, int j, int e) {
  using Real = RealOf<Value>;
  Real const infinity = Kokkos::Experimental::infinity_v<Real>;
  SolveTileScaling<Value> const exponents(at);
  constexpr int deep = 4;  // rows of a lane that are on their way together
  bool broken = false, overflow = false;
  Real sum = 0;
  CARROLL_NO_UNROLL
  for (int begin = warp.lane; begin < at.n; begin += 32 * deep) {
    Value own[deep];
    int col[deep];
    CARROLL_UNROLL
    for (int r = 0; r < deep; ++r) {
      int const i = Kokkos::min(begin + 32 * r, at.n - 1);
      own[r] = y[i];
      col[r] = exponents.col(i);
    }
    CARROLL_UNROLL
    for (int r = 0; r < deep; ++r) {
      if (begin + 32 * r >= at.n) continue;
      Value const x = scale_parts(own[r], col[r] + e);
      problem.x(begin + 32 * r, j) = x;
      bool const within = largest_part(own[r]) < infinity;
      broken = broken || !within;
      overflow = overflow || (within && !(largest_part(x) < infinity));
      sum += modulus(own[r]);
    }
  }
  sum = lanes_sum_down(warp, sum);
  bool const any_broken = warp.ballot(broken) != 0, any_overflow = warp.ballot(overflow) != 0;
  int const flags = (any_broken ? side_broken : 0) | (any_overflow ? side_overflow : 0);
  if (warp.lane == 0 && flags != 0) Kokkos::atomic_or(&at.state->flags, flags);
  return sum;
}

}  // namespace carroll::detail
