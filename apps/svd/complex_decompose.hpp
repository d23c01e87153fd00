// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <vector>

#include "files/host_matrix.hpp"
#include "progress.hpp"
#include "svd/decompose.hpp"

namespace carroll::tool {

template <class Real>
struct ComplexDecomposition {
  DecompositionSummary summary;
  std::vector<Real> S;               ///< all min(rows, cols) of them
  HostMatrix<std::complex<Real>> U;  ///< rows × columns
  HostMatrix<std::complex<Real>> V;  ///< cols × columns
};

/// As `decompose`, of a complex matrix, by the preconditioned method. Needs a Runtime.
template <class Real>
[[nodiscard]] ComplexDecomposition<Real> decompose(HostMatrix<std::complex<Real>> const& A,
                                                   DecomposeOptions const& options,
                                                   Progress& progress);

}  // namespace carroll::tool
