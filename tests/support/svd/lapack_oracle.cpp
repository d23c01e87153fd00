// SPDX-License-Identifier: BSD-3-Clause
#include "support/svd/lapack_oracle.hpp"

#include <algorithm>

#ifdef CARROLL_TEST_HAVE_LAPACKE
#include <lapacke.h>
#endif

namespace carroll::test {

#ifdef CARROLL_TEST_HAVE_LAPACKE

namespace {

// One name per routine and precision, so that the template below reads like one program.
lapack_int gesdd(int m, int n, double* a, double* s) {
  return LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', m, n, a, m, s, nullptr, 1, nullptr, 1);
}
lapack_int gesdd(int m, int n, float* a, float* s) {
  return LAPACKE_sgesdd(LAPACK_COL_MAJOR, 'N', m, n, a, m, s, nullptr, 1, nullptr, 1);
}
lapack_int gesvj(int m, int n, double* a, double* s, double* stat) {
  return LAPACKE_dgesvj(LAPACK_COL_MAJOR, 'G', 'U', 'N', m, n, a, m, s, 0, nullptr, 1, stat);
}
lapack_int gesvj(int m, int n, float* a, float* s, float* stat) {
  return LAPACKE_sgesvj(LAPACK_COL_MAJOR, 'G', 'U', 'N', m, n, a, m, s, 0, nullptr, 1, stat);
}
// 'F': full pivoting allowed to reorder rows, no truncation of small values; 'N': no cut of the
// range.
lapack_int gejsv(int m, int n, double* a, double* s, double* u, double* v, double* stat,
                 lapack_int* istat) {
  return LAPACKE_dgejsv(LAPACK_COL_MAJOR, 'F', 'U', 'V', 'N', 'T', 'N', m, n, a, m, s, u, m, v, n,
                        stat, istat);
}
lapack_int gejsv(int m, int n, float* a, float* s, float* u, float* v, float* stat,
                 lapack_int* istat) {
  return LAPACKE_sgejsv(LAPACK_COL_MAJOR, 'F', 'U', 'V', 'N', 'T', 'N', m, n, a, m, s, u, m, v, n,
                        stat, istat);
}

}  // namespace

template <class Real>
std::optional<std::vector<Real>> lapack_singular_values(LapackDriver driver, HostMatrix<Real> A) {
  int const m = A.rows;
  int const n = A.cols;
  std::vector<Real> sigma(static_cast<std::size_t>(std::min(m, n)));
  if (sigma.empty()) return sigma;
  lapack_int failed = 0;
  Real scale = 1;
  switch (driver) {
    case LapackDriver::gesdd: failed = gesdd(m, n, A.data.data(), sigma.data()); break;
    case LapackDriver::gesvj: {
      Real stat[6] = {};
      failed = gesvj(m, n, A.data.data(), sigma.data(), stat);
      scale = stat[0];
      break;
    }
    case LapackDriver::gejsv: {
      Real stat[7] = {};
      lapack_int istat[3] = {};
      HostMatrix<Real> U(m, n);
      HostMatrix<Real> V(n, n);
      failed = gejsv(m, n, A.data.data(), sigma.data(), U.data.data(), V.data.data(), stat, istat);
      scale = stat[0] / stat[1];
      break;
    }
  }
  if (failed != 0) return std::nullopt;
  for (Real& value : sigma) value *= scale;
  return sigma;
}

std::optional<LeastSquares> lapack_least_squares(HostMatrix<double> A, std::vector<double> b,
                                                 double rcond) {
  LeastSquares result;
  int const least = std::min(A.rows, A.cols);
  result.x.assign(static_cast<std::size_t>(A.cols), 0.0);
  if (least == 0) return result;
  int const most = std::max(A.rows, A.cols);
  b.resize(static_cast<std::size_t>(most), 0.0);
  result.sigma.resize(static_cast<std::size_t>(least));
  lapack_int rank = 0;
  if (LAPACKE_dgelsd(LAPACK_COL_MAJOR, A.rows, A.cols, 1, A.data.data(), A.rows, b.data(), most,
                     result.sigma.data(), rcond, &rank) != 0)
    return std::nullopt;
  std::copy(b.begin(), b.begin() + A.cols, result.x.begin());
  result.rank = rank;
  return result;
}

#else

std::optional<LeastSquares> lapack_least_squares(HostMatrix<double>, std::vector<double>, double) {
  return std::nullopt;
}

template <class Real>
std::optional<std::vector<Real>> lapack_singular_values(LapackDriver, HostMatrix<Real>) {
  return std::nullopt;
}

#endif

template std::optional<std::vector<float>> lapack_singular_values<float>(LapackDriver,
                                                                         HostMatrix<float>);
template std::optional<std::vector<double>> lapack_singular_values<double>(LapackDriver,
                                                                           HostMatrix<double>);

}  // namespace carroll::test
