// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// A·X = B by Gauss-Jordan elimination with partial pivoting in 113 bits; in 64 where growth and
/// condition let that have errors of 1e-7 of the result at most, and less than a thousandth of what
/// double precision may have.
struct ExactSolution {
  bool singular = false;        ///< nothing but rounding is left of the matrix at some step
  HostMatrix<long double> X;    ///< rounded
  double rcond = 0;             ///< 1/(‖A‖₁‖A⁻¹‖₁) of the scaled matrix
  std::vector<int> rows, cols;  ///< exponents of the powers of two that it was scaled by
};

/// Where rows or columns differ by more than 2^4 columns, then rows, are scaled to largest entries
/// in [1/2, 1), otherwise nothing is. `pairs`: A is a complex matrix written as [Re -Im; Im Re] and
/// B as [Re; Im], and the condition is that of the complex one.
template <class Real>
[[nodiscard]] ExactSolution exact_solution(HostMatrix<Real> const& A, HostMatrix<Real> const& B,
                                           bool pairs = false);

/// X by LAPACK's gesv, and its xLACN2's estimate of the reciprocal condition number, from vectors
/// in the order of A's columns; gecon has them in that of the pivots, and another estimate.
template <class T>
struct LapackSolution {
  bool singular = false;
  HostMatrix<T> X;
  double rcond = 0;
};
/// Of float, double or std::complex of these. Empty when the build has no LAPACKE.
template <class T>
[[nodiscard]] std::optional<LapackSolution<T>> lapack_solution(HostMatrix<T> A, HostMatrix<T> B);

}  // namespace carroll::test
