// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/determinant/reference.hpp"
#include "support/host_matrix.hpp"

namespace carroll::test {

/// A matrix whose determinant is known in closed form.
struct KnownDeterminant {
  std::string name;
  HostMatrix<double> matrix;  ///< entries are exact, or rounded to double where that is told
  LongNumber determinant;
  double condition;  ///< an upper bound of the 2-norm condition number, or close to it
  bool fits_float;   ///< entries are exact in single precision too
};

/// Those of order n. Hilbert's, Vandermonde's and Cauchy's come with the determinant of the stored,
/// rounded matrix, from 113-bit elimination, and only while that is meaningful.
[[nodiscard]] std::vector<KnownDeterminant> known_determinants(int n);

/// Sylvester's Hadamard matrix; n must be a power of two.
[[nodiscard]] HostMatrix<double> hadamard(int n);

/// Wilkinson's matrix, on which elimination with partial pivoting has a growth of 2^(n-1); with
/// `turned` its transpose, rows and columns reversed, which does the same to condensation.
[[nodiscard]] HostMatrix<double> wilkinson(int n, bool turned);

}  // namespace carroll::test
