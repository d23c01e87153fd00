// SPDX-License-Identifier: BSD-3-Clause
#include "support/determinant/flint_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#ifdef CARROLL_TEST_HAVE_FLINT
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#endif

namespace carroll::test {

#ifdef CARROLL_TEST_HAVE_FLINT

bool have_flint() {
  return true;
}

std::string flint_determinant(HostMatrix<std::int64_t> const& A) {
  static_assert(sizeof(slong) == sizeof(std::int64_t));
  fmpz_mat_t matrix;
  fmpz_mat_init(matrix, A.rows, A.cols);
  for (int i = 0; i < A.rows; ++i)
    for (int j = 0; j < A.cols; ++j) fmpz_set_si(fmpz_mat_entry(matrix, i, j), A(i, j));
  fmpz_t determinant;
  fmpz_init(determinant);
  fmpz_mat_det(determinant, matrix);
  char* const digits = fmpz_get_str(nullptr, 10, determinant);
  std::string text(digits);
  flint_free(digits);
  fmpz_clear(determinant);
  fmpz_mat_clear(matrix);
  flint_cleanup();
  return text;
}

namespace {

/// x = integer·2^exponent, exactly.
std::int64_t integer_part(double x, std::int64_t& exponent) {
  int e = 0;
  double const m = std::frexp(x, &e);
  exponent = e - 53;
  return static_cast<std::int64_t>(std::ldexp(m, 53));
}

/// `value` := integer·2^shift, for shift >= 0.
void set_shifted(fmpz_t value, std::int64_t integer, std::int64_t shift) {
  fmpz_set_si(value, integer);
  fmpz_mul_2exp(value, value, static_cast<ulong>(shift));
}

/// `matrix` := integers; returns e_i with a_ij = integer_ij·2^e_i.
std::vector<std::int64_t> set_integers(fmpz_mat_t matrix, HostMatrix<double> const& A) {
  std::vector<std::int64_t> exponents;
  for (int i = 0; i < A.rows; ++i) {
    std::int64_t least = std::numeric_limits<int>::max(), exponent = 0;
    for (int j = 0; j < A.cols; ++j)
      if (integer_part(A(i, j), exponent) != 0) least = std::min(least, exponent);
    for (int j = 0; j < A.cols; ++j)
      if (auto const integer = integer_part(A(i, j), exponent))
        set_shifted(fmpz_mat_entry(matrix, i, j), integer, exponent - least);
    exponents.push_back(least);
  }
  return exponents;
}

double log2_of(fmpz_t x) {
  slong e = 0;
  double const m = fmpz_get_d_2exp(&e, x);
  return std::log2(std::abs(m)) + static_cast<double>(e);
}

}  // namespace

std::vector<double> flint_distances(HostMatrix<double> const& A,
                                    std::vector<BinaryNumber> const& numbers) {
  fmpz_mat_t matrix;
  fmpz_mat_init(matrix, A.rows, A.cols);
  std::int64_t scale = 0;  // det A = determinant·2^scale
  for (std::int64_t const e : set_integers(matrix, A)) scale += e;
  fmpz_t determinant, x, difference;
  fmpz_init(determinant);
  fmpz_init(x);
  fmpz_init(difference);
  fmpz_mat_det(determinant, matrix);
  std::vector<double> distances;
  for (auto const& number : numbers) {
    std::int64_t exponent = 0;
    std::int64_t const integer = integer_part(number.mantissa, exponent);
    exponent += number.exponent - scale;
    set_shifted(x, integer, std::max<std::int64_t>(exponent, 0));
    fmpz_mul_2exp(difference, determinant,
                  static_cast<ulong>(std::max<std::int64_t>(-exponent, 0)));
    slong d = 0, e = 0;
    double const of_determinant = std::abs(fmpz_get_d_2exp(&d, difference));
    fmpz_sub(difference, difference, x);
    double const of_difference = fmpz_get_d_2exp(&e, difference);
    distances.push_back(of_difference == 0 ? 0
                        : of_determinant == 0
                            ? std::copysign(HUGE_VAL, of_difference)
                            : std::ldexp(of_difference / of_determinant, static_cast<int>(e - d)));
  }
  fmpz_clear(difference);
  fmpz_clear(x);
  fmpz_clear(determinant);
  fmpz_mat_clear(matrix);
  flint_cleanup();
  return distances;
}

double flint_log2_sensitivity(HostMatrix<double> const& A, std::vector<int> const& rows,
                              std::vector<int> const& columns) {
  fmpz_mat_t matrix, inverse;
  fmpz_mat_init(matrix, A.rows, A.cols);
  fmpz_mat_init(inverse, A.rows, A.cols);
  auto const exponents = set_integers(matrix, A);
  fmpz_t denominator;
  fmpz_init(denominator);
  double sum = -HUGE_VAL;  // a logarithm
  if (fmpz_mat_inv(inverse, denominator, matrix) == 0) sum = HUGE_VAL;
  double const of_denominator = sum > 0 ? 0 : log2_of(denominator);
  for (int i = 0; i < A.rows && sum < HUGE_VAL; ++i)
    for (int j = 0; j < A.cols; ++j) {
      if (fmpz_is_zero(fmpz_mat_entry(inverse, j, i))) continue;
      auto const row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
      double const term = log2_of(fmpz_mat_entry(inverse, j, i)) - of_denominator -
                          static_cast<double>(exponents[row]) + rows[row] + columns[column];
      double const larger = std::max(sum, term), smaller = std::min(sum, term);
      sum = larger + std::log2(1 + std::exp2(smaller - larger));
    }
  fmpz_clear(denominator);
  fmpz_mat_clear(inverse);
  fmpz_mat_clear(matrix);
  flint_cleanup();
  return sum;
}

#else

bool have_flint() {
  return false;
}

std::string flint_determinant(HostMatrix<std::int64_t> const&) {
  return {};
}

std::vector<double> flint_distances(HostMatrix<double> const&, std::vector<BinaryNumber> const&) {
  return {};
}

double flint_log2_sensitivity(HostMatrix<double> const&, std::vector<int> const&,
                              std::vector<int> const&) {
  return std::numeric_limits<double>::quiet_NaN();
}

#endif

}  // namespace carroll::test
