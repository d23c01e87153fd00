// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// A·X = B by Gauss-Jordan elimination with partial pivoting in 113 bits.
struct ExactSolution {
  bool singular = false;        ///< nothing but rounding is left of the matrix at some step
  HostMatrix<long double> X;    ///< rounded
  double rcond = 0;             ///< 1/(‖A‖₁‖A⁻¹‖₁) of the scaled matrix
  std::vector<int> rows, cols;  ///< exponents of the powers of two that it was scaled by
};

/// Where rows or columns differ by more than 2^4 columns, then rows, are scaled to largest entries
/// in [1/2, 1), otherwise nothing is.
template <class Real>
[[nodiscard]] ExactSolution exact_solution(HostMatrix<Real> const& A, HostMatrix<Real> const& B);

/// X by LAPACK's gesv, and its xLACN2's estimate of the reciprocal condition number, from vectors
/// in the order of A's columns; gecon has them in that of the pivots, and another estimate.
template <class Real>
struct LapackSolution {
  bool singular = false;
  HostMatrix<Real> X;
  Real rcond = 0;
};
/// Empty when the build has no LAPACKE.
template <class Real>
[[nodiscard]] std::optional<LapackSolution<Real>> lapack_solution(HostMatrix<Real> A,
                                                                  HostMatrix<Real> B);

}  // namespace carroll::test
