// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "hostile/svd/entries.hpp"

/// Kinds by how rows and columns depend on each other, and where there are zeros.
namespace carroll::test::svd_kinds {

template <class Real>
HostMatrix<Real> zero(Random& random, int rows, int cols) {
  return filled<Real>(rows, cols, [&] { return random.sign() * 0.0; });
}

/// Mostly zeros of both signs.
template <class Real>
HostMatrix<Real> sparse(Random& random, int rows, int cols) {
  double const share = random.uniform();
  return filled<Real>(
      rows, cols, [&] { return random.chance(share) ? random.symmetric() : random.sign() * 0.0; });
}

/// A row or a column becomes a multiple, a power of two as a rule, of another, or a sum of others.
template <class Real>
void depend(Random& random, HostMatrix<Real>& A, bool rows) {
  int const count = rows ? A.rows : A.cols;
  int const length = rows ? A.cols : A.rows;
  if (count < 2) return;
  auto const at = [&](int line, int k) -> Real& { return rows ? A(line, k) : A(k, line); };
  int const to = random.index(count);
  int const from = (to + 1 + random.index(count - 1)) % count;
  int const also = random.index(count);
  double const factors[] = {1, -1, -0.5, 0.5, 2, 3, 1.0 / 3, 1e-8, 0x1p-40};
  auto const factor = static_cast<Real>(factors[random.index(9)]);
  Real const second = random.chance(0.3) && also != to ? Real(1) : Real(0);
  for (int k = 0; k < length; ++k) at(to, k) = factor * at(from, k) + second * at(also, k);
}

template <class Real>
HostMatrix<Real> dependent(Random& random, int rows, int cols) {
  HostMatrix<Real> A =
      random.chance(0.5) ? integers<Real>(random, rows, cols) : normal<Real>(random, rows, cols);
  for (int times = 1 + random.index(3); times > 0; --times) depend(random, A, random.chance(0.5));
  return A;
}

/// B·C with few columns in B, of integers or of rounded products.
template <class Real>
HostMatrix<Real> low_rank(Random& random, int rows, int cols) {
  int const rank = random.index(std::min(rows, cols));
  bool const exact = random.chance(0.5);
  auto const B = exact ? integers<Real>(random, rows, rank) : normal<Real>(random, rows, rank);
  auto const C = exact ? integers<Real>(random, rank, cols) : normal<Real>(random, rank, cols);
  HostMatrix<Real> A(rows, cols);
  for (int j = 0; j < cols; ++j)
    for (int k = 0; k < rank; ++k)
      for (int i = 0; i < rows; ++i) A(i, j) += B(i, k) * C(k, j);
  return A;
}

/// Columns that differ in their last digits only.
template <class Real>
HostMatrix<Real> nearly_parallel(Random& random, int rows, int cols) {
  auto A = normal<Real>(random, rows, cols);
  double const apart = std::pow(2.0, -random.index(Limits<Real>::digits + 4));
  for (int j = 1; j < cols; ++j)
    if (random.chance(0.6))
      for (int i = 0; i < rows; ++i)
        A(i, j) = A(i, j - 1) * static_cast<Real>(1 + apart * random.symmetric());
  return A;
}

template <class Real>
HostMatrix<Real> diagonal(Random& random, int rows, int cols) {
  HostMatrix<Real> A(rows, cols);
  bool const equal = random.chance(0.5);
  for (int k = 0; k < std::min(rows, cols); ++k)
    A(k, k) = static_cast<Real>(equal ? random.sign() : random.normal());
  return A;
}

/// Coordinate vectors in any order, some of them twice or not at all.
template <class Real>
HostMatrix<Real> coordinates(Random& random, int rows, int cols) {
  HostMatrix<Real> A(rows, cols);
  for (int j = 0; j < cols; ++j) A(random.index(rows), j) = static_cast<Real>(random.sign());
  return A;
}

/// Zero rows and columns in something else.
template <class Real>
HostMatrix<Real> holes(Random& random, int rows, int cols) {
  auto A = any_base<Real>(random, rows, cols);
  for (int times = 1 + random.index(3); times > 0; --times) {
    int const i = random.index(rows), j = random.index(cols);
    bool const row = random.chance(0.5);
    for (int k = 0; row && k < cols; ++k) A(i, k) = static_cast<Real>(random.sign() * 0.0);
    for (int k = 0; !row && k < rows; ++k) A(k, j) = static_cast<Real>(random.sign() * 0.0);
  }
  return A;
}

template <class Real>
HostMatrix<Real> triangular(Random& random, int rows, int cols) {
  auto A = any_base<Real>(random, rows, cols);
  bool const upper = random.chance(0.5);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i)
      if (upper ? i > j : i < j) A(i, j) = 0;
  return A;
}

}  // namespace carroll::test::svd_kinds
