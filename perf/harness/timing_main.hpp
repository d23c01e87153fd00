// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <string>

#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/main.hpp"
#include "harness/options.hpp"

namespace carroll::perf {

/// The main of a benchmark that times: takes its options and Google Benchmark's, measures what the
/// machine can do, and runs what plan(bench) has added to a Bench(exec, settings, limits).
template <class Bench, class Plan>
int timing_main(char const* name, int argc, char** argv, Settings settings, Plan const& plan) {
  return main_of(name, argc, argv, [&](int count, char** arguments) {
    std::string const hashes = take_hashes(count, arguments);
    take_settings(count, arguments, settings);
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;

    Exec const exec;
    MachineLimits const limits = measure_limits(exec);
    add_context(name, exec, limits, hashes);
    Bench bench(exec, settings, limits);
    plan(bench);
    bench.run();
    benchmark::Shutdown();
    return 0;
  });
}

}  // namespace carroll::perf
