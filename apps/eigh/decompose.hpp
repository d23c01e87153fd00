// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "files/batch_file.hpp"
#include "files/complex_matrix.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// This header leaves Kokkos out, so that only the file behind it is compiled for the device.
struct EighMemberResult {
  int status = 0;  ///< a Status
  int sweeps = 0;
  int rank = 0;
  int negative = 0;
  double relative_residual = 0;  ///< NaN: not computed
};

template <class Number>
struct EighResult {
  std::vector<EighMemberResult> members;
  std::vector<PartOf<Number>> W;  ///< members × n
  std::vector<Number> V;          ///< members × n × n, if they are to be written
  std::string backend;
  double seconds = 0;
};

/// Copies the matrices to the device, decomposes them there and brings the result back. Needs a
/// Runtime.
template <class Number>
[[nodiscard]] EighResult<Number> eigendecompose(HostBatch<Number> const& batch,
                                                EighArguments const& arguments, Progress& progress);

}  // namespace carroll::tool
