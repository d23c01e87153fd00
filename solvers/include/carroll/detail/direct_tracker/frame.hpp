// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/deviations.hpp>
#include <carroll/detail/direct_tracker/update.hpp>
#include <carroll/detail/team.hpp>

/// What happens before the first pass of a frame, and after the last one. One team each.
namespace carroll::detail {

/// Before the first pass: the caller's motion and depths become the trial.
template <class ExecSpace, TrackerMotion Motion, class Depth>
struct BeginFrameKernel {
  double const* motion;
  std::int64_t motion_stride;
  Depth const* zeta;
  std::int64_t zeta_stride;
  int vertices;
  double damping;
  TrackerDepths depths;
  TrackerStep step;
  TrackerState* state;
  int* faults;  ///< TrackerFault
  int* counts;  ///< TrackerCount

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const bad = begin_depths(team, zeta, zeta_stride, vertices, depths);
    double range = 1;
    if constexpr (Motion == TrackerMotion::se3) range = begin_range(team, vertices, depths);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int wrong = bad;
      for (int i = 0; i < motion_numbers(Motion); ++i) {
        double const x = motion[i * motion_stride];
        wrong += !Kokkos::isfinite(x);
        state->motion[i] = x;
      }
      state->motion[motion_numbers(Motion)] = 1;
      state->motion[motion_numbers(Motion) + 1] = 0;
      for (int i = 0; i < frame_numbers(Motion); ++i)
        state->kept_motion[i] = state->start_motion[i] = state->motion[i];
      if constexpr (Motion == TrackerMotion::ackermann)
        wrong += !(Kokkos::abs(state->motion[0]) < 2);
      state->stopped = 0;
      state->end = TrackerEnd::iteration_limit;
      if (wrong + faults[fault_of_reference] + faults[fault_of_current] != 0) {
        state->end = TrackerEnd::non_finite;
        state->stopped = 1;
      }
      faults[fault_of_current] = 0;
      for (int c = 0; c < tracker_counts; ++c) counts[c] = 0;
      state->iterations = state->longest = 0;
      state->compares = 0;
      state->kept_cost = state->initial_cost = 0;
      state->kept_samples = state->best_samples = state->has_best = state->searched_depths = 0;
      state->has_searched = state->any_cost_will_do = 0;
      state->best_cost = 0;
      for (auto& row : state->covariance)
        for (double& entry : row) entry = 0;
      state->mean_range = range;
      *step.active = state->stopped == 0;
      *step.damping = damping;
      set_pose<Motion>(*state);
    });
  }
};

/// After the last pass: the best motion and depths go to the caller, with the info; NaN where the
/// input was not finite.
template <class ExecSpace, TrackerMotion Motion, class Depth>
struct FinishFrameKernel {
  double* motion;
  std::int64_t motion_stride;
  Depth* zeta;
  std::int64_t zeta_stride;
  int vertices;
  TrackerDepths depths;
  TrackerState const* state;
  DirectTrackerIteration* log;
  DirectTrackerInfo* info;
  DirectTrackerOptions options;
  int triangles;
  double pixel;       ///< angle between two of the image, rad
  int const* counts;  ///< TrackerCount

  /// A share of the triangles without which there is nothing to be aligned.
  static constexpr double least_textured = 0.02;

  KOKKOS_FUNCTION TrackerEnd verdict(DirectTrackerInfo const& found) const {
    TrackerEnd const end = state->end;
    if (end != TrackerEnd::converged && end != TrackerEnd::iteration_limit) return end;
    double const textured = counts[count_of_textured], matched = counts[count_of_matched];
    if (!(textured > least_textured * triangles)) return TrackerEnd::no_texture;
    if (!(matched >= options.min_matched * textured)) return TrackerEnd::unexplained;
    // A way that moves what is seen by less than half a pixel is none: that it leads nowhere in
    // particular is no fault.
    bool const moves = way_length<Motion>(*state) > 0.5 * pixel * state->mean_range;
    bool const sure = found.turn_deviation <= options.max_turn_deviation &&
                      (!moves || found.way_deviation <= options.max_way_deviation);
    return sure ? end : TrackerEnd::ambiguous;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    TrackerState const& s = *state;
    bool const lost = s.end == TrackerEnd::non_finite;
    constexpr double nan = Kokkos::Experimental::quiet_NaN_v<double>;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, vertices), [&](int i) {
      zeta[i * zeta_stride] = static_cast<Depth>(lost ? double{nan} : Kokkos::exp(depths.kept[i]));
    });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, motion_numbers(Motion)), [&](int i) {
      motion[i * motion_stride] = lost ? double{nan} : s.kept_motion[i];
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      DirectTrackerInfo result;
      set_deviations<Motion>(s, result);
      result.end = verdict(result);
      bool const good =
          result.end == TrackerEnd::converged || result.end == TrackerEnd::iteration_limit;
      result.status = good ? Status::success : lost ? Status::non_finite : Status::not_converged;
      result.iterations = s.iterations;
      result.valid_samples = s.kept_samples;
      result.initial_cost = s.initial_cost;
      result.cost = s.kept_cost;
      result.textured_triangles = counts[count_of_textured];
      result.matched_triangles = counts[count_of_matched];
      result.searched_depths = s.searched_depths != 0;
      result.gain = s.kept_motion[motion_numbers(Motion)];
      result.offset = s.kept_motion[motion_numbers(Motion) + 1];
      *info = result;
      if (s.iterations > 0) log[s.iterations - 1].step = of_magnitude<float>(s.longest);
    });
  }
};

}  // namespace carroll::detail
