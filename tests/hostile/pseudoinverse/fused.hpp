// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hostile/pseudoinverse/arrow_runs.hpp"

namespace carroll::test {

/// Is there a functor for k motion columns?
inline bool has_fused_rows(int k) {
  return k == 1 || k == 2 || k == 3 || k == 6;
}

/// The step of rows that a functor hands out, with covariance and variances.
ArrowRun<float> run_fused(ArrowFrames<float> const& all, ArrowWorkspace<float>& workspace);
ArrowRun<double> run_fused(ArrowFrames<double> const& all, ArrowWorkspace<double>& workspace);

}  // namespace carroll::test
