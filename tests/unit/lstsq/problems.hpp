// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/random.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {

using LstsqScalars = ::testing::Types<float, double>;

/// Random normal entries.
template <class Real>
HostMatrix<Real> drawn(Random& random, int m, int n) {
  HostMatrix<Real> A(m, n);
  for (Real& x : A.data) x = static_cast<Real>(random.normal());
  return A;
}

/// The integers of a matrix row by row.
template <class Real>
HostMatrix<Real> matrix(int m, int n, std::vector<double> const& entries) {
  HostMatrix<Real> A(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      A(i, j) = static_cast<Real>(entries[static_cast<std::size_t>(i * n + j)]);
  return A;
}

/// Of results of size `of`, in the order of the numbers on paper.
template <class Real>
void expect_near(HostMatrix<Real> const& X, std::vector<double> const& row_by_row, double of = 1) {
  auto const expected = matrix<double>(X.rows, X.cols, row_by_row);
  for (std::size_t k = 0; k < X.data.size(); ++k)
    EXPECT_NEAR(X.data[k], expected.data[k], 30 * epsilon<Real> * of) << k;
}

}  // namespace carroll::test
