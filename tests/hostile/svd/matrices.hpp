// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "support/host_matrix.hpp"
#include "support/random.hpp"

namespace carroll::test {

/// A matrix that nobody chose, and what is promised of it beyond backward stability.
template <class Real>
struct HostileMatrix {
  HostMatrix<Real> A;
  std::string kind;
  /// A = B·D or D·B (square) with cond(B) <= 1000: every singular value has small relative error.
  bool graded = false;
};

/// Any of some thirty kinds: integers, deficient rank by equal, proportional and dependent rows and
/// columns, graded both ways, denormal, near overflow, signed zeros, NaN, LAPACK's kinds, …
template <class Real>
[[nodiscard]] HostileMatrix<Real> hostile_matrix(Random& random, int rows, int cols);

}  // namespace carroll::test
