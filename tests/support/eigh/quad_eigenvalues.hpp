// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// Eigenvalues of symmetric A, ascending, by two-sided Jacobi in 113-bit arithmetic, row-cyclic
/// (Jacobi 1846; Demmel and Veselić 1992): for positive definite A = D·H·D every value is right to
/// about cond(H)·2⁻¹¹², for others to about ‖A‖·2⁻¹¹². Shares no code and no method with the
/// solver. O(n³) quad operations per sweep: n ≤ 100.
template <class Real>
[[nodiscard]] std::vector<long double> quad_eigenvalues(HostMatrix<Real> const& A);

/// The same in 64 bits, in a twentieth of the time: right to about cond(H)·2⁻⁶³ or ‖A‖·2⁻⁶³, a
/// two-thousandth of double precision's rounding errors, for whom thousands of matrices wait.
template <class Real>
[[nodiscard]] std::vector<long double> extended_eigenvalues(HostMatrix<Real> const& A);

}  // namespace carroll::test
