// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// Singular values of a complex matrix by LAPACK's gesdd, descending; empty when the build has no
/// LAPACKE, or when LAPACK reports failure.
[[nodiscard]] std::vector<double> lapack_complex_singular_values(
    HostMatrix<std::complex<double>> A);

}  // namespace carroll::test
