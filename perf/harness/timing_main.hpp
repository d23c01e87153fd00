// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/main.hpp"

namespace carroll::perf {

/// What every benchmark that times begins with.
class TimedBench {
 public:
  TimedBench(Exec const& exec, Settings const& settings, MachineLimits const& limits)
      : exec_(exec), harness_(settings, limits) {}

  void run() { harness_.run(); }

 protected:
  /// Plans an entry: binds make(data) to what draw() draws, times it, and tells what
  /// fault_of(data, contender) finds wrong with its result, once.
  template <class Real, class Priority, class Shape, class Draw, class Make, class FaultOf>
  void plan_checked(Priority priority, std::string const& name, bool device, Shape const& shape,
                    Draw const& draw, Make const& make, FaultOf const& fault_of) {
    harness_.plan(priority, name, [=, this](benchmark::State& state) {
      auto const data = draw();
      auto const contender = make(data);
      double const first_run = timed_run(*contender);
      std::string fault = contender->complaint();
      if (fault.empty()) fault = fault_of(data, *contender);
      harness_.template report_times<Real>(state, harness_.samples(*contender, first_run),
                                           shape.flops(), shape.bytes(sizeof(Real)), device);
      report_check(state, fault);
    });
  }

  Exec exec_;
  Harness harness_;
};

/// The main of a benchmark that times: measures what the machine can do, and runs what plan(bench)
/// has added to a Bench(exec, settings, limits).
template <class Bench, class Plan>
int timing_main(char const* name, int argc, char** argv, Settings settings, Plan const& plan) {
  auto const run = [&](Exec const& exec, std::string const& hashes) {
    MachineLimits const limits = measure_limits(exec);
    add_context(name, exec, limits, hashes);
    Bench bench(exec, settings, limits);
    plan(bench);
    bench.run();
  };
  return main_of(name, argc, argv, run, &settings);
}

}  // namespace carroll::perf
