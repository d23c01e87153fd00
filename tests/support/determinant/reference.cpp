// SPDX-License-Identifier: BSD-3-Clause
#include "support/determinant/reference.hpp"

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#ifdef CARROLL_TEST_HAVE_LAPACKE
#include <lapacke.h>
#endif

namespace carroll::test {

void LongNumber::normalise() {
  long double const largest = std::fmax(std::fabs(re), std::fabs(im));
  if (largest == 0) {
    exponent = 0;
    return;
  }
  int const e = std::ilogb(largest);
  re = std::scalbn(re, -e);
  im = std::scalbn(im, -e);
  exponent += e;
}

LongNumber& LongNumber::multiply(long double by_re, long double by_im) {
  long double const product = re * by_re - im * by_im;
  im = re * by_im + im * by_re;
  re = product;
  normalise();
  return *this;
}

LongNumber& LongNumber::divide(long double by) {
  re /= by;
  im /= by;
  normalise();
  return *this;
}

double relative_error(long double re, long double im, std::int64_t exponent,
                      LongNumber const& reference) {
  double const infinity = std::numeric_limits<double>::infinity();
  if (reference.re == 0 && reference.im == 0) return re == 0 && im == 0 ? 0 : infinity;
  std::int64_t const distance = exponent - reference.exponent;
  if (distance < -100 || distance > 100) return re == 0 && im == 0 ? 1 : infinity;
  re = std::scalbn(re, static_cast<int>(distance)) - reference.re;
  im = std::scalbn(im, static_cast<int>(distance)) - reference.im;
  return static_cast<double>(std::hypot(re, im) / std::hypot(reference.re, reference.im));
}

namespace {

#if LDBL_MANT_DIG >= 113
using Quad = long double;
#else
__extension__ typedef __float128 Quad;
#endif

// A complex number of quads; plain, because nvcc takes constexpr members of library templates for
// device code, which has no such type.
struct Number {
  Quad re, im;
};
Quad size(Number const& x) {
  return (x.re < 0 ? -x.re : x.re) + (x.im < 0 ? -x.im : x.im);
}
Number product(Number const& x, Number const& y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
Number quotient(Number const& x, Number const& y) {
  Quad const norm = y.re * y.re + y.im * y.im;
  Number const top = product(x, {y.re, -y.im});
  return {top.re / norm, top.im / norm};
}

}  // namespace

template <class Real>
LongNumber quad_determinant(HostMatrix<Real> const& re, HostMatrix<Real> const& im) {
  int const n = re.rows;
  bool const complex = im.rows == n && n > 0;
  auto* const a = new Number[static_cast<std::size_t>(n) * static_cast<std::size_t>(n) + 1];
  auto const row = [&](int i) { return a + static_cast<std::ptrdiff_t>(i) * n; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      row(i)[j] = {static_cast<Quad>(re(i, j)),
                   complex ? static_cast<Quad>(im(i, j)) : static_cast<Quad>(0)};
  LongNumber determinant;
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (size(row(i)[k]) > size(row(p)[k])) p = i;
    if (p != k) {
      for (int j = 0; j < n; ++j) {
        Number const held = row(k)[j];
        row(k)[j] = row(p)[j];
        row(p)[j] = held;
      }
      determinant.multiply(-1);
    }
    Number const pivot = row(k)[k];
    determinant.multiply(static_cast<long double>(pivot.re), static_cast<long double>(pivot.im));
    if (size(pivot) == 0) break;
    for (int i = k + 1; i < n; ++i) {
      Number const factor = quotient(row(i)[k], pivot);
      if (size(factor) == 0) continue;
      for (int j = k + 1; j < n; ++j) {
        if (complex) {
          Number const term = product(factor, row(k)[j]);
          row(i)[j].re -= term.re;
          row(i)[j].im -= term.im;
        } else {
          row(i)[j].re -= factor.re * row(k)[j].re;
        }
      }
    }
  }
  delete[] a;
  return determinant;
}

#ifdef CARROLL_TEST_HAVE_LAPACKE
namespace {
lapack_int getrf(int n, double* a, lapack_int* pivots) {
  return LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, a, n, pivots);
}
lapack_int getrf(int n, float* a, lapack_int* pivots) {
  return LAPACKE_sgetrf(LAPACK_COL_MAJOR, n, n, a, n, pivots);
}
}  // namespace
#endif

template <class Real>
std::optional<LongNumber> lapack_determinant([[maybe_unused]] HostMatrix<Real> A) {
#ifdef CARROLL_TEST_HAVE_LAPACKE
  std::vector<lapack_int> pivots(static_cast<std::size_t>(A.rows));
  getrf(A.rows, A.data.data(), pivots.data());
  LongNumber determinant;
  for (int k = 0; k < A.rows; ++k) {
    determinant.multiply(A(k, k));
    if (pivots[static_cast<std::size_t>(k)] != k + 1) determinant.multiply(-1);
  }
  return determinant;
#else
  return std::nullopt;
#endif
}

double lapack_condition([[maybe_unused]] HostMatrix<double> A) {
  double reciprocal = 0;
#ifdef CARROLL_TEST_HAVE_LAPACKE
  int const n = A.rows;
  double* const a = A.data.data();
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  double const norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, a, n);
  getrf(n, a, pivots.data());
  LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, a, n, norm, &reciprocal);
#endif
  return 1 / reciprocal;
}

template LongNumber quad_determinant(HostMatrix<float> const&, HostMatrix<float> const&);
template LongNumber quad_determinant(HostMatrix<double> const&, HostMatrix<double> const&);
template std::optional<LongNumber> lapack_determinant(HostMatrix<float>);
template std::optional<LongNumber> lapack_determinant(HostMatrix<double>);

}  // namespace carroll::test
