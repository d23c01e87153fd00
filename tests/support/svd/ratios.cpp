// SPDX-License-Identifier: BSD-3-Clause
#include "support/svd/ratios.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

namespace carroll::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Real>
using Wide = std::conditional_t<std::is_same_v<Real, float>, double, long double>;

/// Column-major matrix in the precision of the checker.
template <class Number>
struct Dense {
  int rows;
  int cols;
  std::vector<Number> data;

  Dense(int m, int n)
      : rows(m), cols(n), data(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}
  Number* column(int j) {
    return data.data() + static_cast<std::size_t>(rows) * static_cast<std::size_t>(j);
  }
  Number const* column(int j) const {
    return data.data() + static_cast<std::size_t>(rows) * static_cast<std::size_t>(j);
  }
};

template <class Number, class Real>
Dense<Number> widened(HostMatrix<Real> const& A) {
  Dense<Number> W(A.rows, A.cols);
  std::copy(A.data.begin(), A.data.end(), W.data.begin());
  return W;
}

template <class Number>
Dense<Number> transpose(Dense<Number> const& A) {
  Dense<Number> T(A.cols, A.rows);
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i) T.column(i)[j] = A.column(j)[i];
  return T;
}

/// C = XᵀY. Blocks of 2×2 dot products give four independent chains of additions.
template <class Number>
Dense<Number> transpose_times(Dense<Number> const& X, Dense<Number> const& Y) {
  Dense<Number> C(X.cols, Y.cols);
  int const depth = X.rows;
  for (int j = 0; j < Y.cols; j += 2) {
    bool const two_j = j + 1 < Y.cols;
    Number const* y0 = Y.column(j);
    Number const* y1 = two_j ? Y.column(j + 1) : y0;
    for (int i = 0; i < X.cols; i += 2) {
      bool const two_i = i + 1 < X.cols;
      Number const* x0 = X.column(i);
      Number const* x1 = two_i ? X.column(i + 1) : x0;
      Number s00 = 0;
      Number s01 = 0;
      Number s10 = 0;
      Number s11 = 0;
      for (int k = 0; k < depth; ++k) {
        s00 += x0[k] * y0[k];
        s01 += x0[k] * y1[k];
        s10 += x1[k] * y0[k];
        s11 += x1[k] * y1[k];
      }
      C.column(j)[i] = s00;
      if (two_i) C.column(j)[i + 1] = s10;
      if (two_j) C.column(j + 1)[i] = s01;
      if (two_i && two_j) C.column(j + 1)[i + 1] = s11;
    }
  }
  return C;
}

template <class Number>
Number norm1(Dense<Number> const& A) {
  Number largest = 0;
  for (int j = 0; j < A.cols; ++j) {
    Number sum = 0;
    for (int i = 0; i < A.rows; ++i) sum += std::abs(A.column(j)[i]);
    if (!(sum <= largest)) largest = sum;  // keeps a NaN
  }
  return largest;
}

template <class Number>
double finite_or_infinity(Number value) {
  return std::isfinite(value) ? static_cast<double>(value) : infinity;
}

/// residual/(n·norm·ε), floor taken off; LAPACK's convention for A = 0: any residual is too much.
template <class Real, class Number>
double scaled(Number residual, Number floor, int n, Number norm) {
  if (!std::isfinite(residual)) return infinity;
  residual = std::max(Number(0), residual - floor);
  if (residual == Number(0)) return 0;
  if (norm == Number(0)) return infinity;
  return finite_or_infinity((residual / norm) / (n * Number(std::numeric_limits<Real>::epsilon())));
}

/// ‖A − XᵀY‖₁.
template <class Number>
Number residual_norm(Dense<Number> const& A, Dense<Number> const& X, Dense<Number> const& Y) {
  Dense<Number> R = transpose_times(X, Y);
  for (std::size_t k = 0; k < R.data.size(); ++k) R.data[k] = A.data[k] - R.data[k];
  return norm1(R);
}

template <class Real>
Wide<Real> denormal_floor(int rows) {
  using Number = Wide<Real>;
  return std::sqrt(Number(rows)) * Number(std::numeric_limits<Real>::denorm_min());
}

/// The first `count` columns of Q, transposed.
template <class Number, class Real>
Dense<Number> leading_columns_transposed(HostMatrix<Real> const& Q, int count) {
  Dense<Number> T(count, Q.rows);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < Q.rows; ++i) T.column(i)[k] = static_cast<Number>(Q(i, k));
  return T;
}

}  // namespace

template <class Real>
double residual_ratio(HostMatrix<Real> const& A, HostMatrix<Real> const& U,
                      std::vector<Real> const& S, HostMatrix<Real> const& V) {
  using Number = Wide<Real>;
  int const rank = std::min(A.rows, A.cols);
  if (U.rows != A.rows || V.rows != A.cols || U.cols < rank || V.cols < rank ||
      S.size() != static_cast<std::size_t>(rank))
    return infinity;
  if (rank == 0) return 0;
  Dense<Number> const wide_A = widened<Number>(A);
  Dense<Number> const Ut = leading_columns_transposed<Number>(U, rank);
  Dense<Number> SVt = leading_columns_transposed<Number>(V, rank);
  for (int j = 0; j < SVt.cols; ++j)
    for (int k = 0; k < rank; ++k)
      SVt.column(j)[k] *= static_cast<Number>(S[static_cast<std::size_t>(k)]);
  return scaled<Real>(residual_norm(wide_A, Ut, SVt), denormal_floor<Real>(A.rows), A.cols,
                      norm1(wide_A));
}

template <class Real>
double orthogonality_ratio(HostMatrix<Real> const& Q) {
  using Number = Wide<Real>;
  if (Q.rows == 0 || Q.cols == 0) return 0;
  Dense<Number> const wide_Q = widened<Number>(Q);
  Dense<Number> gram = transpose_times(wide_Q, wide_Q);
  for (int j = 0; j < gram.cols; ++j) gram.column(j)[j] -= Number(1);
  return scaled<Real>(norm1(gram), Number(0), Q.rows, Number(1));
}

template <class Real>
double one_factor_ratio(HostMatrix<Real> const& A, HostMatrix<Real> const& U,
                        std::vector<Real> const& S) {
  using Number = Wide<Real>;
  int const rank = std::min(A.rows, A.cols);
  if (U.rows != A.rows || U.cols < rank || S.size() != static_cast<std::size_t>(rank))
    return infinity;
  if (rank == 0) return 0;
  int const n = std::max(A.rows, A.cols);
  Number const floor = denormal_floor<Real>(n);
  Dense<Number> const wide_A = widened<Number>(A);
  Dense<Number> const Ut = leading_columns_transposed<Number>(U, rank);
  Dense<Number> const wide_U = transpose(Ut);
  Dense<Number> const W = transpose_times(wide_A, wide_U);
  Dense<Number> const gram = transpose_times(W, W);
  Number const sigma_max = static_cast<Number>(S.front());

  double worst = scaled<Real>(residual_norm(wide_A, Ut, transpose(W)), floor, n, norm1(wide_A));
  std::vector<Number> norms(static_cast<std::size_t>(rank));
  for (int k = 0; k < rank; ++k) {
    Number const norm = std::sqrt(gram.column(k)[k]);
    Number const sigma = static_cast<Number>(S[static_cast<std::size_t>(k)]);
    norms[static_cast<std::size_t>(k)] = norm;
    worst = std::max(worst, scaled<Real>(std::abs(norm - sigma), floor, n, sigma_max));
  }
  for (int k = 0; k < rank; ++k)
    for (int j = 0; j < k; ++j) {
      Number const larger =
          std::max(norms[static_cast<std::size_t>(j)], norms[static_cast<std::size_t>(k)]);
      if (larger > Number(0))
        worst = std::max(worst,
                         scaled<Real>(std::abs(gram.column(k)[j]) / larger, floor, n, sigma_max));
    }
  return worst;
}

template <class Real>
bool is_descending(std::vector<Real> const& S) {
  for (std::size_t k = 0; k < S.size(); ++k) {
    if (!(S[k] >= 0) || std::signbit(S[k])) return false;
    if (k > 0 && !(S[k] <= S[k - 1])) return false;
  }
  return true;
}

double SvdRatios::worst() const {
  return descending ? std::max({residual, u, v}) : infinity;
}

template <class Real>
SvdRatios svd_ratios(HostMatrix<Real> const& A, HostMatrix<Real> const& U,
                     std::vector<Real> const& S, HostMatrix<Real> const& V) {
  return {residual_ratio(A, U, S, V), orthogonality_ratio(U), orthogonality_ratio(V),
          is_descending(S)};
}

std::string to_string(SvdRatios const& ratios) {
  std::ostringstream text;
  text << "residual " << ratios.residual << ", U " << ratios.u << ", V " << ratios.v
       << (ratios.descending ? "" : ", S not descending or negative");
  return text.str();
}

#define CARROLL_TEST_INSTANTIATE(Real)                                                     \
  template double residual_ratio<Real>(HostMatrix<Real> const&, HostMatrix<Real> const&,   \
                                       std::vector<Real> const&, HostMatrix<Real> const&); \
  template double orthogonality_ratio<Real>(HostMatrix<Real> const&);                      \
  template double one_factor_ratio<Real>(HostMatrix<Real> const&, HostMatrix<Real> const&, \
                                         std::vector<Real> const&);                        \
  template bool is_descending<Real>(std::vector<Real> const&);                             \
  template SvdRatios svd_ratios<Real>(HostMatrix<Real> const&, HostMatrix<Real> const&,    \
                                      std::vector<Real> const&, HostMatrix<Real> const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
