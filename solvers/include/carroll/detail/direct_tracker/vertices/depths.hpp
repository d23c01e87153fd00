// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// The depths of the vertices while a frame, or a window of frames, is tracked.
namespace carroll::detail {

/// ξ = log ζ.
struct TrackerDepths {
  double* kept = nullptr;   ///< ξ
  double* trial = nullptr;  ///< ξ
  double* start = nullptr;  ///< ξ of the caller
  double* saved = nullptr;  ///< ξ of the trial that waits while the start is looked at
  float* zeta = nullptr;    ///< exp ξ of the trial, which rows read
  float* prior = nullptr;   ///< ξ of the trial, which the solver's smoothness reads
};

/// The caller's depths become the trial. Returns how many of them are none, to every thread of the
/// team.
template <class Member, class Depth>
KOKKOS_INLINE_FUNCTION int begin_depths(Member const& team, Depth const* zeta, std::int64_t stride,
                                        int vertices, TrackerDepths const& depths) {
  int bad = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamThreadRange(team, vertices),
      [&](int i, int& partial) {
        double const z = static_cast<double>(zeta[i * stride]);
        double const xi = Kokkos::log(z);
        depths.kept[i] = depths.trial[i] = depths.start[i] = xi;
        depths.prior[i] = static_cast<float>(xi);
        depths.zeta[i] = static_cast<float>(z);
        partial += !(Kokkos::isfinite(xi));
      },
      bad);
  team.team_barrier();
  return bad;
}

/// The geometric mean of the ranges that begin_depths has found, for every thread: of `team_slots`
/// stretches of vertices one after the other, so that it does not depend on the team. What they
/// come to is left in `saved` meanwhile.
template <class Member>
KOKKOS_INLINE_FUNCTION double begin_range(Member const& team, int vertices,
                                          TrackerDepths const& depths) {
  if (vertices == 0) return 1;
  thread_for(team, team_slots, [&](int s) {
    int const begin = slot_begin(vertices, team_slots, s);
    int const end = slot_begin(vertices, team_slots, s + 1);
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += depths.start[i];
    if (begin < end) depths.saved[begin] = sum;
  });
  team.team_barrier();
  double logs = 0;
  for (int s = 0; s < team_slots; ++s) {
    int const begin = slot_begin(vertices, team_slots, s);
    if (begin < slot_begin(vertices, team_slots, s + 1)) logs += depths.saved[begin];
  }
  return Kokkos::exp(-logs / vertices);
}

}  // namespace carroll::detail
