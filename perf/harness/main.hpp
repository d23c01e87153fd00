// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/options.hpp"

namespace carroll::perf {

/// A benchmark's main: takes its options, `settings` among them if there are any, and Google
/// Benchmark's, and calls run(exec, hashes) while Kokkos lives. What that throws is one line on
/// stderr and an exit status of 1.
template <class Run>
int main_of(char const* name, int argc, char** argv, Run const& run, Settings* settings = nullptr) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  try {
    std::string const hashes = take_hashes(argc, argv);
    if (settings) take_settings(argc, argv, *settings);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    run(Exec(), hashes);
    benchmark::Shutdown();
    return 0;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace carroll::perf
