// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "host_matrix.hpp"

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

}  // namespace carroll::test
