// SPDX-License-Identifier: BSD-3-Clause
#include "support/lapack/bands.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace carroll::test::lapack {
namespace {

using Matrix = HostMatrix<double>;
using Vector = std::vector<double>;

/// Column j of A from row `first` on, so that the reflection along it leaves only that row; empty
/// where nothing else is there.
Vector reflector(Matrix const& A, int first, int j) {
  Vector v(A.column(j) + first, A.column(j) + A.rows);
  double norm = 0;
  for (double const x : v) norm = std::hypot(norm, x);
  if (norm == 0) return {};
  v[0] += std::copysign(norm, v[0]);
  return v;
}

/// A := H·A, H = I - 2vvᵀ/‖v‖² in the rows from `first` on.
void reflect_rows(Matrix& A, Vector const& v, int first) {
  double square = 0;
  for (double const x : v) square += x * x;
  for (int j = 0; j < A.cols && !v.empty(); ++j) {
    double* const a = A.column(j) + first;
    double dot = 0;
    for (std::size_t i = 0; i < v.size(); ++i) dot += v[i] * a[i];
    for (std::size_t i = 0; i < v.size(); ++i) a[i] -= 2 * dot / square * v[i];
  }
}

/// A := H·A·H; the lower triangle counts.
void reflect_both(Matrix& A, Vector const& v, int first) {
  reflect_rows(A, v, first);
  A = transposed(A);
  reflect_rows(A, v, first);
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < j; ++i) A(i, j) = A(j, i);
}

}  // namespace

Matrix rotate_randomly(Matrix A, Random& random) {
  for (int first = A.rows - 2; first >= 0; --first) {
    Vector v(static_cast<std::size_t>(A.rows - first));
    double norm = 0;
    for (double& x : v) norm = std::hypot(norm, x = random.normal());
    v[0] += std::copysign(norm, v[0]);
    reflect_both(A, v, first);
  }
  return A;
}

Matrix to_band(Matrix A, int band) {
  for (int j = 0; j + band + 1 < A.rows; ++j) {
    reflect_both(A, reflector(A, j + band, j), j + band);
    for (int i = j + band + 1; i < A.rows; ++i) A(i, j) = A(j, i) = 0;
  }
  return A;
}

Matrix upper_triangle(Matrix A) {
  for (int j = 0; j < A.cols && j + 1 < A.rows; ++j) {
    reflect_rows(A, reflector(A, j, j), j);
    for (int i = j + 1; i < A.rows; ++i) A(i, j) = 0;
  }
  return A;
}

}  // namespace carroll::test::lapack
