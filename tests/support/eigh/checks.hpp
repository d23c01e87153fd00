// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/eigh/drivers.hpp"
#include "support/eigh/quad_eigenvalues.hpp"
#include "support/host_matrix.hpp"

namespace carroll::test {

/// LAPACK's ratios of A = V·diag(W)·Vᴴ, in extended precision, in units of n·ε: ‖A·V - V·W‖₁/‖A‖₁
/// and ‖VᴴV - I‖₁.
struct EighRatios {
  double residual = 0;
  double orthogonality = 0;
};
template <class T>
[[nodiscard]] EighRatios eigh_ratios(HostMatrix<T> const& A, HostEigh<T> const& result);

/// Eigenvalues by the oracle, quad_eigenvalues; of a complex matrix those of the real one of twice
/// the order, which has each of them twice.
template <class T>
[[nodiscard]] std::vector<long double> exact_eigenvalues(HostMatrix<T> const& A);

/// The same by the quick oracle.
template <class Real>
[[nodiscard]] std::vector<long double> extended_eigenvalues(
    HostMatrix<Kokkos::complex<Real>> const& A);

/// Largest error of W, of n values, against an oracle's, in units of n·ε·|λ|max; or, `relative`,
/// of n·ε·|λ|.
template <class Real>
[[nodiscard]] double eigenvalue_error(std::vector<long double> const& exact,
                                      std::vector<Real> const& W, bool relative = false);

/// The same, by the oracle.
template <class T>
[[nodiscard]] double eigenvalue_error(HostMatrix<T> const& A, std::vector<RealOf<T>> const& W,
                                      bool relative = false);

/// What is wrong with a result for a finite A, "" for nothing: order, finiteness, signs, ratios,
/// and `values` of the quick oracle.
template <class T>
[[nodiscard]] std::string what_is_wrong(HostMatrix<T> const& A, HostEigh<T> const& result,
                                        bool values = true);

}  // namespace carroll::test
