// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "harness/contender.hpp"

namespace carroll::perf {

/// Seconds of one run.
inline double timed_run(Contender& contender) {
  contender.restore();
  contender.fence();
  auto const start = std::chrono::steady_clock::now();
  contender.run();
  contender.fence();
  std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

}  // namespace carroll::perf
