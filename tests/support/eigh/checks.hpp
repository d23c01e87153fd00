// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "support/eigh/drivers.hpp"
#include "support/host_matrix.hpp"

namespace carroll::test {

/// LAPACK's ratios of A = V·diag(W)·Vᵀ, in extended precision, in units of n·ε: ‖A·V - V·W‖₁/‖A‖₁
/// and ‖VᵀV - I‖₁.
struct EighRatios {
  double residual = 0;
  double orthogonality = 0;
};
template <class Real>
[[nodiscard]] EighRatios eigh_ratios(HostMatrix<Real> const& A, HostEigh<Real> const& result);

/// Largest error of W against the oracle, in units of n·ε·|λ|max; or, `relative`, of n·ε·|λ|.
template <class Real>
[[nodiscard]] double eigenvalue_error(HostMatrix<Real> const& A, std::vector<Real> const& W,
                                      bool relative = false);

/// What is wrong with a result for a finite A, "" for nothing: order, finiteness, signs, ratios,
/// and `values` of the oracle.
template <class Real>
[[nodiscard]] std::string what_is_wrong(HostMatrix<Real> const& A, HostEigh<Real> const& result,
                                        bool values = true);

}  // namespace carroll::test
