// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/update.hpp>
#include <carroll/detail/team.hpp>

/// What happens before the first pass of a window, and to the motions after the last one. One team
/// each.
namespace carroll::detail {

/// The caller's motions and depths become the trial.
template <class ExecSpace, class Depth>
struct BeginWindowKernel {
  static constexpr TrackerMotion Motion = TrackerMotion::se3;

  double const* motions;  ///< F×12
  std::int64_t frame_stride, motion_stride;
  Depth const* zeta;
  std::int64_t zeta_stride;
  int vertices, frames;
  double damping;
  TrackerDepths depths;
  TrackerStep step;
  TrackerState* states;
  int const* faults;  ///< of the frames, F
  int const* reference_fault;
  int* counts;  ///< TrackerCount

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const bad = begin_depths(team, zeta, zeta_stride, vertices, depths);
    double const range = begin_range(team, vertices, depths);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int wrong = bad + *reference_fault;
      for (int f = 0; f < frames; ++f) wrong += faults[f] + put_motion(states[f], f);
      for (int c = 0; c < tracker_counts; ++c) counts[c] = 0;
      TrackerState& s = states[0];
      s.mean_range = range;
      s.stopped = wrong != 0;
      s.end = wrong != 0 ? TrackerEnd::non_finite : TrackerEnd::iteration_limit;
      s.iterations = s.longest = s.compares = s.kept_samples = 0;
      s.kept_cost = s.initial_cost = s.promised = 0;
      s.growth = 2;
      for (auto& row : s.covariance)
        for (double& entry : row) entry = 0;
      *step.active = s.stopped == 0;
      *step.damping = damping;
    });
  }

 private:
  /// Returns how many of its numbers are not finite.
  KOKKOS_FUNCTION int put_motion(TrackerState& s, int f) const {
    int wrong = 0;
    for (int i = 0; i < motion_numbers(Motion); ++i) {
      s.motion[i] = motions[f * frame_stride + i * motion_stride];
      wrong += !Kokkos::isfinite(s.motion[i]);
    }
    s.motion[motion_numbers(Motion)] = 1;
    s.motion[motion_numbers(Motion) + 1] = 0;
    for (int i = 0; i < frame_numbers(Motion); ++i)
      s.kept_motion[i] = s.start_motion[i] = s.motion[i];
    s.stopped = 0;  // the verdict asks every frame's
    set_pose<Motion>(s);
    return wrong;
  }
};

/// The motions of all frames but the first go to the caller.
struct WindowMotionsKernel {
  static constexpr int numbers = motion_numbers(TrackerMotion::se3);

  double* motions;
  std::int64_t frame_stride, motion_stride;
  TrackerState const* states;

  KOKKOS_FUNCTION void operator()(int e) const {
    int const f = 1 + e / numbers, i = e % numbers;
    bool const lost = states[0].end == TrackerEnd::non_finite;
    motions[f * frame_stride + i * motion_stride] =
        lost ? Kokkos::Experimental::quiet_NaN_v<double> : states[f].kept_motion[i];
  }
};

}  // namespace carroll::detail
