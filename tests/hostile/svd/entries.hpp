// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "support/host_matrix.hpp"
#include "support/random.hpp"

/// Entries that other kinds of matrices begin with.
namespace carroll::test::svd_kinds {

template <class Real>
using Limits = std::numeric_limits<Real>;

template <class Real, class F>
HostMatrix<Real> filled(int rows, int cols, F const& f) {
  HostMatrix<Real> A(rows, cols);
  for (Real& entry : A.data) entry = static_cast<Real>(f());
  return A;
}

template <class Real>
HostMatrix<Real> normal(Random& random, int rows, int cols) {
  return filled<Real>(rows, cols, [&] { return random.normal(); });
}

/// Small integers, so that sums and products are exact and ties abound.
template <class Real>
HostMatrix<Real> integers(Random& random, int rows, int cols) {
  int const most = 1 + random.index(9);
  return filled<Real>(rows, cols, [&] { return random.index(2 * most + 1) - most; });
}

template <class Real>
HostMatrix<Real> any_base(Random& random, int rows, int cols) {
  return random.chance(0.5) ? integers<Real>(random, rows, cols) : normal<Real>(random, rows, cols);
}

}  // namespace carroll::test::svd_kinds
