// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/svd/types.hpp>
#include <cstdint>

/// What stands behind LAPACK's names: Carroll's SVD on the caller's memory, and a count of who was
/// called.
namespace carroll::lapack_test {

/// Entry (i, j) is data[i·down + j·across]; without data nobody wants the matrix.
template <class Real>
struct Matrix {
  Real* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t down = 1;
  std::int64_t across = 0;

  Real& operator()(std::int64_t i, std::int64_t j) const { return data[i * down + j * across]; }
};

/// Columns one behind the other, as Fortran has them.
template <class Real>
Matrix<Real> by_columns(Real* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  return {data, rows, cols, 1, ld};
}

/// V where LAPACK wants its transpose.
template <class Real>
Matrix<Real> by_rows(Real* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  return {data, rows, cols, ld, 1};
}

/// A = U·diag(S)·Vᵀ by carroll::svd; the extents of U and V say whether they are thin or full. The
/// environment variable CARROLL_LAPACK_WRONG (values, left or right) spoils that output a little,
/// so that tests can tell whether they would be noticed.
template <class Real>
SvdInfo<Real> decompose(Matrix<Real> A, Matrix<Real> U, Real* s, Matrix<Real> V);

enum class Routine { gesvd, gesdd, gesvdx, gesvj, gejsv };
enum class Event { call, refusal, decomposition };

/// At exit the counts go to the file that CARROLL_LAPACK_COUNTS names, one line for each routine.
template <class Real>
void count(Routine routine, Event event);

}  // namespace carroll::lapack_test
