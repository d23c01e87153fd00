// SPDX-License-Identifier: BSD-3-Clause
// Times denoising, background and foreground of frames, and the coder up to its entropy coder, on
// made-up pictures, which are where kernels run.
//
//   bench_pictures [--hashes=core=…,pictures=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                  [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are pictures/denoise/<side>x<side>x<planes>/carroll_<thorough or fast>,
// pictures/encode/<width>x<height>x3/carroll_<cosines or automatic>,
// pictures/denoise_frames/<frames>x<side>x<side>/carroll_frames and
// pictures/robust_pca/<frames>x<width>x<height>/carroll_pursuit.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/denoise.hpp>
#include <carroll/denoise_frames.hpp>
#include <carroll/robust_pca.hpp>
#include <string>
#include <utility>

#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "pictures/encode.hpp"
#include "pictures/synthetic.hpp"

namespace carroll::perf {
namespace {

enum class Priority { pictures, frames };

constexpr float noise = 25;

class Denoise : public Contender {
 public:
  Denoise(Exec const& exec, int side, int planes, DenoiseEffort effort)
      : exec_(exec),
        picture_(noisy_picture(exec, planes, side, noise)),
        result_("carroll_perf::result", planes, side, side),
        workspace_(denoise_workspace(exec, planes, side, side,
                                     denoise_options(static_cast<double>(noise), effort))) {}
  void run() override { info_ = denoise(exec_, picture_, result_, workspace_); }
  std::string complaint() override {
    return info_.status == Status::success ? "" : "has not denoised";
  }

 private:
  Exec exec_;
  PicturePlanes picture_, result_;
  DenoiseWorkspace<Exec> workspace_;
  DenoiseInfo info_;
};

class DenoiseFrames : public Contender {
 public:
  DenoiseFrames(Exec const& exec, int frames, int side)
      : exec_(exec),
        frames_(noisy_picture(exec, frames, side, noise)),
        result_("carroll_perf::result", frames, side, side) {}
  void run() override {
    info_ = denoise_frames(exec_, frames_, result_, {.noise = static_cast<double>(noise)});
  }
  std::string complaint() override {
    return info_.status == Status::success ? "" : "has not denoised";
  }

 private:
  Exec exec_;
  PicturePlanes frames_, result_;
  DenoiseInfo info_;
};

class RobustPca : public Contender {
 public:
  RobustPca(Exec const& exec, int frames, int width, int height)
      : exec_(exec),
        D_(made_up_frames(exec, frames, width, height)),
        L_("carroll_perf::L", D_.extent(0), D_.extent(1)),
        S_("carroll_perf::S", D_.extent(0), D_.extent(1)) {}
  void run() override { info_ = robust_pca(exec_, D_, L_, S_); }
  std::string complaint() override {
    return info_.status == Status::success && info_.rank == 5 ? "" : "has not found the rank of 5";
  }

 private:
  Exec exec_;
  FrameMatrix D_, L_, S_;
  RobustPcaInfo info_;
};

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  template <class Kind, class... Extents>
  void add(Priority priority, std::string const& name, double samples, Extents... extents) {
    harness_.plan(priority, name, [this, samples, extents...](benchmark::State& state) {
      Kind contender(exec_, extents...);
      double const first_run = timed_run(contender);
      std::string const fault = contender.complaint();
      auto const times = harness_.samples(contender, first_run);
      harness_.report_times<float>(state, times, 0, 2 * samples * sizeof(float), true);
      state.counters["samples_per_second"] = samples / median(times);
      report_check(state, fault);
    });
  }
};

void add_all(Bench& bench) {
  for (auto const& [effort, name] :
       {std::pair{DenoiseEffort::fast, "fast"}, std::pair{DenoiseEffort::thorough, "thorough"}})
    for (auto const& [side, planes] : {std::pair{64, 1}, {256, 1}, {512, 1}, {512, 3}, {2048, 1}}) {
      if (side == 2048 && !on_device) continue;
      bench.add<Denoise>(Priority::pictures,
                         "pictures/denoise/" + std::to_string(side) + "x" + std::to_string(side) +
                             "x" + std::to_string(planes) + "/carroll_" + name,
                         double(side) * side * planes, side, planes, effort);
    }
  for (auto const& [basis, name] :
       {std::pair{PatchBasis::cosines, "cosines"}, {PatchBasis::automatic, "automatic"}})
    for (auto const& [width, height] : {std::pair{64, 64}, {768, 512}, {3840, 2160}})
      bench.add<Encode>(Priority::pictures,
                        "pictures/encode/" + std::to_string(width) + "x" + std::to_string(height) +
                            "x3/carroll_" + name,
                        3.0 * width * height, width, height, basis);
  for (auto const& [frames, side] : {std::pair{16, 64}, {64, 256}})
    bench.add<DenoiseFrames>(Priority::frames,
                             "pictures/denoise_frames/" + std::to_string(frames) + "x" +
                                 std::to_string(side) + "x" + std::to_string(side) +
                                 "/carroll_frames",
                             double(frames) * side * side, frames, side);
  for (auto const& [frames, width, height] :
       {std::array{40, 64, 48}, {200, 160, 120}, {200, 320, 240}})
    bench.add<RobustPca>(Priority::frames,
                         "pictures/robust_pca/" + std::to_string(frames) + "x" +
                             std::to_string(width) + "x" + std::to_string(height) +
                             "/carroll_pursuit",
                         double(frames) * width * height, frames, width, height);
}

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>("bench_pictures", argc, argv, {.entry_time = 0.1, .time_limit = 240},
                            [](Bench& bench) { add_all(bench); });
}
