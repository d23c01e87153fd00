// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// The scale of a motion in space, which images do not tell: by the median of what has become of
/// the depths. One team; its threads share the vertices.
///
/// The median is the smallest number that half of the ratios do not exceed. Numbers above 0 are
/// ordered as their bits are, so that it is found bit by bit: 31 counts of M ratios, by whole
/// numbers, so that it is the same for every team.
namespace carroll::detail {

template <class ExecSpace, class Depth, class Start>
struct KeepScaleKernel {
  Start const* start;
  std::int64_t start_stride;
  double* motion;  ///< 12
  std::int64_t motion_stride;
  Depth* zeta;
  std::int64_t zeta_stride;
  int vertices;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    constexpr std::int32_t infinite = 0x7f800000;  // and above it are no numbers
    int const all = count_up_to(team, infinite - 1);
    std::int32_t below =
        0;  // the largest of which it is known that too few ratios do not exceed it
    for (std::int32_t bit = 1 << 30; bit > 0; bit >>= 1) {
      std::int32_t const tried = below | bit;
      if (tried < infinite && 2 * count_up_to(team, tried) < all) below = tried;
    }
    if (all == 0) return;
    double const scale = static_cast<double>(Kokkos::bit_cast<float>(below + 1));
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, vertices), [&](int i) {
      zeta[i * zeta_stride] =
          static_cast<Depth>(static_cast<double>(zeta[i * zeta_stride]) / scale);
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int a = 0; a < 3; ++a) motion[(4 * a + 3) * motion_stride] *= scale;
    });
  }

 private:
  /// Ratios above 0 whose bits are no more than `bits`.
  KOKKOS_FUNCTION int count_up_to(TeamMember<ExecSpace> const& team, std::int32_t bits) const {
    int count = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, vertices),
        [&](int i, int& partial) {
          float const ratio = static_cast<float>(static_cast<double>(zeta[i * zeta_stride]) /
                                                 static_cast<double>(start[i * start_stride]));
          partial += ratio > 0 && Kokkos::bit_cast<std::int32_t>(ratio) <= bits;
        },
        count);
    return count;
  }
};

}  // namespace carroll::detail
