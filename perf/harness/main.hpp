// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>

namespace carroll::perf {

/// A benchmark's main: Kokkos lives as long as `run`; what that throws is one line on stderr and an
/// exit status of 1.
template <class Run>
int main_of(char const* name, int argc, char** argv, Run const& run) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  try {
    return run(argc, argv);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace carroll::perf
