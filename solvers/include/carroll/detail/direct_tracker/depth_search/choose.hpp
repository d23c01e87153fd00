// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/depth_search/problem.hpp>
#include <carroll/detail/direct_tracker/state.hpp>
#include <carroll/detail/direct_tracker/update.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// The hypothesis of each vertex, in rounds: first the likeliest one, then the one that costs least
/// with those of its neighbours,
///
///   c(h) + λ/|N|·Σ min(|ξᵢ + hδ - ξⱼ - hⱼδ|, τ)
///
/// by every second vertex in turn, so that two do not change places for ever. A thread per vertex,
/// its lanes along the hypotheses; the least is found as an integer, the hypothesis in its last
/// bits: the same one in any order.
template <class ExecSpace>
struct ChooseDepthKernel {
  static constexpr float stiffness = 0.3F;  ///< λ
  static constexpr float reach = 1;         ///< τ

  TrackerState const* state;
  DepthSearch search;
  float const* xi;  ///< M
  int round;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const v = team.league_rank() * team.team_size() + team.team_rank();
    if (v >= search.vertices || !searches_depths(*state)) return;
    int const* const before = search.found[(round + 1) % 2];
    int* const after = search.found[round % 2];
    if (round > 0 && (v + round) % 2 != 0) {
      once_per_thread(team, [&] { after[v] = before[v]; });
      return;
    }
    std::uint64_t least = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, depth_hypotheses),
        [&](int h, std::uint64_t& partial) {
          std::uint64_t const mine = ranked(v, h, before);
          partial = mine < partial ? mine : partial;
        },
        Kokkos::Min<std::uint64_t>(least));
    once_per_thread(team, [&] { after[v] = static_cast<int>(least & 0xffU); });
  }

 private:
  /// Costs are not negative: their bits rise with them. Of equal ones, as where nothing is to be
  /// seen, that next to the present depth counts.
  KOKKOS_FUNCTION std::uint64_t ranked(int v, int h, int const* found) const {
    float const cost = search.costs_of(v)[h] + (round > 0 ? bent(v, h, found) : 0.0F);
    float const safe = cost > 0 ? cost : 0.0F;
    int const change = h < present_depth ? present_depth - h : h - present_depth;
    return static_cast<std::uint64_t>(Kokkos::bit_cast<std::uint32_t>(safe)) << 16 |
           static_cast<std::uint64_t>(change << 8 | h);
  }
  KOKKOS_FUNCTION float bent(int v, int h, int const* found) const {
    int const begin = search.vertex_offsets[v], end = search.vertex_offsets[v + 1];
    constexpr float step = static_cast<float>(depth_step);
    float const own = xi[v] + static_cast<float>(h) * step;
    float sum = 0;
    for (int p = begin; p < end; ++p) {
      int const corner = search.corners[p], first = corner - corner % 3;
      for (int k = 1; k < 3; ++k) {
        int const other = search.triangles[first + (corner + k) % 3];
        float const d = own - xi[other] - static_cast<float>(found[other]) * step;
        float const size = d < 0 ? -d : d;
        sum += size < reach ? size : reach;
      }
    }
    float const edges = static_cast<float>(2 * (end - begin));
    return edges > 0 ? stiffness * sum / edges : 0.0F;
  }
};

/// The depths that were chosen become the trial's, between two hypotheses where a parabola through
/// three has its least; scale and way change so that the mean of all ξ stays. One team.
template <class ExecSpace>
struct ApplyDepthsKernel {
  TrackerState* state;
  DepthSearch search;
  TrackerDepths depths;
  int last;  ///< round

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (!searches_depths(*state)) return;
    int const m = search.vertices;
    double drift = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, m), [&](int i, double& sum) { sum += change(i); }, drift);
    drift /= m > 0 ? m : 1;
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m), [&](int i) {
      double const xi = depths.trial[i] + change(i) - drift;
      depths.trial[i] = xi;
      depths.prior[i] = static_cast<float>(xi);
      depths.zeta[i] = static_cast<float>(Kokkos::exp(xi));
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int a = 0; a < 3; ++a) state->motion[4 * a + 3] *= Kokkos::exp(drift);
      set_pose<TrackerMotion::se3>(*state);
      state->has_searched = 1;
    });
  }

 private:
  KOKKOS_FUNCTION double change(int v) const {
    int const h = search.found[last % 2][v];
    float const* const cost = search.costs_of(v);
    double between = 0;
    if (h > 0 && h + 1 < depth_hypotheses) {
      double const below = static_cast<double>(cost[h - 1]), at = static_cast<double>(cost[h]),
                   above = static_cast<double>(cost[h + 1]);
      double const bend = below + above - 2 * at;
      if (bend > 0 && below >= at && above >= at) between = 0.5 * (below - above) / bend;
    }
    return (h - present_depth + between) * depth_step;
  }
};

}  // namespace carroll::detail
