// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/lane_row.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstdint>

namespace carroll::detail {

/// All blocks measured, one by a warp.
template <class ExecSpace, class Real>
struct SgdWarpMeasures {
  using Policy = BoundedTeams<ExecSpace, 32, 16, 0>;

  SgdProblem<Real> p;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    std::int64_t const block = team.league_rank();
    double measured[2] = {0, 0};
    for (std::int64_t t = p.begins[block]; t < p.begins[block + 1]; ++t)
      measure(warp, p.ratings[t], measured);
    if (warp.lane != 0) return;
    p.measures[2 * block] = measured[0];
    p.measures[2 * block + 1] = measured[1];
  }

 private:
  KOKKOS_FUNCTION void measure(DeviceWarp const& warp, SgdRating<Real> const& rating,
                               double* measured) const {
    SgdLaneRow<Real> const u(p, p.u, rating.user, warp), v(p, p.v, rating.item, warp);
    Real sum = 0, squares = 0;
    u.for_each([&](std::int64_t f) {
      Real const x = u[f], y = v[f];
      sum = Kokkos::fma(x, y, sum);
      squares = Kokkos::fma(y, y, Kokkos::fma(x, x, squares));
    });
    Real const error = (rating.value - p.base(rating)) - lanes_sum_down(warp, sum);
    p.measure(rating, error, lanes_sum_down(warp, squares), measured);
  }
};

}  // namespace carroll::detail
