// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/host_matrix.hpp"
#include "support/random.hpp"

/// Orthogonal transformations of generated matrices to the shapes that LAPACK's test programs have.
namespace carroll::test::lapack {

/// Q·A·Qᵀ, A symmetric, Q random orthogonal; exactly symmetric.
[[nodiscard]] HostMatrix<double> rotate_randomly(HostMatrix<double> A, Random& random);

/// A symmetric matrix with A's eigenvalues and nothing beyond `band` > 0 diagonals on either side,
/// by Householder reflections.
[[nodiscard]] HostMatrix<double> to_band(HostMatrix<double> A, int band);

/// R of A = Q·R: A's singular values.
[[nodiscard]] HostMatrix<double> upper_triangle(HostMatrix<double> A);

}  // namespace carroll::test::lapack
