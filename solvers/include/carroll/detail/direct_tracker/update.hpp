// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/direct_tracker/state.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/mesh_jacobian/types.hpp>

/// What happens between two passes over the rows: the method of Levenberg and Marquardt, without
/// the host. One team; its threads share the vertices.
///
/// A pass evaluates a trial θ: its cost, and the step x = A⁺r that starts there. If the cost is
/// less than what was kept, the trial is kept, and θ - x becomes the next one; else what was kept
/// becomes the trial again, with more damping. The damping follows the gain ratio γ of the actual
/// to the promised gain (Nielsen 1999): μ·max(1/3, 1 - (2γ - 1)³) after a success, μ·ν with ν = 2,
/// 4, 8, … after failures. A level ends when the model promises too little, or with its last pass.
/// The step that starts there goes to the next finer level, whose first pass keeps whatever it
/// evaluates, since costs of two levels cannot be compared; on the finest level it is not taken.
///
/// Sources: Levenberg 1944, Marquardt 1963; Nielsen, Damping parameter in Marquardt's method, 1999.
namespace carroll::detail {

/// Depths of the vertices, ξ = log ζ.
struct TrackerDepths {
  double* kept = nullptr;   ///< ξ
  double* trial = nullptr;  ///< ξ
  float* zeta = nullptr;    ///< exp ξ of the trial, which rows read
  float* prior = nullptr;   ///< ξ of the trial, which the solver's smoothness reads
};

/// What the solver is told, and tells.
struct TrackerStep {
  float* motion = nullptr;  ///< k
  float* depth = nullptr;   ///< M
  double* damping = nullptr;
  int* active = nullptr;
  MeshInfo<float>* info = nullptr;
};

/// A pass, as its launch knows it.
struct TrackerPass {
  int level = 0;
  int const* seen = nullptr;  ///< rows that the reference image reaches
  int last = 0;               ///< of its level: 1 or 0
};

/// Before the first pass: the caller's motion and depths become the trial.
template <class ExecSpace, TrackerMotion Motion, class Depth>
struct BeginFrameKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  double const* motion;
  std::int64_t motion_stride;
  Depth const* zeta;
  std::int64_t zeta_stride;
  int vertices;
  double damping;
  TrackerDepths depths;
  TrackerStep step;
  TrackerState* state;
  int const* faults;  ///< TrackerFault

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int bad = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, vertices),
        [&](int i, int& partial) {
          double const z = static_cast<double>(zeta[i * zeta_stride]);
          double const xi = Kokkos::log(z);
          depths.kept[i] = depths.trial[i] = xi;
          depths.prior[i] = static_cast<float>(xi);
          depths.zeta[i] = static_cast<float>(z);
          partial += !(Kokkos::isfinite(xi));
        },
        bad);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int wrong = bad;
      for (int i = 0; i < motion_numbers(Motion); ++i) {
        double const x = motion[i * motion_stride];
        wrong += !Kokkos::isfinite(x);
        state->motion[i] = state->kept_motion[i] = x;
      }
      if constexpr (Motion == TrackerMotion::ackermann)
        wrong += !(Kokkos::abs(state->motion[0]) < 2);
      state->stopped = 0;
      state->end = TrackerEnd::iteration_limit;
      if (wrong + faults[fault_of_reference] + faults[fault_of_current] != 0) {
        state->end = TrackerEnd::non_finite;
        state->stopped = 1;
      }
      state->iterations = state->longest = 0;
      state->compares = 0;
      state->kept_cost = state->initial_cost = 0;
      state->kept_samples = 0;
      *step.active = state->stopped == 0;
      *step.damping = damping;
      set_pose<Motion>(*state);
    });
  }
};

/// After a pass. As MeshSolveKernel's last step, or a kernel of its own.
template <class ExecSpace, TrackerMotion Motion>
struct UpdateKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  DirectTrackerOptions options;
  TrackerPass pass;
  int vertices;
  TrackerDepths depths;
  TrackerStep step;
  TrackerState* state;
  DirectTrackerIteration* log;

  /// Rounding errors of rows in single precision, in grey levels squared.
  static constexpr double least_gain = 1e-6;

  /// Parts of the vertices, one to a thread.
  static constexpr int slots = 16;

  enum Verdict : int { nothing, forward, back, keep };

  void enqueue(ExecSpace const& exec) const {
    constexpr int threads = lanes<ExecSpace> == 1 ? 1 : slots;
    launch_teams("carroll::direct_tracker::update", exec, *this,
                 {.threads = threads, .lanes = lanes<ExecSpace>});
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const { (*this)(team, 0); }
  KOKKOS_FUNCTION void operator()(Member const& team, int /*problem*/) const {
    double drift = 0;
    if constexpr (Motion == TrackerMotion::se3) {
      // The scale, of which images tell nothing, stays.
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, vertices),
          [&](int i, double& sum) { sum += capped(step.depth[i], options.max_log_depth_step); },
          drift);
      drift /= vertices > 0 ? vertices : 1;
    }
    int verdict = nothing;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& result) { result = decide(drift); }, verdict);
    if (verdict == nothing) return;
    thread_for(team, slots, [&](int slot) {
      int const begin = slot_begin(vertices, slots, slot);
      float const size =
          lane_max<float>(team, slot_begin(vertices, slots, slot + 1) - begin, [&](int i) {
            put(begin + i, verdict, drift);
            return Kokkos::abs(step.depth[begin + i]);
          });
      once_per_thread(team, [&] { Kokkos::atomic_max(&state->longest, magnitude(size)); });
    });
  }

 private:
  KOKKOS_FUNCTION static double capped(float x, double cap) {
    return Kokkos::fmax(-cap, Kokkos::fmin(static_cast<double>(x), cap));
  }

  /// Vertex i of the next trial, and of what is kept.
  KOKKOS_FUNCTION void put(int i, int verdict, double drift) const {
    double xi = depths.kept[i];
    if (verdict == forward || verdict == keep) depths.kept[i] = xi = depths.trial[i];
    if (verdict == forward) xi -= capped(step.depth[i], options.max_log_depth_step) - drift;
    depths.trial[i] = xi;
    depths.prior[i] = static_cast<float>(xi);
    depths.zeta[i] = static_cast<float>(Kokkos::exp(xi));
  }

  /// One thread: what becomes of the trial, the damping and the level.
  KOKKOS_FUNCTION int decide(double drift) const {
    TrackerState& s = *state;
    // What the verdict depends on, read before the first branch.
    MeshInfo<float> const info = *step.info;
    int const seen = *pass.seen, active = *step.active;
    if (s.stopped != 0) return nothing;
    int verdict = nothing;
    if (active != 0) verdict = judge(info, seen);
    if (verdict == forward)
      move<Motion>(s, step.motion, Kokkos::exp(drift));
    else if (verdict == back)
      for (int i = 0; i < motion_numbers(Motion); ++i) s.motion[i] = s.kept_motion[i];
    if (verdict == forward || verdict == back) set_pose<Motion>(s);
    if (s.stopped != 0) {
      *step.active = 0;
    } else if (pass.last != 0) {
      *step.active = 1;
      *step.damping = options.damping;
      s.compares = 0;
    }
    return verdict;
  }

  KOKKOS_FUNCTION int judge(MeshInfo<float> const& info, int seen) const {
    TrackerState& s = *state;
    double const cost = info.rows > 0 ? info.cost / static_cast<double>(info.rows) : 0;
    bool const enough = info.rows > 0 && static_cast<double>(info.rows) >= options.min_valid * seen;
    bool const finite = info.status != Status::non_finite && info.status != Status::overflow;
    bool const better = enough && finite && (s.compares == 0 || cost <= s.kept_cost);

    DirectTrackerIteration entry;
    entry.level = pass.level;
    entry.accepted = better;
    entry.valid_samples = static_cast<int>(info.rows);
    entry.solver_iterations = info.iterations;
    entry.cost = cost;
    entry.gradient = info.rows > 0 ? 2 * info.motion_gradient / static_cast<double>(info.rows) : 0;
    entry.damping = *step.damping;
    if (s.iterations > 0) log[s.iterations - 1].step = of_magnitude<float>(s.longest);
    s.longest = 0;
    log[s.iterations++] = entry;

    if (!better) {
      if (s.compares == 0) {
        s.stopped = 1;
        s.end = finite ? TrackerEnd::too_few_samples : TrackerEnd::non_finite;
        return back;
      }
      *step.damping *= s.growth;
      s.growth *= 2;
      s.promised = 0;  // of what is evaluated once more
      if (pass.level == 0 && pass.last != 0 && !(s.kept_cost < s.initial_cost))
        s.end = TrackerEnd::diverged;
      return back;
    }
    if (s.compares != 0 && s.promised > 0) {
      double const gain = (s.kept_cost - cost) / s.promised;
      double const x = 2 * gain - 1;
      *step.damping *= Kokkos::fmax(1.0 / 3, 1 - x * x * x);
      s.growth = 2;
    }
    if (s.compares == 0) {
      s.initial_cost = cost;
      s.growth = 2;
      s.compares = 1;
    }
    s.kept_cost = cost;
    s.kept_samples = static_cast<int>(info.rows);
    for (int i = 0; i < motion_numbers(Motion); ++i) s.kept_motion[i] = s.motion[i];
    s.promised = info.predicted_reduction / static_cast<double>(info.rows);
    bool const done = s.promised <= options.tolerance * cost + least_gain;
    if (done) *step.active = 0;
    if (pass.level == 0) {
      if (done)
        s.end = TrackerEnd::converged;
      else if (pass.last != 0 && !(s.kept_cost < s.initial_cost))
        s.end = TrackerEnd::diverged;
    }
    return done || (pass.last != 0 && pass.level == 0) ? keep : forward;
  }
};

/// After the last pass: the best motion and depths go to the caller, with the info; NaN where the
/// input was not finite.
template <class ExecSpace, TrackerMotion Motion, class Depth>
struct FinishFrameKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  double* motion;
  std::int64_t motion_stride;
  Depth* zeta;
  std::int64_t zeta_stride;
  int vertices;
  TrackerDepths depths;
  TrackerState const* state;
  DirectTrackerIteration* log;
  DirectTrackerInfo* info;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
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
      result.end = s.end;
      bool const good = s.end == TrackerEnd::converged || s.end == TrackerEnd::iteration_limit;
      result.status = good ? Status::success : lost ? Status::non_finite : Status::not_converged;
      result.iterations = s.iterations;
      result.valid_samples = s.kept_samples;
      result.initial_cost = s.initial_cost;
      result.cost = s.kept_cost;
      *info = result;
      if (s.iterations > 0) log[s.iterations - 1].step = of_magnitude<float>(s.longest);
    });
  }
};

}  // namespace carroll::detail
