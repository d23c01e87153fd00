// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <utility>

#include "support/number_range.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {
namespace {

using Matrix = HostMatrix<double>;

/// H·A with H = I − 2wwᵀ/‖w‖², w nonzero in the rows from `first` on.
void reflect_rows(Matrix& A, std::vector<double> const& w, int first) {
  double square = 0;
  for (int i = first; i < A.rows; ++i)
    square += w[static_cast<std::size_t>(i)] * w[static_cast<std::size_t>(i)];
  for (int j = 0; j < A.cols; ++j) {
    double* column = A.column(j);
    double dot = 0;
    for (int i = first; i < A.rows; ++i) dot += w[static_cast<std::size_t>(i)] * column[i];
    double const factor = 2 * dot / square;
    for (int i = first; i < A.rows; ++i) column[i] -= factor * w[static_cast<std::size_t>(i)];
  }
}

/// Q·A, Q random orthogonal: reflections with Gaussian vectors of falling length, and random signs.
void multiply_random_orthogonal(Matrix& A, Random& random) {
  std::vector<double> w(static_cast<std::size_t>(A.rows));
  for (int first = A.rows - 2; first >= 0; --first) {
    for (int i = first; i < A.rows; ++i) w[static_cast<std::size_t>(i)] = random.normal();
    // The reflection that maps e₁ to ∓w/‖w‖; a plain reflection along w would not give Haar
    // measure.
    double norm = 0;
    for (int i = first; i < A.rows; ++i) norm = std::hypot(norm, w[static_cast<std::size_t>(i)]);
    w[static_cast<std::size_t>(first)] += std::copysign(norm, w[static_cast<std::size_t>(first)]);
    reflect_rows(A, w, first);
  }
  for (int i = 0; i < A.rows; ++i) {
    double const sign = random.sign();
    for (int j = 0; j < A.cols; ++j) A(i, j) *= sign;
  }
}

}  // namespace

HostMatrix<double> random_with_spectrum(int rows, int cols, std::vector<double> const& sigma,
                                        std::uint64_t seed) {
  Random random(seed ^ 0x5eedU);
  Matrix A(rows, cols);
  for (std::size_t i = 0; i < sigma.size(); ++i)
    A(static_cast<int>(i), static_cast<int>(i)) = sigma[i];
  multiply_random_orthogonal(A, random);
  Matrix T = transposed(A);
  multiply_random_orthogonal(T, random);
  return transposed(T);
}

std::vector<double> geometric_spectrum(int count, double last) {
  std::vector<double> sigma(static_cast<std::size_t>(count), 1.0);
  for (int i = 1; i < count; ++i)
    sigma[static_cast<std::size_t>(i)] = std::pow(last, static_cast<double>(i) / (count - 1));
  return sigma;
}

template <class Real>
std::vector<HostMatrix<Real>> two_by_two_extremes() {
  using L = NumberRange<Real>;
  double const large_denormal = L::underflow / 2;
  double const squares_underflow = L::is_single ? 1e-30 : 4.940656458412465e-223;
  double const values[] = {0,
                           1,
                           -1,
                           L::denormal,
                           -L::denormal,
                           large_denormal,
                           -large_denormal,
                           squares_underflow,
                           -squares_underflow};
  std::vector<HostMatrix<Real>> all;
  for (double a : values)
    for (double b : values)
      for (double c : values)
        for (double d : values) {
          HostMatrix<Real> A(2, 2);
          A.data = {static_cast<Real>(a), static_cast<Real>(b), static_cast<Real>(c),
                    static_cast<Real>(d)};
          all.push_back(std::move(A));
        }
  return all;
}

template <class Real>
HostMatrix<Real> three_by_three_huge() {
  double const scale = NumberRange<Real>::is_single
                           ? NumberRange<float>::overflow / NumberRange<double>::overflow
                           : 1;
  HostMatrix<Real> A(3, 3);
  double const entries[] = {
      4.4331978442502944e+307,  3.7841695601406358e+307,  -8.7190887618028355e+307,
      -5.8585363752028680e+307, 2.4331702789740617e+306,  -7.3453213709232193e+307,
      6.4527017443412964e+307,  -3.5235707140272905e+307, -2.4367363684472105e+307};
  for (std::size_t k = 0; k < 9; ++k) A.data[k] = static_cast<Real>(entries[k] * scale);
  return A;
}

template <class Real>
HostMatrix<Real> scaled_columns(int rows, int cols, double condition, double decades, bool permute,
                                std::uint64_t seed) {
  Random random(seed);
  Matrix const B = random_with_spectrum(
      rows, cols, geometric_spectrum(std::min(rows, cols), 1 / condition), seed);
  std::vector<double> exponents(static_cast<std::size_t>(cols));
  for (double& exponent : exponents) exponent = decades * random.symmetric();
  if (cols > 1) {
    exponents.front() = decades;
    exponents.back() = -decades;
  }
  random.shuffle(exponents);

  std::vector<int> row_order(static_cast<std::size_t>(rows));
  std::vector<int> col_order(static_cast<std::size_t>(cols));
  for (int i = 0; i < rows; ++i) row_order[static_cast<std::size_t>(i)] = i;
  for (int j = 0; j < cols; ++j) col_order[static_cast<std::size_t>(j)] = j;
  if (permute) {
    random.shuffle(row_order);
    random.shuffle(col_order);
  }
  HostMatrix<Real> A(rows, cols);
  for (int j = 0; j < cols; ++j) {
    int const from = col_order[static_cast<std::size_t>(j)];
    double const scale = std::pow(10.0, exponents[static_cast<std::size_t>(from)]);
    for (int i = 0; i < rows; ++i)
      A(i, j) = static_cast<Real>(B(row_order[static_cast<std::size_t>(i)], from) * scale);
  }
  return A;
}

#define CARROLL_TEST_INSTANTIATE(Real)                                \
  template std::vector<HostMatrix<Real>> two_by_two_extremes<Real>(); \
  template HostMatrix<Real> three_by_three_huge<Real>();              \
  template HostMatrix<Real> scaled_columns<Real>(int, int, double, double, bool, std::uint64_t)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
