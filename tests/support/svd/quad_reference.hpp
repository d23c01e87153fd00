// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// Singular values of A, descending, by one-sided Jacobi in 113-bit arithmetic.
///
/// Plain row-cyclic Jacobi on the columns, sorted by norm (Demmel and Veselić 1992; de Rijk 1989):
/// for A = B·D every value is right to about cond(B)·2⁻¹¹², whatever the scaling D. With fewer rows
/// than columns it works on Aᵀ. Shares no code with the solver. O(n³) quad operations per sweep: n
/// ≤ 100.
template <class Real>
[[nodiscard]] std::vector<long double> quad_singular_values(HostMatrix<Real> const& A);

/// The same in 64 bits, in a twentieth of the time: every value is right to about σ₁·2⁻⁶³, a
/// two-thousandth of double precision's rounding errors, for whom thousands of matrices wait.
template <class Real>
[[nodiscard]] std::vector<long double> extended_singular_values(HostMatrix<Real> const& A);

}  // namespace carroll::test
