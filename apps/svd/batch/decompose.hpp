// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "files/batch_file.hpp"
#include "files/complex_matrix.hpp"
#include "progress.hpp"
#include "svd/decompose.hpp"

namespace carroll::tool {

/// What is told of one member, in numbers that ranks can send each other.
struct MemberDecomposition {
  int status = 0;  ///< of carroll::Status
  int sweeps = 0;
  int rank = 0;
  double max_cosine = 0;
  double relative_residual = 0;  ///< NaN without vectors
};

/// Member after member, row after row.
template <class Number>
struct BatchDecomposition {
  std::string backend;
  std::vector<MemberDecomposition> members;
  std::vector<PartOf<Number>> S;  ///< all min(rows, cols) of each
  std::vector<Number> U;          ///< rows × columns of each
  std::vector<Number> V;          ///< cols × columns of each
  double seconds = 0;
};

/// As `decompose`, of every member of a batch, real or complex. Needs a Runtime.
template <class Number>
[[nodiscard]] BatchDecomposition<Number> decompose(HostBatch<Number> const& batch,
                                                   DecomposeOptions const& options,
                                                   Progress& progress);

}  // namespace carroll::tool
