// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::track_frame on pictures of the synthetic room, with all data resident.
//
//   bench_direct_tracker [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                        [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are tracker/<group>/<instances>x<samples>x<vertices>/<motion>/carroll_<method> for times,
// and kernels/… for the share of each kernel. The pictures are those of the accuracy tests:
// 2048×1024, noise of 2 grey levels. Groups are `frames`, 30 iterations, a start without turn and
// with depths that are 20 % off, and `sequence`, a frame that begins where the one before ended:
// with nine tenths of the turn and depths that are 5 % off, 18 iterations on 5 levels.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "support/tolerance.hpp"
#include "support/tracker/problem.hpp"

namespace carroll::perf {
namespace {

using test::TrackedState;
using test::TrackerProblem;

/// Where a frame begins, and what it may take.
struct Setting {
  char const* group;
  double depths;  ///< that many times the true ones, or one over it
  double turn;    ///< share of the true one
  DirectTrackerOptions options;
};

Setting first_frame(TrackerMotion motion) {
  return {"frames", 1.2, 0, {.motion = motion}};
}
Setting next_frame(TrackerMotion motion) {
  return {"sequence", 1.05, 0.9, {.motion = motion, .levels = 5, .iterations = 18}};
}

TrackedState start_of(TrackerProblem const& problem, Setting const& setting) {
  TrackedState const state(problem, setting.options.motion, setting.depths);
  double const rho = setting.turn * problem.rho, half = std::asin(rho / 2);
  double const c = std::cos(2 * half), s = std::sin(2 * half);
  std::array<double, 12> const pose = {c, -s, 0, std::cos(half), s, c, 0, std::sin(half), 0,
                                       0, 1,  0};
  auto const host = Kokkos::create_mirror_view(state.motion);
  if (host.extent(0) == 1)
    host(0) = rho;
  else
    std::copy(pose.begin(), pose.end(), host.data());
  Kokkos::deep_copy(state.motion, host);
  return state;
}

/// A frame on each of several instances, which know nothing of each other. Every frame begins at
/// the same start, which is copied on the device before it.
class TrackerContender : public Contender {
 public:
  TrackerContender(Exec const& exec, TrackerProblem const& problem, Setting const& setting,
                   int instances)
      : problem_(problem),
        reference_(TrackerProblem::rounded(problem.reference)),
        current_(TrackerProblem::rounded(problem.current)),
        start_(start_of(problem, setting)) {
    std::vector<Exec> const parts = instances == 1 ? std::vector{exec}
                                                   : Kokkos::Experimental::partition_space(
                                                         exec, std::vector<int>(instances, 1));
    for (Exec const& part : parts) {
      trackers_.push_back(
          {part, direct_tracker_workspace(part, problem.camera, problem.mesh, setting.options),
           start_of(problem, setting),
           Kokkos::View<DirectTrackerInfo, Exec>("carroll_perf::info")});
      set_reference_async(part, reference_, trackers_.back().workspace);
    }
    fence();
  }

  void run() override {
    for (Tracker& tracker : trackers_) {
      Kokkos::deep_copy(tracker.exec, tracker.state.motion, start_.motion);
      Kokkos::deep_copy(tracker.exec, tracker.state.depth, start_.depth);
      track_frame_async(tracker.exec, current_, tracker.state.view(), tracker.info,
                        tracker.workspace);
    }
  }
  void fence() override {
    for (Tracker const& tracker : trackers_) tracker.exec.fence("carroll_perf::TrackerContender");
  }

  std::string complaint() override {
    for (Tracker const& tracker : trackers_) {
      if (info(tracker).status != Status::success)
        return "ended as " + std::string(to_string(info(tracker).end));
      if (tracker.state.numbers() != trackers_.front().state.numbers()) return "instances differ";
    }
    if (!(heading_error() <= test::tracker_heading_bar)) return "heading wrong";
    if (!(depth_error() <= test::tracker_depth_bar)) return "depths wrong";
    return {};
  }
  double heading_error() const { return trackers_.front().state.heading_error(problem_); }
  double depth_error() const { return trackers_.front().state.depth_error(problem_); }
  int passes() const { return info(trackers_.front()).iterations; }

 private:
  struct Tracker {
    Exec exec;
    DirectTrackerWorkspace<Exec> workspace;
    TrackedState state;
    Kokkos::View<DirectTrackerInfo, Exec> info;
  };
  static DirectTrackerInfo info(Tracker const& tracker) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), tracker.info)();
  }

  TrackerProblem const& problem_;
  test::TrackerPicture<std::uint8_t> reference_, current_;
  TrackedState start_;
  std::vector<Tracker> trackers_;
};

/// What is measured first, second …
enum class Priority { frames, sequence, kernels };

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(TrackerMotion motion, int instances) {
    std::string const key =
        std::to_string(instances) + "x" + std::to_string(problem_.host_mesh.samples.extent(0)) +
        "x" + std::to_string(problem_.host_mesh.vertices.extent(0)) + "/" +
        (motion == TrackerMotion::ackermann ? "ackermann" : "se3") + "/carroll_esm";
    plan(Priority::frames, first_frame(motion), key, instances);
    if (instances > 1) return;
    plan(Priority::sequence, next_frame(motion), key, 1);
    harness_.plan_kernels(Priority::kernels, key, [this, motion] {
      return std::make_unique<TrackerContender>(exec_, problem_, first_frame(motion), 1);
    });
  }

 private:
  void plan(Priority priority, Setting const& setting, std::string const& key, int instances) {
    harness_.plan(priority, std::string("tracker/") + setting.group + "/" + key,
                  [this, setting, instances](benchmark::State& state) {
                    measure(state, setting, instances);
                  });
  }

  /// Seconds are those of one frame: of frames that the host awaits one by one, one on each
  /// instance, and of frames that follow each other without a word to the host.
  void measure(benchmark::State& state, Setting const& setting, int instances) {
    TrackerContender contender(exec_, problem_, setting, instances);
    std::vector<double> times = harness_.samples(contender, timed_run(contender));
    for (double& time : times) time /= instances;
    Harness::report_seconds(state, times);
    auto& counters = state.counters;
    if (on_device) counters["enqueued_seconds"] = Harness::enqueued_seconds(contender) / instances;
    counters["heading_error"] = contender.heading_error();
    counters["depth_error"] = contender.depth_error();
    counters["passes"] = contender.passes();
    report_check(state, contender.complaint());
  }

  TrackerProblem const problem_{Camera<double>::equirectangular(2048, 1024), 10, 60, 0.1, 0.5, 2};
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>(
      "bench_direct_tracker", argc, argv, {.entry_time = 0.5, .time_limit = 120}, [](Bench& bench) {
        for (auto const motion : {carroll::TrackerMotion::ackermann, carroll::TrackerMotion::se3})
          for (int const instances : {1, 2, 4})
            if (on_device || instances == 1) bench.add(motion, instances);
      });
}
