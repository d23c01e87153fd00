// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// This header leaves Kokkos out, so that only the file behind it is compiled for the device.
struct DecomposeOptions {
  bool vectors = true;       ///< compute U and V, and the residual
  bool copy_vectors = true;  ///< bring U and V back to the host
  std::int64_t columns = 0;  ///< singular triplets that the residual and U and V keep
  std::string method;        ///< an enumerator of SvdMethod, or "truncated"
  std::string placement;     ///< an enumerator of Placement
  std::string path;          ///< an enumerator of SvdPath
  double tolerance = 0;
  int max_sweeps = 30;
};

/// What the truncated method has measured.
struct Truncation {
  int power_steps = 0;  ///< 0 where all triplets were computed
  double residual = 0;
  double error = 0;
};

struct DecompositionSummary {
  std::string status;
  std::string backend;
  int sweeps = 0;
  double max_cosine = 0;
  int rank = 0;
  double seconds = 0;
  std::optional<double> relative_residual;
  std::optional<Truncation> truncation;  ///< takes the place of sweeps, cosine and rank
};

template <class Real>
struct Decomposition {
  DecompositionSummary summary;
  std::vector<Real> S;  ///< all min(rows, cols) of them, or, truncated, `columns`
  HostMatrix<Real> U;   ///< rows × columns
  HostMatrix<Real> V;   ///< cols × columns
};

/// Copies A to the device, decomposes it there and brings the result back. Needs a Runtime.
template <class Real>
[[nodiscard]] Decomposition<Real> decompose(HostMatrix<Real> const& A,
                                            DecomposeOptions const& options, Progress& progress);

}  // namespace carroll::tool
