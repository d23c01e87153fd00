// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "files/batch_file.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// This header leaves Kokkos out, so that only the file behind it is compiled for the device.
struct SolveMemberResult {
  int status = 0;  ///< a Status
  bool ill_conditioned = false;
  double rcond = 0;              ///< NaN where it is not known
  double growth = 0;             ///< NaN where it is not known
  double relative_residual = 0;  ///< NaN where there is no solution
};

template <class Number>
struct SolveResult {
  std::vector<SolveMemberResult> members;
  std::vector<Number> X;  ///< members × n × columns, if it is to be written
  std::string backend;
  double seconds = 0;
};

/// Copies the systems to the device, solves them there and brings the result back; with `inverts`
/// the right-hand sides are those of the identity, which B must hold. Number: float, double or
/// std::complex of these. Needs a Runtime.
template <class Number>
[[nodiscard]] SolveResult<Number> solve_systems(HostBatch<Number> const& A,
                                                HostBatch<Number> const& B, bool inverts,
                                                SolveArguments const& arguments,
                                                Progress& progress);

}  // namespace carroll::tool
