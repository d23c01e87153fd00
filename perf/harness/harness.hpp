// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/contender.hpp"
#include "harness/context.hpp"
#include "harness/kernel_clock.hpp"
#include "harness/options.hpp"
#include "harness/timed_run.hpp"

namespace carroll::perf {

template <class Real>
constexpr char const* precision_name = std::is_same_v<Real, float> ? "single" : "double";

struct Settings {
  double entry_time = 0.1;  // seconds of measuring per entry, at least
  double time_limit = 400;  // seconds after which the remaining entries are skipped
  // The first run warms up and is not counted, unless it takes longer than `slow`: then it is the
  // only one. After one longer than `slowish` there are two, otherwise at least `least_runs`.
  double slow = 1;
  double slowish = 0.4;
  std::size_t least_runs = 3;
};

/// Takes --entry-time and --time-limit out of the command line.
inline void take_settings(int& argc, char** argv, Settings& settings) {
  if (auto const text = take_option(argc, argv, "entry-time"); !text.empty())
    settings.entry_time = std::stod(text);
  if (auto const text = take_option(argc, argv, "time-limit"); !text.empty())
    settings.time_limit = std::stod(text);
}

inline double median(std::vector<double> samples) {
  auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// What a benchmark measures, in the order of its priorities, until the time limit; and how it
/// takes the time of a contender.
class Harness {
 public:
  using Body = std::function<void(benchmark::State&)>;

  Harness(Settings const& settings, MachineLimits const& limits)
      : settings_(settings), limits_(limits), start_(Clock::now()) {}

  /// `Priority` is an enumeration: what matters most comes first.
  template <class Priority>
  void plan(Priority priority, std::string const& name, Body body) {
    plan_.push_back({static_cast<int>(priority), name, std::move(body)});
  }

  /// The shares of the kernels of what `make()` points to.
  template <class Priority, class Make>
  void plan_kernels(Priority priority, std::string const& name, Make const& make) {
    plan(priority, "kernels/" + name, [make](benchmark::State& state) {
      auto const contender = make();
      report_kernels(state, *contender);
    });
  }

  /// Has Google Benchmark run what was planned, in the order of the priorities.
  void run() {
    std::stable_sort(plan_.begin(), plan_.end(),
                     [](auto const& a, auto const& b) { return a.priority < b.priority; });
    for (Planned const& planned : plan_)
      benchmark::RegisterBenchmark(
          planned.name.c_str(),
          [this, body = planned.body](benchmark::State& state) { guarded(state, body); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();  // what they hold of Kokkos must not outlive it
  }

  /// Seconds of the runs that count, after a first one.
  std::vector<double> samples(Contender& contender, double first_run) const {
    if (first_run > settings_.slow) return {first_run};
    std::size_t const least = first_run > settings_.slowish ? 2 : settings_.least_runs;
    std::vector<double> times;
    for (double total = 0; total < settings_.entry_time || times.size() < least;) {
      times.push_back(timed_run(contender));
      total += times.back();
    }
    return times;
  }

  /// Seconds of one of several runs that follow each other on the device without a word to the
  /// host.
  static double enqueued_seconds(Contender& contender) {
    constexpr int runs = 20;
    std::vector<double> times;
    for (int repetition = 0; repetition < 7; ++repetition) {
      contender.fence();
      auto const start = std::chrono::steady_clock::now();
      for (int run = 0; run < runs; ++run) contender.run();
      contender.fence();
      std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
      times.push_back(elapsed.count() / runs);
    }
    return median(times);
  }

  /// The counters of the time; returns the median.
  static double report_seconds(benchmark::State& state, std::vector<double> const& times) {
    double const seconds = median(times);
    for (auto _ : state) state.SetIterationTime(seconds);
    auto& counters = state.counters;
    counters["median_seconds"] = seconds;
    counters["min_seconds"] = *std::min_element(times.begin(), times.end());
    counters["runs"] = static_cast<double>(times.size());
    return seconds;
  }

  /// The counters that every entry has. `device`: it ran on the default execution space, whose
  /// limits were measured.
  template <class Real>
  void report_times(benchmark::State& state, std::vector<double> const& times, double flops,
                    double bytes, bool device) const {
    double const seconds = report_seconds(state, times);
    auto& counters = state.counters;
    counters["flops_per_second"] = flops / seconds;
    counters["bytes_per_second"] = bytes / seconds;
    double const gemm = std::is_same_v<Real, float> ? limits_.gemm_single : limits_.gemm_double;
    if (device && gemm > 0) counters["gemm_fraction"] = flops / seconds / gemm;
    if (device) counters["copy_fraction"] = bytes / seconds / limits_.copy_bytes;
  }

  /// Seconds and launches of every kernel of one run, fenced one by one, and the time of another
  /// run left alone.
  static void report_kernels(benchmark::State& state, Contender& contender) {
    timed_run(contender);
    for (auto _ : state) {
      double const undisturbed = timed_run(contender);
      contender.restore();
      contender.fence();
      KernelClock const clock;
      contender.run();
      contender.fence();
      double total = 0;
      for (auto const& [label, record] : clock.records()) {
        total += record.seconds;
        state.counters["time:" + label] = record.seconds;
        state.counters["launches:" + label] = static_cast<double>(record.launches);
      }
      state.SetIterationTime(total);
      state.counters["undisturbed_seconds"] = undisturbed;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Planned {
    int priority;
    std::string name;
    Body body;
  };

  /// One failing entry must not end the run.
  void guarded(benchmark::State& state, Body const& body) const {
    std::chrono::duration<double> const elapsed = Clock::now() - start_;
    if (elapsed.count() > settings_.time_limit) {
      state.SkipWithError("skipped: the time limit is reached");
      return;
    }
    try {
      body(state);
    } catch (std::exception const& error) {
      state.SkipWithError(error.what());
    }
  }

  Settings settings_;
  MachineLimits limits_;
  Clock::time_point start_;
  std::vector<Planned> plan_;
};

/// The check of a result, as a label; `more` fields of it begin with a semicolon.
inline void report_check(benchmark::State& state, std::string const& fault,
                         std::string const& more = {}) {
  state.SetLabel("check=" + (fault.empty() ? "ok" : fault) + more);
}

}  // namespace carroll::perf
