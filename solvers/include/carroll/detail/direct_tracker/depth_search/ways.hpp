// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/depth_search/problem.hpp>
#include <carroll/detail/direct_tracker/state.hpp>
#include <carroll/detail/team.hpp>

/// Ways beside the one that was found, as long as it: rings around its direction. A search over
/// depths finds along the epipolar lines of each what fits best, and where the scene is near that
/// tells ways apart which steps of motion and depths do not lead from one to the other.
namespace carroll::detail {

/// One team: the ways with their poses. Nothing to be seen of a way that has no length.
template <class ExecSpace>
struct SpreadWaysKernel {
  TrackerState const* state;
  DepthSearch search;
  double spread;     ///< angle from ring to ring
  bool holds_ahead;  ///< ways come with the turn by which what is far ahead stays in place

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (!searches_depths(*state)) return;
    int const count = searched_ways;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int k) {
      SearchedWay& way = search.ways[k];
      way.cost = 0;
      double to[3], v[3] = {};
      set_translation(k, to);
      // R exp[ω] and t + R v: what is straight ahead at the mean range stays where it is seen.
      TrackerState moved = *state;
      for (int i = 0; i < 14; ++i) moved.kept_motion[i] = state->motion[i];
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          v[a] += state->motion[4 * b + a] * (to[b] - state->motion[4 * b + 3]);
      double const near = holds_ahead ? 1 / state->mean_range : 0;
      float const y[8] = {0,
                          static_cast<float>(-near * v[2]),
                          static_cast<float>(near * v[1]),
                          static_cast<float>(-v[0]),
                          static_cast<float>(-v[1]),
                          static_cast<float>(-v[2]),
                          0,
                          0};
      move<TrackerMotion::se3>(moved, y, 1);
      set_pose<TrackerMotion::se3>(moved);
      for (int i = 0; i < 14; ++i) way.motion[i] = moved.motion[i];
      way.pose = moved.pose;
    });
  }

 private:
  KOKKOS_FUNCTION void set_translation(int k, double* to) const {
    double t[3], length = 0;
    for (int a = 0; a < 3; ++a) t[a] = to[a] = state->motion[4 * a + 3];
    for (double const x : t) length += x * x;
    length = Kokkos::sqrt(length);
    if (k == 0 || !(length > 0)) return;
    // Two directions across: that of the axis which t has least of, and another one.
    int least = 0;
    for (int a = 1; a < 3; ++a)
      if (Kokkos::abs(t[a]) < Kokkos::abs(t[least])) least = a;
    double across[2][3], norm = 0;
    for (int a = 0; a < 3; ++a) {
      across[0][a] = (a == least ? 1 : 0) - t[least] * t[a] / (length * length);
      norm += across[0][a] * across[0][a];
    }
    for (double& x : across[0]) x /= Kokkos::sqrt(norm);
    for (int a = 0; a < 3; ++a) {
      int const b = (a + 1) % 3, c = (a + 2) % 3;
      across[1][a] = (t[b] * across[0][c] - t[c] * across[0][b]) / length;
    }
    double const angle = spread * (1 + (k - 1) / ways_of_ring);
    double const turn = (k - 1) % ways_of_ring * (2 * Kokkos::numbers::pi / ways_of_ring);
    double const x = Kokkos::cos(turn), y = Kokkos::sin(turn);
    for (int a = 0; a < 3; ++a)
      to[a] = Kokkos::cos(angle) * t[a] +
              Kokkos::sin(angle) * length * (x * across[0][a] + y * across[1][a]);
  }
};

/// One team: the way that costs least becomes the trial's, and the first one to be swept again.
template <class ExecSpace>
struct ChooseWayKernel {
  static constexpr double clearly = 0.98;

  TrackerState* state;
  DepthSearch search;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (!searches_depths(*state)) return;
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int best = 0;
      for (int k = 1; k < searched_ways; ++k)
        if (search.ways[k].cost < search.ways[best].cost) best = k;
      for (int i = 0; i < 14; ++i) state->motion[i] = search.ways[best].motion[i];
      state->pose = search.ways[best].pose;
      // Where another way is clearly likelier, what led to the old one is no measure.
      double const least = static_cast<double>(search.ways[best].cost);
      state->any_cost_will_do = least < clearly * static_cast<double>(search.ways[0].cost) ? 1 : 0;
      search.ways[0] = search.ways[best];
    });
  }
};

}  // namespace carroll::detail
