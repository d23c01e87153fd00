// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/direct_tracker/schedule/plan.hpp>
#include <carroll/detail/direct_tracker/state.hpp>
#include <carroll/detail/direct_tracker/vertices/update.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/team.hpp>
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

/// What the solver is told, and tells.
struct TrackerStep {
  float* motion = nullptr;  ///< k
  float* depth = nullptr;   ///< M
  double* damping = nullptr;
  int* active = nullptr;
  MeshInfo<float>* info = nullptr;
  float const* covariance = nullptr;  ///< k×k, of passes on the finest level
};

/// After a pass. As MeshSolveKernel's last step, or a kernel of its own.
template <class ExecSpace, TrackerMotion Motion>
struct UpdateKernel {
  DirectTrackerOptions options;
  TrackerPass pass;
  int vertices;
  TrackerDepths depths;
  TrackerStep step;
  TrackerState* state;
  DirectTrackerIteration* log;

  /// Rounding errors of rows in single precision, in grey levels squared.
  static constexpr double least_gain = 1e-6;

  /// The length of a candidate's way, in mean ranges of the start.
  static constexpr double candidate_way = 1.0 / 30;

  /// Parts of the vertices, one to a thread.
  static constexpr int slots = 16;

  /// Bytes of it: the state is there meanwhile, as one thread reads and writes most of it, one
  /// number after the other.
  static constexpr std::size_t scratch = sizeof(TrackerState) + 64;

  void enqueue(ExecSpace const& exec) const {
    constexpr int threads = lanes<ExecSpace> == 1 ? 1 : slots;
    launch_teams("carroll::direct_tracker::update", exec, *this,
                 {.threads = threads, .scratch = scratch, .lanes = lanes<ExecSpace>});
  }

  /// The state is read before the pass is over.
  KOKKOS_FUNCTION TrackerState* prepare(TeamMember<ExecSpace> const& team) const {
    auto* const s = static_cast<TrackerState*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(TrackerState), 16));
    copy_state(team, *s, *state);
    return s;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    (*this)(team, prepare(team), *step.info, nullptr);
  }
  /// `motion`: the step of it, if it is not only in memory.
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team, TrackerState* prepared,
                                  MeshInfo<float> const& info, float const* motion) const {
    TrackerState& s = *prepared;
    Told const told{info, motion ? motion : step.motion, *pass.seen, *step.active, *step.damping};
    [[maybe_unused]] int const part = team.team_rank();
    VertexUpdate const vertex{depths, pass.columns.depth != 0 ? step.depth : nullptr,
                              options.max_log_depth_step, pass.next};
    [[maybe_unused]] VertexUpdate::Held held[2] = {};
    KOKKOS_IF_ON_DEVICE((for (int h = 0; h < 2; ++h) {
      int const i = slot_begin(vertices, slots, part) + vector_lane(team) + 32 * h;
      if (part < slots && i < slot_begin(vertices, slots, part + 1)) held[h] = vertex.held(i);
    }))
    double drift = 0;
    if (Motion == TrackerMotion::se3 && vertex.step) {
      // The scale, of which images tell nothing, stays.
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, vertices),
          [&](int i, double& sum) { sum += vertex.capped(vertex.step[i]); }, drift);
      drift /= vertices > 0 ? vertices : 1;
    }
    team.team_barrier();
    int verdict = verdict_nothing;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& result) { result = decide(s, told, drift); }, verdict);
    bool const stays = verdict == verdict_nothing && pass.next == TrackerNext::go_on;
    thread_for(team, stays ? 0 : slots, [&](int slot) {
      int const begin = slot_begin(vertices, slots, slot);
      float const size =
          lane_max<float>(team, slot_begin(vertices, slots, slot + 1) - begin, [&](int i) {
            VertexUpdate::Held here = held[0];
            KOKKOS_IF_ON_DEVICE((if (i >= 32) here = held[1];
                                 if (i >= 64 || slot != part) here = vertex.held(begin + i);))
            KOKKOS_IF_ON_HOST((here = vertex.held(begin + i);))
            vertex.put(begin + i, verdict, drift, here);
            return Kokkos::abs(here.step);
          });
      once_per_thread(team, [&] { Kokkos::atomic_max(&s.longest, magnitude(size)); });
    });
    team.team_barrier();
    copy_state(team, *state, s);
  }

 private:
  /// What the verdict depends on, read before the first branch.
  struct Told {
    MeshInfo<float> info;
    float const* motion;
    int seen, active;
    double damping;
  };

  /// One thread: what becomes of the trial, the damping and the level.
  KOKKOS_FUNCTION int decide(TrackerState& s, Told const& told, double drift) const {
    if (s.stopped != 0) return verdict_nothing;
    s.damping = told.damping;
    int verdict = verdict_nothing;
    if (pass.looks != 0)
      verdict = judge_start(s, told);
    else if (told.active != 0)
      verdict = judge(s, told.info, told.seen);
    if (verdict == verdict_forward)
      move<Motion>(s, told.motion, Kokkos::exp(drift));
    else if (verdict == verdict_back)
      copy(s.motion, s.kept_motion);
    else if (verdict == verdict_seen_start)
      copy(s.motion, s.saved_motion);
    if (pass.first != 0 && verdict == verdict_forward) copy_brightness(s.start_motion, s.motion);
    if (s.stopped == 0 && pass.last != 0) verdict += begin_stage(s);
    if (s.stopped != 0) *step.active = 0;
    *step.damping = s.damping;
    set_pose<Motion>(s);
    return verdict;
  }

  /// After a stage: what the next one begins with. Returns verdict_is_best if a candidate is.
  KOKKOS_FUNCTION int begin_stage(TrackerState& s) const {
    int result = 0;
    bool const candidate_ends = pass.next == TrackerNext::candidate ||
                                pass.next == TrackerNext::best || pass.next == TrackerNext::depths;
    bool const is_less = s.has_best == 0 || s.any_cost_will_do != 0 || s.kept_cost < s.best_cost;
    if (candidate_ends && s.compares != 0 && is_less) {
      s.has_best = 1;
      s.best_cost = s.kept_cost;
      s.searched_depths = s.has_searched;
      s.best_samples = s.kept_samples;
      copy(s.saved_motion, s.kept_motion);
      result = verdict_is_best;
    }
    s.has_searched = s.any_cost_will_do = 0;
    if (pass.next == TrackerNext::look) copy(s.saved_motion, s.motion);
    if (pass.next != TrackerNext::go_on) copy(s.motion, s.start_motion);
    if constexpr (Motion == TrackerMotion::se3) {
      if (pass.next == TrackerNext::candidate)
        for (int a = 0; a < 3; ++a)
          s.motion[4 * a + 3] = candidate_way * s.mean_range * static_cast<double>(pass.way[a]);
    }
    if (pass.next == TrackerNext::depths && s.has_best != 0) copy(s.motion, s.saved_motion);
    if (pass.next == TrackerNext::best && s.has_best == 0 && result == 0) {
      s.stopped = 1;
      s.end = TrackerEnd::too_little_overlap;
    }
    // A candidate that nothing is seen of is left alone on its next level.
    *step.active = pass.next != TrackerNext::go_on || s.compares != 0 ? 1 : 0;
    s.damping = options.damping;
    if (*step.active != 0) s.compares = 0;
    return result;
  }

  KOKKOS_FUNCTION static void copy(double* to, double const* from) {
    for (int i = 0; i < frame_numbers(Motion); ++i) to[i] = from[i];
  }
  KOKKOS_FUNCTION static void copy_brightness(double* to, double const* from) {
    for (int i = motion_numbers(Motion); i < frame_numbers(Motion); ++i) to[i] = from[i];
  }

  /// The start, and its brightness as it was fitted before, is what has to be bettered.
  KOKKOS_FUNCTION int judge_start(TrackerState& s, Told const& told) const {
    MeshInfo<float> const& info = told.info;
    double const cost = mean_cost(info);
    bool const usable = is_usable(info, told.seen);
    write_log(s, info, cost, usable);
    s.compares = usable ? 1 : 0;
    s.kept_cost = s.initial_cost = cost;
    s.kept_samples = static_cast<int>(info.rows);
    s.growth = 2;
    s.promised = 0;
    copy(s.kept_motion, s.start_motion);
    if (usable) move_brightness<Motion>(s.start_motion, s.start_motion, told.motion);
    return verdict_seen_start;
  }

  KOKKOS_FUNCTION int judge(TrackerState& s, MeshInfo<float> const& info, int seen) const {
    double const cost = mean_cost(info);
    bool const better = is_usable(info, seen) && (s.compares == 0 || cost <= s.kept_cost);
    write_log(s, info, cost, better);
    if (!better) return take_back(s, info);
    if (s.compares != 0 && s.promised > 0) {
      double const gain = (s.kept_cost - cost) / s.promised;
      double const x = 2 * gain - 1;
      s.damping *= Kokkos::fmax(1.0 / 3, 1 - x * x * x);
      s.growth = 2;
    }
    if (s.compares == 0) {
      s.initial_cost = cost;
      s.growth = 2;
      s.compares = 1;
    }
    s.kept_cost = cost;
    s.kept_samples = static_cast<int>(info.rows);
    copy(s.kept_motion, s.motion);
    if (pass.level == 0 && pass.columns.way != 0) copy_covariance(s);
    // Without depths the promise has what the smoothness would gain.
    s.promised =
        pass.columns.depth != 0 ? info.predicted_reduction / static_cast<double>(info.rows) : 0;
    bool const done = pass.may_converge != 0 && s.promised <= options.tolerance * cost + least_gain;
    if (done) *step.active = 0;
    if (pass.level == 0 && pass.searches == 0) {
      if (done)
        s.end = TrackerEnd::converged;
      else if (pass.last != 0 && !(s.kept_cost < s.initial_cost))
        s.end = TrackerEnd::diverged;
    }
    return done || (pass.last != 0 && pass.level == 0) ? verdict_keep : verdict_forward;
  }

  KOKKOS_FUNCTION void copy_covariance(TrackerState& s) const {
    constexpr int own = pose_columns(Motion), k = motion_columns(Motion);
    for (int i = 0; i < own; ++i)
      for (int j = 0; j < own; ++j)
        s.covariance[i][j] = static_cast<double>(step.covariance[i * k + j]);
  }

  /// Back to what was kept, with more damping.
  KOKKOS_FUNCTION int take_back(TrackerState& s, MeshInfo<float> const& info) const {
    if (s.compares == 0) {
      if (pass.searches != 0) {
        *step.active = 0;
        return verdict_nothing;
      }
      s.stopped = 1;
      s.end = is_finite(info) ? TrackerEnd::too_little_overlap : TrackerEnd::non_finite;
      return verdict_back;
    }
    s.damping *= s.growth;
    s.growth *= 2;
    s.promised = 0;  // of what is evaluated once more
    bool const ends = pass.level == 0 && pass.searches == 0 && pass.last != 0;
    if (ends && !(s.kept_cost < s.initial_cost)) s.end = TrackerEnd::diverged;
    return verdict_back;
  }

  KOKKOS_FUNCTION bool is_usable(MeshInfo<float> const& info, int seen) const {
    return has_rows(info, options.min_valid * seen);
  }

  KOKKOS_FUNCTION void write_log(TrackerState& s, MeshInfo<float> const& info, double cost,
                                 bool accepted) const {
    DirectTrackerIteration entry;
    entry.level = pass.level;
    entry.accepted = accepted;
    entry.valid_samples = static_cast<int>(info.rows);
    entry.solver_iterations = info.iterations;
    entry.cost = cost;
    entry.gradient = info.rows > 0 ? 2 * info.motion_gradient / static_cast<double>(info.rows) : 0;
    entry.damping = s.damping;
    if (s.iterations > 0) log[s.iterations - 1].step = of_magnitude<float>(s.longest);
    s.longest = 0;
    log[s.iterations++] = entry;
  }
};

}  // namespace carroll::detail
