// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/eigh/drivers.hpp"

/// Calls and matrices of several tests of `eigh`.
namespace carroll::test {

inline EighCall definite() {
  EighCall call;
  call.options.method = EighMethod::cholesky_jacobi;
  return call;
}

template <class Real>
HostMatrix<Real> two_by_two(Real a, Real b, Real c) {
  HostMatrix<Real> A(2, 2);
  A(0, 0) = a;
  A(1, 0) = A(0, 1) = b;
  A(1, 1) = c;
  return A;
}

}  // namespace carroll::test
