// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "files/batch_file.hpp"
#include "files/complex_matrix.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// This header leaves Kokkos out, so that only the file behind it is compiled for the device.
struct QrMemberResult {
  int status = 0;                ///< a Status
  int rank = 0;                  ///< -1 without pivoting
  double relative_residual = 0;  ///< NaN: not computed
};

template <class Number>
struct QrResult {
  std::vector<QrMemberResult> members;
  std::int64_t q_cols = 0, r_rows = 0;
  std::vector<Number> Q;                 ///< members × rows × q_cols, if it is to be written
  std::vector<Number> R;                 ///< members × r_rows × cols, if it is to be written
  std::vector<PartOf<Number>> diagonal;  ///< of R: members × min(rows, cols)
  std::vector<int> P;                    ///< members × cols; empty without pivoting
  std::string backend;
  double seconds = 0;
};

/// Copies the matrices, real or complex, to the device, factorises them there and brings the result
/// back. Needs a Runtime.
template <class Number>
[[nodiscard]] QrResult<Number> factorise(HostBatch<Number> const& batch,
                                         QrArguments const& arguments, Progress& progress);

}  // namespace carroll::tool
