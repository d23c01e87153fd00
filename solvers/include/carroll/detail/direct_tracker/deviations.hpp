// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>

/// How well the images tell the motion: its covariance, and what that means for turn and way.
///
/// The normal matrix knows nothing of the scale: beside free depths a way along itself changes no
/// image. So the way counts by its direction alone, t̄ = Rᵀt in the axes of (ω, v), whose variance
/// across is (tr C_vv - uᵀC_vv·u)/‖t̄‖² with u = t̄/‖t̄‖, whatever the system made of the scale. A
/// column that the solver found dependent on the others has the variance 0 there: one of them is
/// the scale; with another one turn or way are unknown.
namespace carroll::detail {

struct TrackerDeviations {
  double turn = 0, way = 0;  ///< rad
};

/// Of an arc: α = 2·asin(ρ/2), the way leads by α/2.
KOKKOS_INLINE_FUNCTION TrackerDeviations arc_deviations(double rho, double variance) {
  double const turn = Kokkos::sqrt(variance / (1 - rho * rho / 4));
  return {turn, turn / 2};
}

/// Of any motion, of the rows of [R | t] and the covariance of (ω, v). All for a variance of 1.
KOKKOS_INLINE_FUNCTION TrackerDeviations deviations_in_space(double const* motion,
                                                             double const (&covariance)[6][6]) {
  constexpr double infinity = Kokkos::Experimental::infinity_v<double>;
  double turn = 0, way = 0, along = 0, length2 = 0;
  double back[3];  // t̄
  int unknown_turns = 0, unknown_ways = 0;
  for (int a = 0; a < 3; ++a) {
    back[a] = 0;
    for (int b = 0; b < 3; ++b) back[a] += motion[4 * b + a] * motion[4 * b + 3];
    length2 += back[a] * back[a];
    unknown_turns += !(covariance[a][a] > 0);
    unknown_ways += !(covariance[3 + a][3 + a] > 0);
    turn += covariance[a][a];
    way += covariance[3 + a][3 + a];
  }
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) along += back[a] * covariance[3 + a][3 + b] * back[b];
  bool const known = unknown_turns == 0 && unknown_ways <= 1;
  double const across = length2 > 0 ? Kokkos::fmax(way - along / length2, 0.0) / length2 : infinity;
  return {known ? Kokkos::sqrt(turn) : infinity, known ? Kokkos::sqrt(across) : infinity};
}

template <TrackerMotion Motion>
KOKKOS_INLINE_FUNCTION double way_length(TrackerState const& state) {
  if constexpr (Motion == TrackerMotion::ackermann) return 1;
  double const* const t = state.kept_motion;
  return Kokkos::sqrt(t[3] * t[3] + t[7] * t[7] + t[11] * t[11]);
}

/// Covariance and deviations of a result whose mean loss is known.
template <TrackerMotion Motion>
KOKKOS_INLINE_FUNCTION void set_deviations(TrackerState const& state, DirectTrackerInfo& info) {
  constexpr int own = pose_columns(Motion);
  for (int i = 0; i < own; ++i)
    for (int j = 0; j < own; ++j) info.covariance[i][j] = state.kept_cost * state.covariance[i][j];
  TrackerDeviations const found = [&] {
    if constexpr (Motion == TrackerMotion::ackermann)
      return arc_deviations(state.kept_motion[0], state.covariance[0][0]);
    else
      return deviations_in_space(state.kept_motion, state.covariance);
  }();
  constexpr double infinity = Kokkos::Experimental::infinity_v<double>;
  double const noise = Kokkos::sqrt(state.kept_cost);
  info.turn_deviation = found.turn < infinity ? noise * found.turn : infinity;
  info.way_deviation = found.way < infinity ? noise * found.way : infinity;
}

}  // namespace carroll::detail
