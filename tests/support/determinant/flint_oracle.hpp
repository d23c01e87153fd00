// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// Was FLINT there when the tests were built?
[[nodiscard]] bool have_flint();

/// det A in decimal, by FLINT's fmpz_mat_det; empty without FLINT.
[[nodiscard]] std::string flint_determinant(HostMatrix<std::int64_t> const& A);

/// mantissa·2^exponent.
struct BinaryNumber {
  double mantissa = 0;
  std::int64_t exponent = 0;
};

/// (det A − x) / |det A| for each x, of the matrix of the very doubles in A, in exact arithmetic
/// but for a last rounding, which keeps the sign and 0. ±Inf for a determinant of 0. Empty without
/// FLINT. A must be finite.
[[nodiscard]] std::vector<double> flint_distances(HostMatrix<double> const& A,
                                                  std::vector<BinaryNumber> const& numbers);

/// log2 of Σ 2^(rows[i] + columns[j])·|(A⁻¹)_ji|: how much larger a relative error of det A is, to
/// first order, than errors of the entries a_ij next to 2^(rows[i] + columns[j]). Exact but for the
/// logarithm. Infinite for a determinant of 0; NaN without FLINT. A must be finite.
[[nodiscard]] double flint_log2_sensitivity(HostMatrix<double> const& A,
                                            std::vector<int> const& rows,
                                            std::vector<int> const& columns);

}  // namespace carroll::test
