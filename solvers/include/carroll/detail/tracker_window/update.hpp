// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/update.hpp>

/// What happens between two passes over the rows of a window: Levenberg and Marquardt's method as
/// in direct_tracker/update.hpp, for the motions of F frames and one set of depths. The first
/// frame's state leads: cost, damping and end of all of them are there.
///
/// The first pass of a level keeps what it evaluates. On the finest level that is the start or what
/// the coarser one has made of it; where the finest level's start, looked at before all else, was
/// better, the window is `diverged`, and what it began with is its result.
namespace carroll::detail {

/// What a pass of a window is for.
enum class WindowPassKind : int {
  look,  ///< at the start, on the finest level: its cost has to be bettered; fits the brightness
  all,
};

struct WindowPass {
  int level = 0;
  WindowPassKind kind = WindowPassKind::all;
  int const* seen = nullptr;  ///< rows that the reference image reaches
  int last = 0;               ///< of its level
};

template <class ExecSpace>
struct WindowUpdateKernel {
  static constexpr TrackerMotion Motion = TrackerMotion::se3;
  static constexpr int columns = motion_columns(Motion);
  static constexpr int slots = 16;
  static constexpr std::size_t scratch = 64;
  static constexpr double least_gain = 1e-6;

  DirectTrackerOptions options;
  WindowPass pass;
  int vertices, frames;
  TrackerDepths depths;
  TrackerStep step;
  TrackerState* states;  ///< F

  enum Verdict : int { nothing, forward, back, keep, start };

  void enqueue(ExecSpace const& exec) const {
    constexpr int threads = lanes<ExecSpace> == 1 ? 1 : slots;
    launch_teams("carroll::tracker_window::update", exec, *this,
                 {.threads = threads, .scratch = scratch, .lanes = lanes<ExecSpace>});
  }

  KOKKOS_FUNCTION int prepare(TeamMember<ExecSpace> const&) const { return 0; }
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    (*this)(team, 0, *step.info, nullptr);
  }
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team, int /*prepared*/,
                                  MeshInfo<float> const& info, float const* /*motion*/) const {
    double drift = 0;
    bool const free = pass.kind == WindowPassKind::all;
    if (free) {
      // The scale, of which images tell nothing, stays.
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, vertices),
          [&](int i, double& sum) { sum += capped(step.depth[i]); }, drift);
      drift /= vertices > 0 ? vertices : 1;
    }
    team.team_barrier();
    int verdict = nothing;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& result) { result = decide(states[0], info); }, verdict);
    double const shrink = Kokkos::exp(drift);
    thread_for(team, verdict == nothing ? 0 : slots, [&](int slot) {
      int const begin = slot_begin(vertices, slots, slot);
      lane_for(team, slot_begin(vertices, slots, slot + 1) - begin,
               [&](int i) { put(begin + i, verdict, free ? drift : 0.0, free); });
    });
    thread_for(team, verdict == nothing ? 0 : frames, [&](int f) {
      once_per_thread(team, [&] { put_motion(states[f], f, verdict, shrink); });
    });
  }

 private:
  KOKKOS_FUNCTION double capped(float x) const {
    double const cap = options.max_log_depth_step;
    return Kokkos::fmax(-cap, Kokkos::fmin(static_cast<double>(x), cap));
  }

  /// Vertex i of the next trial, and of what is kept.
  KOKKOS_FUNCTION void put(int i, int verdict, double drift, bool free) const {
    double xi = depths.kept[i];
    if (verdict == forward || verdict == keep) depths.kept[i] = xi = depths.trial[i];
    if (verdict == start) depths.kept[i] = xi = depths.start[i];
    if (verdict == forward && free) xi -= capped(step.depth[i]) - drift;
    depths.trial[i] = xi;
    depths.prior[i] = static_cast<float>(xi);
    depths.zeta[i] = static_cast<float>(Kokkos::exp(xi));
  }

  KOKKOS_FUNCTION void put_motion(TrackerState& s, int f, int verdict, double shrink) const {
    auto const copy = [](double* to, double const* from) {
      for (int i = 0; i < frame_numbers(Motion); ++i) to[i] = from[i];
    };
    if (verdict == forward || verdict == keep) copy(s.kept_motion, s.motion);
    if (verdict == start) copy(s.kept_motion, s.start_motion);
    if (verdict == forward)
      move<Motion>(s, step.motion + columns * f, shrink);
    else
      copy(s.motion, s.kept_motion);
    if (pass.kind == WindowPassKind::look) copy(s.start_motion, s.motion);
    set_pose<Motion>(s);
  }

  /// One thread: what becomes of the trial and the damping.
  KOKKOS_FUNCTION int decide(TrackerState& s, MeshInfo<float> const& told) const {
    MeshInfo<float> const info = told;
    int const seen = *pass.seen, active = *step.active;
    if (s.stopped != 0) return nothing;
    int verdict = nothing;
    if (active != 0) {
      ++s.iterations;
      verdict =
          pass.kind == WindowPassKind::look ? judge_start(s, info, seen) : judge(s, info, seen);
    }
    if (s.stopped == 0 && pass.last != 0) {
      *step.active = 1;
      *step.damping = options.damping;
      s.compares = 0;
      if (pass.level == 0 && pass.kind == WindowPassKind::all && s.kept_cost > s.initial_cost) {
        s.end = TrackerEnd::diverged;
        verdict = start;
        s.kept_cost = s.initial_cost;
      }
    }
    if (s.stopped != 0) *step.active = 0;
    return verdict;
  }

  /// The start's brightness is fitted with it.
  KOKKOS_FUNCTION int judge_start(TrackerState& s, MeshInfo<float> const& info, int seen) const {
    if (!is_usable(info, seen)) {
      s.stopped = 1;
      s.end = is_finite(info) ? TrackerEnd::too_little_overlap : TrackerEnd::non_finite;
      return nothing;
    }
    s.initial_cost = s.kept_cost = mean_cost(info);
    s.kept_samples = static_cast<int>(info.rows);
    return forward;
  }

  KOKKOS_FUNCTION int judge(TrackerState& s, MeshInfo<float> const& info, int seen) const {
    double const cost = mean_cost(info);
    bool const better = is_usable(info, seen) && (s.compares == 0 || cost <= s.kept_cost);
    if (!better) {
      if (s.compares == 0) {
        s.stopped = 1;
        s.end = is_finite(info) ? TrackerEnd::too_little_overlap : TrackerEnd::non_finite;
        return start;
      }
      *step.damping *= s.growth;
      s.growth *= 2;
      s.promised = 0;
      return back;
    }
    if (s.compares != 0 && s.promised > 0) {
      double const x = 2 * (s.kept_cost - cost) / s.promised - 1;
      *step.damping *= Kokkos::fmax(1.0 / 3, 1 - x * x * x);
    }
    s.growth = 2;
    s.compares = 1;
    s.kept_cost = cost;
    s.kept_samples = static_cast<int>(info.rows);
    if (pass.level == 0) copy_covariance(s);
    bool const free = pass.kind == WindowPassKind::all;
    s.promised = free ? info.predicted_reduction / static_cast<double>(info.rows) : 0;
    bool const done = free && s.promised <= options.tolerance * cost + least_gain;
    if (done) *step.active = 0;
    if (done && pass.level == 0) s.end = TrackerEnd::converged;
    return done || (pass.last != 0 && pass.level == 0) ? keep : forward;
  }

  /// Of the first frame.
  KOKKOS_FUNCTION void copy_covariance(TrackerState& s) const {
    constexpr int own = pose_columns(Motion);
    int const k = columns * frames;
    for (int i = 0; i < own; ++i)
      for (int j = 0; j < own; ++j)
        s.covariance[i][j] = static_cast<double>(step.covariance[i * k + j]);
  }

  KOKKOS_FUNCTION bool is_usable(MeshInfo<float> const& info, int seen) const {
    return has_rows(info, options.min_valid * seen * frames);
  }
};

}  // namespace carroll::detail
