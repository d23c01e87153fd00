// SPDX-License-Identifier: BSD-3-Clause
#include "support/lapack/ratios.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "support/pseudoinverse/least_squares_oracle.hpp"
#include "support/svd/quad_reference.hpp"
#include "support/tolerance.hpp"

namespace carroll::test::lapack {
namespace {

using Number = long double;

template <class Real>
constexpr double ulp = epsilon<Real>;
template <class Real>
constexpr double eps = epsilon<Real> / 2;

template <class Real>
LongMatrix wide(HostMatrix<Real> const& A) {
  LongMatrix L(A.rows, A.cols);
  std::copy(A.data.begin(), A.data.end(), L.data.begin());
  return L;
}

/// C - A·B.
LongMatrix without_product(LongMatrix C, LongMatrix const& A, LongMatrix const& B) {
  for (int j = 0; j < B.cols; ++j)
    for (int k = 0; k < A.cols; ++k) {
      Number const b = B(k, j);
      Number const* const a = A.column(k);
      Number* const c = C.column(j);
      for (int i = 0; i < A.rows; ++i) c[i] -= a[i] * b;
    }
  return C;
}

LongMatrix transpose(LongMatrix const& A) {
  LongMatrix T(A.cols, A.rows);
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i) T(j, i) = A(i, j);
  return T;
}

LongMatrix identity(int n) {
  LongMatrix I(n, n);
  for (int i = 0; i < n; ++i) I(i, i) = 1;
  return I;
}

/// A NaN makes it NaN.
Number column_norm(LongMatrix const& A, int j) {
  Number sum = 0;
  for (int i = 0; i < A.rows; ++i) sum += std::abs(A(i, j));
  return sum;
}
Number one_norm(LongMatrix const& A) {
  Number largest = 0;
  for (int j = 0; j < A.cols; ++j)
    if (Number const sum = column_norm(A, j); !(sum <= largest)) largest = sum;
  return largest;
}
Number largest_entry(LongMatrix const& A) {
  Number largest = 0;
  for (Number const x : A.data)
    if (!(std::abs(x) <= largest)) largest = std::abs(x);
  return largest;
}

/// error/size/unit.
double ratio(Number error, Number size, Number unit) {
  if (error == 0) return 0;
  double const r = static_cast<double>(error / size / unit);
  return std::isnan(r) ? std::numeric_limits<double>::infinity() : r;
}

/// The worst column of ‖b - A·x‖/(‖A‖·‖x‖·unit).
template <class Real>
double residual(HostMatrix<Real> const& A, HostMatrix<Real> const& X, HostMatrix<Real> const& B,
                double unit) {
  LongMatrix const x = wide(X), r = without_product(wide(B), wide(A), x);
  Number const norm = one_norm(wide(A));
  double worst = 0;
  for (int j = 0; j < X.cols; ++j)
    worst = std::max(worst, ratio(column_norm(r, j), norm * column_norm(x, j), unit));
  return worst;
}

void divide(LongMatrix& A, Number by) {
  for (Number& x : A.data)
    if (by > 0) x /= by;
}

}  // namespace

template <class Real>
double syt21(HostMatrix<Real> const& A, std::vector<Real> const& w, HostMatrix<Real> const& Z) {
  LongMatrix scaled = wide(Z);
  for (int j = 0; j < Z.cols; ++j)
    for (int i = 0; i < Z.rows; ++i) scaled(i, j) *= w[static_cast<std::size_t>(j)];
  return ratio(one_norm(without_product(wide(A), scaled, transpose(wide(Z)))), one_norm(wide(A)),
               A.rows * ulp<Real>);
}

template <class Real>
double ort01(HostMatrix<Real> const& Z) {
  return ratio(one_norm(without_product(identity(Z.rows), wide(Z), transpose(wide(Z)))), 1,
               Z.rows * ulp<Real>);
}

template <class Real>
double values_apart(std::vector<Real> const& a, std::vector<Real> const& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  Number apart = 0, size = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    Number const x = a[k], y = b[k];
    if (!(std::abs(x - y) <= apart)) apart = std::abs(x - y);
    size = std::max({size, std::abs(x), std::abs(y)});
  }
  return ratio(apart, size, ulp<Real>);
}

template <class Real>
double qrt01(HostMatrix<Real> const& A, HostMatrix<Real> const& Q, HostMatrix<Real> const& R) {
  return ratio(one_norm(without_product(wide(R), transpose(wide(Q)), wide(A))), one_norm(wide(A)),
               A.rows * eps<Real>);
}

template <class Real>
double qrt11(HostMatrix<Real> const& Q) {
  return ratio(one_norm(without_product(identity(Q.cols), transpose(wide(Q)), wide(Q))), 1,
               Q.rows * eps<Real>);
}

template <class Real>
double qpt01(HostMatrix<Real> const& A, HostMatrix<Real> const& Q, HostMatrix<Real> const& R,
             std::vector<int> const& P) {
  LongMatrix permuted(A.rows, A.cols);
  for (int j = 0; j < A.cols; ++j)
    std::copy_n(A.column(P[static_cast<std::size_t>(j)]), A.rows, permuted.column(j));
  return ratio(one_norm(without_product(permuted, wide(Q), wide(R))), one_norm(wide(A)),
               std::max(A.rows, A.cols) * eps<Real>);
}

template <class Real>
double qrt12(HostMatrix<Real> const& R, std::vector<double> const& sigma, int longest) {
  auto const found = quad_singular_values(R);
  Number apart = 0, square = 0;
  for (std::size_t k = 0; k < sigma.size(); ++k) {
    apart += std::abs(found[k] - static_cast<Number>(sigma[k]));
    square += static_cast<Number>(sigma[k]) * sigma[k];
  }
  return ratio(apart, std::sqrt(square), longest * eps<Real>);
}

template <class Real>
double qrt16(HostMatrix<Real> const& A, HostMatrix<Real> const& X, HostMatrix<Real> const& B) {
  return residual(A, X, B, std::max(A.rows, A.cols) * eps<Real>);
}

template <class Real>
double qrt17(HostMatrix<Real> const& A, HostMatrix<Real> const& X, HostMatrix<Real> const& B,
             bool in_range) {
  if (A.data.empty() || B.data.empty()) return 0;
  LongMatrix const a = wide(A), r = without_product(wide(B), a, wide(X));
  LongMatrix const zero(X.cols, A.cols);
  Number const error = one_norm(without_product(zero, transpose(r), a));
  Number const size = in_range ? one_norm(wide(B)) : largest_entry(r);
  return ratio(error, one_norm(a) * size, std::max({A.rows, A.cols, X.cols}) * eps<Real>);
}

template <class Real>
double qrt14(HostMatrix<Real> const& A, HostMatrix<Real> const& X) {
  int const n = A.cols, m = A.rows;
  LongMatrix a = transpose(wide(A)), x = wide(X);
  divide(a, largest_entry(a));
  divide(x, largest_entry(x));
  LongMatrix both(n, m + X.cols);
  std::copy(a.data.begin(), a.data.end(), both.data.begin());
  std::copy(x.data.begin(), x.data.end(), both.column(m));
  for (int k = 0; k < std::min(n, both.cols); ++k) {  // Householder's reflections
    Number* const v = both.column(k);
    Number square = 0;
    for (int i = k; i < n; ++i) square += v[i] * v[i];
    if (square == 0) continue;
    Number const first = v[k] + std::copysign(std::sqrt(square), v[k]);
    Number const length = square - v[k] * v[k] + first * first;
    for (int j = both.cols - 1; j >= k; --j) {
      Number* const y = both.column(j);
      Number dot = first * y[k];
      for (int i = k + 1; i < n; ++i) dot += v[i] * y[i];
      y[k] -= 2 * dot / length * first;
      for (int i = k + 1; i < n && j > k; ++i) y[i] -= 2 * dot / length * v[i];
    }
  }
  Number largest = 0;
  for (int j = m; j < both.cols; ++j)
    for (int i = m; i < std::min(n, j + 1); ++i)
      if (!(std::abs(both(i, j)) <= largest)) largest = std::abs(both(i, j));
  return ratio(largest, 1, std::max({m, n, X.cols}) * eps<Real>);
}

template <class Real>
double get02(HostMatrix<Real> const& A, HostMatrix<Real> const& X, HostMatrix<Real> const& B) {
  return residual(A, X, B, eps<Real>);
}

template <class Real>
double get03(HostMatrix<Real> const& A, HostMatrix<Real> const& Y) {
  LongMatrix const a = wide(A), y = wide(Y);
  Number const right = one_norm(without_product(identity(A.rows), a, y)),
               left = one_norm(without_product(identity(A.rows), y, a));
  return ratio(right <= left ? left : right, one_norm(a) * one_norm(y), A.rows * eps<Real>);
}

template <class Real>
double get04(HostMatrix<Real> const& X, HostMatrix<Real> const& exact, double rcond) {
  double worst = 0;
  for (int j = 0; j < X.cols; ++j) {
    Number apart = 0, size = 0;
    for (int i = 0; i < X.rows; ++i) {
      Number const d = std::abs(static_cast<Number>(X(i, j)) - exact(i, j));
      if (!(d <= apart)) apart = d;
      size = std::max(size, std::abs(static_cast<Number>(exact(i, j))));
    }
    worst = std::max(worst, ratio(apart * static_cast<Number>(rcond), size, eps<Real>));
  }
  return worst;
}

template <class Real>
double get06(Real found, double exact) {
  double const a = found, b = exact;
  if (!(a > 0) || !(b > 0)) return std::max(a, b) / eps<Real>;
  return std::max(a, b) / std::min(a, b) - (1 - std::min(a, b) / std::max(a, b));
}

#define CARROLL_TEST_INSTANTIATE(Real)                                                        \
  using Matrix##Real = HostMatrix<Real>;                                                      \
  template double syt21(Matrix##Real const&, std::vector<Real> const&, Matrix##Real const&);  \
  template double ort01(Matrix##Real const&);                                                 \
  template double values_apart(std::vector<Real> const&, std::vector<Real> const&);           \
  template double qrt01(Matrix##Real const&, Matrix##Real const&, Matrix##Real const&);       \
  template double qrt11(Matrix##Real const&);                                                 \
  template double qpt01(Matrix##Real const&, Matrix##Real const&, Matrix##Real const&,        \
                        std::vector<int> const&);                                             \
  template double qrt12(Matrix##Real const&, std::vector<double> const&, int);                \
  template double qrt16(Matrix##Real const&, Matrix##Real const&, Matrix##Real const&);       \
  template double qrt17(Matrix##Real const&, Matrix##Real const&, Matrix##Real const&, bool); \
  template double qrt14(Matrix##Real const&, Matrix##Real const&);                            \
  template double get02(Matrix##Real const&, Matrix##Real const&, Matrix##Real const&);       \
  template double get03(Matrix##Real const&, Matrix##Real const&);                            \
  template double get04(Matrix##Real const&, Matrix##Real const&, double);                    \
  template double get06(Real, double)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test::lapack
