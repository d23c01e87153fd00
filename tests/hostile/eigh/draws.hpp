// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/complex_entries.hpp"
#include "support/eigh/hermitian_matrices.hpp"
#include "support/eigh/symmetric_matrices.hpp"
#include "support/host_matrix.hpp"
#include "support/random.hpp"

/// Symmetric and Hermitian matrices that nobody chose, for the tester of eigenvalues.
namespace carroll::test {

template <class T>
struct Hurting {
  HostMatrix<T> A;
  std::string kind;
  bool finite = true;
  bool definite = false;
  double condition = 0;  ///< of H, where A = D·H·D is definite
};

/// Mostly small, of every size about those at which kernels change.
inline int draw_order(Random& random, bool slow) {
  int const drawn = random.index(100);
  int const most = drawn < 15 ? 3 : drawn < 60 ? 9 : drawn < 90 || slow ? 20 : drawn < 97 ? 45 : 70;
  if (!slow && random.chance(0.01)) return 120 + random.index(16);
  return random.index(most + 1);
}

/// Of every size about those at which matrices are divided once more.
inline int draw_divided_order(Random& random) {
  int const drawn = random.index(100);
  if (drawn < 90) return 28 + random.index(drawn < 60 ? 12 : 60);
  return (drawn < 98 ? 120 : 250) + random.index(16);
}

/// Brings entries far up or down, or among the subnormal numbers.
template <class T>
void move_range(Random& random, Hurting<T>& drawn) {
  using Limits = std::numeric_limits<RealOf<T>>;
  if (!random.chance(0.15)) return;
  int const n = std::max(drawn.A.rows, 1);
  int const room = 2 + static_cast<int>(std::log2(16.0 * n));
  int const shift = random.chance(0.5) ? Limits::max_exponent - room
                                       : Limits::min_exponent - random.index(Limits::digits);
  drawn.A = scaled_by_power_of_two(drawn.A, shift);
  drawn.kind += ", scaled by 2^" + std::to_string(shift);
}

/// A NaN, or an infinity of either sign.
template <class Real>
Real draw_non_finite(Random& random) {
  using Limits = std::numeric_limits<Real>;
  return random.chance(0.5) ? Limits::quiet_NaN()
                            : Limits::infinity() * (random.chance(0.5) ? 1 : -1);
}

/// A(i, j) and A(j, i), in one of their parts if they are complex.
template <class T>
void make_non_finite(Random& random, Hurting<T>& drawn) {
  int const i = random.index(drawn.A.rows), j = random.index(drawn.A.rows);
  auto const bad = draw_non_finite<RealOf<T>>(random);
  T& entry = drawn.A(i, j);
  drawn.finite = false;
  drawn.kind += ", not finite";
  if constexpr (is_complex<T>) {
    bool const imaginary = i != j && random.chance(0.5);
    (imaginary ? entry.imag() : entry.real()) = bad;
    if (imaginary) drawn.kind += " in an imaginary part";
    if (i != j) drawn.A(j, i) = Kokkos::conj(entry);
  } else {
    entry = drawn.A(j, i) = bad;
  }
}

/// Imaginary parts of diagonal entries, which count for nothing.
template <class T>
void spoil_diagonal(Random& random, HostMatrix<T>& A) {
  for (int k = 0; k < A.rows; ++k)
    if (random.chance(0.5))
      A(k, k).imag() = random.chance(0.5) ? draw_non_finite<RealOf<T>>(random)
                                          : static_cast<RealOf<T>>(random.normal());
}

template <class T>
Hurting<T> draw_matrix(Random& random, int n) {
  using Real = RealOf<T>;
  Hurting<T> drawn;
  auto const type = static_cast<SymmetricType>(random.index(symmetric_types));
  if constexpr (is_complex<T>)
    drawn.A = hermitian_matrix<Real>(random, type, n);
  else
    drawn.A = symmetric_matrix<Real>(random, type, n);
  drawn.kind = to_string(type);
  move_range(random, drawn);
  if (n > 0 && random.chance(0.03)) make_non_finite(random, drawn);
  return drawn;
}

/// Positive definite A = D·H·D, or semidefinite of whole numbers.
template <class T>
HostMatrix<T> definite_matrix(Random& random, int n, double condition, int spread) {
  using Real = RealOf<T>;
  if constexpr (is_complex<T>) {
    return random.chance(0.7)
               ? scaled_hermitian<Real>(random, n, condition, spread).A
               : turned(random, scaled_definite<Real>(random, n, condition, spread).A);
  } else {
    return scaled_definite<Real>(random, n, condition, spread).A;
  }
}
template <class T>
HostMatrix<T> whole_matrix(Random& random, int n) {
  auto const A = whole_gram<RealOf<T>>(random, n, random.index(n + 1));
  if constexpr (is_complex<T>)
    return turned(random, A);
  else
    return A;
}

template <class T>
Hurting<T> draw_definite(Random& random, int n) {
  using Real = RealOf<T>;
  if (random.chance(0.25)) return draw_matrix<T>(random, n);
  Hurting<T> drawn;
  drawn.definite = true;
  if (random.chance(0.2)) {
    drawn.A = whole_matrix<T>(random, n);
    drawn.kind = "whole_gram";
    return drawn;
  }
  bool const is_double = std::numeric_limits<Real>::digits > 24;
  drawn.condition = std::pow(10, random.uniform() * (is_double ? 6 : 2));
  int const spread = random.index(is_double ? 200 : 25);
  drawn.A = definite_matrix<T>(random, n, drawn.condition, spread);
  drawn.kind = "D H D, condition " + std::to_string(drawn.condition);
  return drawn;
}

}  // namespace carroll::test
