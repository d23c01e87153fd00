// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/determinant/reference.hpp"
#include "support/host_matrix.hpp"

namespace carroll::test {

/// det A, and how much larger its relative error is, to first order, than errors of the entries
/// next to 2^(rows[i] + columns[j]): the logarithm to base 2 of Σ 2^(rows[i] +
/// columns[j])·|(A⁻¹)_ji|.
struct ConditionedDeterminant {
  LongNumber determinant;
  double log2_sensitivity;  ///< infinite if elimination ended at a pivot of 0
};

/// Both by Gauss-Jordan elimination with partial pivoting in 113-bit arithmetic: right to about
/// n·2^(log2_sensitivity - 112). `im` may be empty. Shares no code with the solver. n ≤ 150.
[[nodiscard]] ConditionedDeterminant quad_conditioned_determinant(HostMatrix<double> const& re,
                                                                  HostMatrix<double> const& im,
                                                                  std::vector<int> const& rows,
                                                                  std::vector<int> const& columns);

}  // namespace carroll::test
