// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "support/eigh/symmetric_matrices.hpp"
#include "support/host_matrix.hpp"
#include "support/random.hpp"

/// Hermitian matrices that hurt, made of symmetric ones.
namespace carroll::test {

/// P·S·Pᴴ, P a diagonal of ±1 and ±i: exactly, with the eigenvalues of S.
template <class Real>
[[nodiscard]] HostMatrix<Kokkos::complex<Real>> turned(Random& random, HostMatrix<Real> const& S) {
  using Complex = Kokkos::complex<Real>;
  int const n = S.rows;
  std::vector<int> quarters;
  for (int i = 0; i < n; ++i) quarters.push_back(random.index(4));
  HostMatrix<Complex> A(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      Real const x = S(i, j);
      std::array<Complex, 4> const by{Complex(x, 0), Complex(0, x), Complex(-x, 0), Complex(0, -x)};
      int const turn =
          quarters[static_cast<std::size_t>(i)] - quarters[static_cast<std::size_t>(j)];
      A(i, j) = by[static_cast<std::size_t>((turn + 4) % 4)];
    }
  return A;
}

/// S + i·K, where K has the lower triangle of another symmetric matrix.
template <class Real>
[[nodiscard]] HostMatrix<Kokkos::complex<Real>> hermitian_of(HostMatrix<Real> const& S,
                                                             HostMatrix<Real> const& K) {
  int const n = S.rows;
  HostMatrix<Kokkos::complex<Real>> A(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      A(i, j) = Kokkos::complex<Real>(S(i, j), i > j ? K(i, j) : i < j ? -K(j, i) : Real(0));
  return A;
}

/// Of this type in both parts, or turned.
template <class Real>
[[nodiscard]] HostMatrix<Kokkos::complex<Real>> hermitian_matrix(Random& random, SymmetricType type,
                                                                 int n) {
  auto const S = symmetric_matrix<Real>(random, type, n);
  if (random.chance(0.4)) return turned(random, S);
  return hermitian_of(S, symmetric_matrix<Real>(random, type, n));
}

/// Positive definite A = D·H·D, as scaled_definite: H = (1 - δ)·p·pᴴ + δ·G·Gᴴ to rounding, p of
/// phases, with a diagonal of ones and a condition of order n/δ.
template <class Real>
[[nodiscard]] ScaledDefinite<Kokkos::complex<Real>> scaled_hermitian(Random& random, int n,
                                                                     double condition, int spread) {
  using Wide = std::complex<double>;
  double const delta = std::min(1.0, n / condition);
  HostMatrix<Wide> G(n, 2 * n + 2);
  for (int j = 0; j < G.cols; ++j)
    for (int i = 0; i < n; ++i) G(i, j) = Wide(random.normal(), random.normal());
  std::vector<Wide> p;
  std::vector<int> exponents;
  for (int i = 0; i < n; ++i) {
    p.push_back(std::polar(1.0, 6.28 * random.uniform()));
    exponents.push_back(random.index(2 * spread + 1) - spread);
  }
  std::vector<double> lengths;
  auto const dot = [&](int i, int j) {
    Wide sum = 0;
    for (int k = 0; k < G.cols; ++k) sum += G(i, k) * std::conj(G(j, k));
    return sum;
  };
  for (int i = 0; i < n; ++i) lengths.push_back(std::sqrt(dot(i, i).real()));
  ScaledDefinite<Kokkos::complex<Real>> drawn{{n, n}, {n, n}};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      auto const a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      bool const flip = i < j;  // the same bits in both triangles
      Wide const g = flip ? std::conj(dot(j, i)) : dot(i, j);
      Wide const phases = flip ? std::conj(p[b] * std::conj(p[a])) : p[a] * std::conj(p[b]);
      Wide const h =
          i == j ? Wide(1) : (1 - delta) * phases + delta * g / (lengths[a] * lengths[b]);
      auto const re = static_cast<Real>(h.real()), im = static_cast<Real>(h.imag());
      int const e = exponents[a] + exponents[b];
      drawn.H(i, j) = Kokkos::complex<Real>(re, im);
      drawn.A(i, j) = Kokkos::complex<Real>(std::ldexp(re, e), std::ldexp(im, e));
    }
  return drawn;
}

}  // namespace carroll::test
