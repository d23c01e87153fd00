// SPDX-License-Identifier: BSD-3-Clause
#include "support/lapack/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>

#include "support/lapack/bands.hpp"
#include "support/number_range.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test::lapack {
namespace {

using Matrix = HostMatrix<double>;

template <class Real>
HostMatrix<Real> rounded(Matrix const& A, double factor = 1) {
  HostMatrix<Real> R(A.rows, A.cols);
  std::transform(A.data.begin(), A.data.end(), R.data.begin(),
                 [=](double value) { return static_cast<Real>(value * factor); });
  return R;
}

double largest_entry(Matrix const& A) {
  double largest = 0;
  for (double const x : A.data) largest = std::max(largest, std::abs(x));
  return largest;
}

Matrix diagonal(int rows, int cols, std::vector<double> const& entries) {
  Matrix A(rows, cols);
  for (int i = 0; i < std::min(rows, cols); ++i) A(i, i) = entries[static_cast<std::size_t>(i)];
  return A;
}

Matrix random_entries(int rows, int cols, Random& random) {
  Matrix A(rows, cols);
  for (double& x : A.data) x = random.symmetric();
  return A;
}

/// Conditions and norms of DLATB4.
template <class Real>
struct Latb4 {
  static constexpr double eps = NumberRange<Real>::ulp;
  inline static double const bad = 0.1 / eps, worse_half = std::sqrt(bad);
  static constexpr double small = NumberRange<Real>::underflow / eps / 4, large = 1 / small;
};

/// `shape`: 1 diagonal, 2 upper, 3 lower triangular, else dense.
Matrix general(int shape, int rows, int cols, double condition, std::uint64_t seed) {
  int const rank = std::min(rows, cols);
  auto const sigma = spectrum(Spectrum::geometric, rank, rank > 1 ? condition : 1);
  if (shape == 1) return diagonal(rows, cols, sigma);
  if (shape == 3) return transposed(upper_triangle(random_with_spectrum(cols, rows, sigma, seed)));
  Matrix const A = random_with_spectrum(rows, cols, sigma, seed);
  return shape == 2 ? upper_triangle(A) : A;
}

/// Symmetric with such eigenvalues: `band` < 0 diagonal, otherwise of that half bandwidth.
Matrix symmetric(std::vector<double> const& lambda, int band, Random& random) {
  auto const n = static_cast<int>(lambda.size());
  Matrix const D = diagonal(n, n, lambda);
  return band <= 0 ? D : to_band(rotate_randomly(D, random), band);
}

/// As DDRVST draws eigenvalues for its types; with signs or without.
std::vector<double> drvst_spectrum(int type, int n, double ulp, bool signs, Random& random) {
  Spectrum const mode = type == 4 || type == 6 || type == 7 || type == 9 ? Spectrum::geometric
                        : type == 5 || type == 10                        ? Spectrum::clustered
                                                                         : Spectrum::arithmetic;
  auto lambda = spectrum(mode, n, 1 / ulp);
  for (double& x : lambda)
    if (signs) x *= random.sign();
  return lambda;
}

template <class Real>
HostMatrix<Real> drawn_symmetric(int type, int n, bool signs, std::uint64_t seed) {
  using L = NumberRange<Real>;
  Random random(seed);
  bool const up = type == 6 || type == 11 || type == 14 || type == 17;
  bool const down = type == 7 || type == 12 || type == 15 || type == 18;
  double const factor = up ? std::sqrt(L::overflow) : down ? std::sqrt(L::underflow) : 1;
  if (type == 1) return HostMatrix<Real>(n, n);
  if (type == 2) return rounded<Real>(diagonal(n, n, spectrum(Spectrum::arithmetic, n, 1)));
  if (type >= 13 && type <= 15) {
    Matrix A = random_entries(n, n, random);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < j; ++i) A(i, j) = A(j, i);
    return rounded<Real>(A, factor);
  }
  auto const lambda = drvst_spectrum(type, n, L::ulp, signs, random);
  int const band = type <= 7 ? -1 : type < 16 ? n - 1 : random.index(std::max(n, 1));
  return rounded<Real>(symmetric(lambda, band, random), factor);
}

}  // namespace

std::vector<double> spectrum(Spectrum mode, int count, double condition) {
  std::vector<double> values(static_cast<std::size_t>(count), 1.0);
  for (int i = 1; i < count; ++i) {
    double const way = static_cast<double>(i) / (count - 1), last = 1 / condition;
    values[static_cast<std::size_t>(i)] = mode == Spectrum::clustered ? last
                                          : mode == Spectrum::one_small
                                              ? (i == count - 1 ? last : 1)
                                          : mode == Spectrum::geometric ? std::pow(last, way)
                                                                        : 1 - way * (1 - last);
  }
  return values;
}

template <class Real>
HostMatrix<Real> drvst_matrix(int type, int n, std::uint64_t seed) {
  if (type < 1 || type > drvst_types) throw std::invalid_argument("DDRVST has 18 types");
  return drawn_symmetric<Real>(type, n, true, seed);
}

template <class Real>
HostMatrix<Real> definite_matrix(int type, int n, std::uint64_t seed) {
  constexpr int like[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18};
  if (type > 2) return drawn_symmetric<Real>(like[type - 3], n, false, seed);
  Random random(seed);
  int const band = type == 1 ? n - 1 : random.index(std::max(n - 1, 1));
  return rounded<Real>(symmetric(spectrum(Spectrum::geometric, n, 10), band, random));
}

template <class Real>
HostMatrix<Real> chkqr_matrix(int type, int rows, int cols, std::uint64_t seed) {
  using B = Latb4<Real>;
  double const condition = type == 5 ? B::worse_half : type == 6 ? B::bad : 2;
  double const norm = type == 7 ? B::small : type == 8 ? B::large : 1;
  return rounded<Real>(general(type, rows, cols, condition, seed), norm);
}

template <class Real>
HostMatrix<Real> chkge_matrix(int type, int n, std::uint64_t seed) {
  using B = Latb4<Real>;
  double const condition = type == 8 ? B::worse_half : type == 9 ? B::bad : 2;
  double const norm = type == 10 ? B::small : type == 11 ? B::large : 1;
  auto A = rounded<Real>(general(type, n, n, condition, seed), norm);
  if (!is_singular_chkge(type)) return A;
  int const first = type == 5 ? 0 : type == 6 ? n - 1 : n / 2;
  int const end = type == 5 ? std::min(n, 1) : n;
  for (int j = first; j < end; ++j) std::fill_n(A.column(j), n, Real(0));
  return A;
}

template <class Real>
KnownMatrix<Real> chkq3_matrix(int type, int rows, int cols, std::uint64_t seed) {
  int const rank = std::min(rows, cols);
  if (type == 1)
    return {HostMatrix<Real>(rows, cols), std::vector<double>(static_cast<std::size_t>(rank))};
  Spectrum const mode = type == 2   ? Spectrum::one_small
                        : type == 3 ? Spectrum::geometric
                                    : Spectrum::clustered;
  auto const sigma = spectrum(mode, rank, 2 / NumberRange<Real>::ulp);
  return {rounded<Real>(random_with_spectrum(rows, cols, sigma, seed)), sigma};
}

template <class Real>
LeastSquares<Real> drvls_problem(int type, int rows, int cols, int rhs, std::uint64_t seed) {
  using L = NumberRange<Real>;
  Random random(seed);
  int const least = std::min(rows, cols), rank = type <= 3 ? least : 3 * least / 4;
  std::vector<double> sigma(static_cast<std::size_t>(least));
  for (int k = 0; k < rank; ++k)
    sigma[static_cast<std::size_t>(k)] = k == 0 ? 1 : 0.1 + 0.9 * random.uniform();
  std::sort(sigma.begin(), sigma.end(), std::greater<>());
  Matrix const A = random_with_spectrum(rows, cols, sigma, seed);
  Matrix const X = random_entries(cols, rhs, random);
  Matrix B(rows, rhs);
  for (int c = 0; c < rhs; ++c)
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i) B(i, c) += A(i, j) * X(j, c);
  double const tiny = L::underflow / (L::ulp / 2) / (L::ulp / 2), top = largest_entry(A);
  int const scale = (type - 1) % 3;
  double const factor = top > 0 && scale > 0 ? (scale == 1 ? 1 / tiny : tiny) / top : 1;
  for (double& s : sigma) s *= factor;
  return {rounded<Real>(A, factor), rounded<Real>(B, factor), sigma, rank};
}

template <class Real>
HostMatrix<Real> qrt13_matrix(int type, int rows, int cols, std::uint64_t seed) {
  using L = NumberRange<Real>;
  Random random(seed);
  Matrix A = random_entries(rows, cols, random);
  for (int j = 0; j < std::min(rows, cols); ++j) {
    double sum = 0;
    for (int i = 0; i < rows; ++i) sum += std::abs(A(i, j));
    A(j, j) += std::copysign(sum, A(j, j));
  }
  double const tiny = L::underflow / (L::ulp / 2), top = largest_entry(A);
  return rounded<Real>(A, type == 1 || top == 0 ? 1 : (type == 2 ? 1 / tiny : tiny) / top);
}

template <class Real>
HostMatrix<Real> random_matrix(int rows, int cols, std::uint64_t seed) {
  Random random(seed);
  return rounded<Real>(random_entries(rows, cols, random));
}

#define CARROLL_TEST_INSTANTIATE(Real)                                          \
  template HostMatrix<Real> drvst_matrix(int, int, std::uint64_t);              \
  template HostMatrix<Real> definite_matrix(int, int, std::uint64_t);           \
  template HostMatrix<Real> chkqr_matrix(int, int, int, std::uint64_t);         \
  template HostMatrix<Real> chkge_matrix(int, int, std::uint64_t);              \
  template KnownMatrix<Real> chkq3_matrix(int, int, int, std::uint64_t);        \
  template LeastSquares<Real> drvls_problem(int, int, int, int, std::uint64_t); \
  template HostMatrix<Real> qrt13_matrix(int, int, int, std::uint64_t);         \
  template HostMatrix<Real> random_matrix(int, int, std::uint64_t)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test::lapack
