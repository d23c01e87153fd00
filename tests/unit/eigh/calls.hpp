// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/eigh/types.hpp>
#include <vector>

#include "support/eigh/drivers.hpp"
#include "support/random.hpp"

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

template <class Real>
using Hermitian = HostMatrix<Kokkos::complex<Real>>;

inline EighCall hermitian_call(EighMethod method, EighPath path = EighPath::automatic) {
  EighCall call;
  call.options.method = method;
  call.options.path = path;
  return call;
}
inline std::vector<EighCall> complex_ways() {
  return {hermitian_call(EighMethod::backward_stable),
          hermitian_call(EighMethod::backward_stable, EighPath::divided),
          hermitian_call(EighMethod::backward_stable, EighPath::shifted)};
}
inline std::vector<EighCall> complex_ways_and_definite() {
  auto all = complex_ways();
  all.push_back(hermitian_call(EighMethod::cholesky_jacobi));
  return all;
}

/// [a conj(b); b c]
template <class Real>
Hermitian<Real> pair_of(Real a, Kokkos::complex<Real> b, Real c) {
  Hermitian<Real> A(2, 2);
  A(0, 0) = a;
  A(1, 0) = b;
  A(0, 1) = Kokkos::conj(b);
  A(1, 1) = c;
  return A;
}

/// B·Bᴴ of small whole numbers, exact; B has `rank` columns.
template <class Real>
Hermitian<Real> complex_gram(Random& random, int n, int rank) {
  Hermitian<Real> B(n, rank), A(n, n);
  for (auto& z : B.data)
    for (int part = 0; part < 2; ++part) {
      auto const x = static_cast<Real>(random.index(9) - 4);
      part == 0 ? z.real(x) : z.imag(x);
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < rank; ++k) A(i, j) += B(i, k) * Kokkos::conj(B(j, k));
  return A;
}

}  // namespace carroll::test
