// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/host_matrix.hpp"

namespace carroll::test {

struct QuadPseudoinverse {
  HostMatrix<long double> inverse;
  int rank;
};

/// A⁺ in 113-bit arithmetic, for matrices of which columns depend on others exactly, or up to
/// 2⁻⁸⁰ of their norm, whatever the norms of columns are: Gram-Schmidt with pivots on columns of
/// norm 1, null vectors of what is left, made orthonormal after elimination with complete pivoting.
/// Shares no code with the solver. O((m+n)n²) quad operations: n ≤ 50.
[[nodiscard]] QuadPseudoinverse quad_pseudoinverse(HostMatrix<double> const& A);

}  // namespace carroll::test
