// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

enum class LapackDriver {
  gesdd,  // bidiagonal divide and conquer: errors relative to σ₁
  gesvj,  // one-sided Jacobi
  gejsv,  // preconditioned one-sided Jacobi: errors relative to each σ for A = B·D
};

/// Singular values by LAPACK, descending; empty when the build has no LAPACKE, or when LAPACK
/// reports failure. Needs rows ≥ cols for the Jacobi drivers.
template <class Real>
[[nodiscard]] std::optional<std::vector<Real>> lapack_singular_values(LapackDriver driver,
                                                                      HostMatrix<Real> A);

struct LeastSquares {
  std::vector<double> x;      // the shortest least-squares solution
  std::vector<double> sigma;  // singular values, descending
  int rank = 0;               // those above rcond·σ₁
};

/// min ‖Ax − b‖₂ by gelsd; empty when the build has no LAPACKE.
[[nodiscard]] std::optional<LeastSquares> lapack_least_squares(HostMatrix<double> A,
                                                               std::vector<double> b, double rcond);

}  // namespace carroll::test
