// SPDX-License-Identifier: BSD-3-Clause
#include "support/svd/matrix_types.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/number_range.hpp"
#include "support/random.hpp"

namespace carroll::test {
namespace {

using Matrix = HostMatrix<double>;

struct TypeEntry {
  MatrixType type;
  char const* name;
  bool plain_jacobi;
};

constexpr TypeEntry type_table[] = {
    {MatrixType::zero, "zero", true},
    {MatrixType::identity, "identity", true},
    {MatrixType::dense_even, "dense_even", true},
    {MatrixType::dense_even_underflow, "dense_even_underflow", true},
    {MatrixType::dense_even_overflow, "dense_even_overflow", true},
    {MatrixType::diagonal_even, "diagonal_even", true},
    {MatrixType::diagonal_geometric, "diagonal_geometric", true},
    {MatrixType::diagonal_clustered, "diagonal_clustered", true},
    {MatrixType::diagonal_even_sqrt_overflow, "diagonal_even_sqrt_overflow", true},
    {MatrixType::diagonal_even_sqrt_underflow, "diagonal_even_sqrt_underflow", true},
    {MatrixType::dense_geometric, "dense_geometric", false},
    {MatrixType::dense_clustered, "dense_clustered", false},
    {MatrixType::dense_even_sqrt_overflow, "dense_even_sqrt_overflow", true},
    {MatrixType::dense_even_sqrt_underflow, "dense_even_sqrt_underflow", true},
    {MatrixType::random, "random", true},
    {MatrixType::random_sqrt_overflow, "random_sqrt_overflow", true},
    {MatrixType::random_sqrt_underflow, "random_sqrt_underflow", true},
    {MatrixType::log_bidiagonal, "log_bidiagonal", false},
    {MatrixType::wide_spectrum_dense, "wide_spectrum_dense", false},
    {MatrixType::wide_spectrum_diagonal, "wide_spectrum_diagonal", false},
    {MatrixType::hilbert, "hilbert", false},
    {MatrixType::kahan, "kahan", false},
    {MatrixType::golub_kahan_graded, "golub_kahan_graded", false},
    {MatrixType::graded_rows, "graded_rows", false},
    {MatrixType::graded_columns, "graded_columns", false},
    {MatrixType::graded_both, "graded_both", false},
    {MatrixType::rank_deficient, "rank_deficient", false},
    {MatrixType::repeated_columns, "repeated_columns", false},
    {MatrixType::ones, "ones", false},
    {MatrixType::single_entry, "single_entry", true},
    {MatrixType::orthogonal, "orthogonal", true},
    {MatrixType::one_huge_column, "one_huge_column", false},
    {MatrixType::near_overflow, "near_overflow", true},
    {MatrixType::near_underflow, "near_underflow", true},
    {MatrixType::denormal, "denormal", false},
    {MatrixType::uniform01, "uniform01", true},
};

TypeEntry const& entry_of(MatrixType type) {
  for (TypeEntry const& entry : type_table)
    if (entry.type == type) return entry;
  throw std::logic_error("matrix type without an entry in the table");
}

/// DLATMS mode 4: equally spaced from 1 to `last`.
std::vector<double> even_spectrum(int count, double last) {
  std::vector<double> sigma(static_cast<std::size_t>(count), 1.0);
  for (int i = 1; i < count; ++i)
    sigma[static_cast<std::size_t>(i)] = 1 - i * ((1 - last) / (count - 1));
  return sigma;
}

/// DLATMS mode 1: one large value, the others small.
std::vector<double> clustered_spectrum(int count, double last) {
  std::vector<double> sigma(static_cast<std::size_t>(count), last);
  if (count > 0) sigma[0] = 1;
  return sigma;
}

Matrix diagonal(int rows, int cols, std::vector<double> const& entries) {
  Matrix A(rows, cols);
  for (int i = 0; i < std::min(rows, cols); ++i) A(i, i) = entries[static_cast<std::size_t>(i)];
  return A;
}

void multiply_signs(Matrix& A, Random& random) {
  for (double& entry : A.data) entry *= random.sign();
}

Matrix random_entries(int rows, int cols, Random& random) {
  Matrix A(rows, cols);
  for (double& entry : A.data) entry = random.symmetric();
  return A;
}

/// Random entries times βⁱ along rows and/or columns, so that the last is `last` times the first.
Matrix graded(int rows, int cols, double last_row, double last_col, Random& random) {
  Matrix A = random_entries(rows, cols, random);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i)
      A(i, j) *= std::pow(last_row, static_cast<double>(i) / std::max(1, rows - 1)) *
                 std::pow(last_col, static_cast<double>(j) / std::max(1, cols - 1));
  return A;
}

Matrix kahan(int rows, int cols) {
  double const sine = std::sin(1.2);
  double const cosine = std::cos(1.2);
  Matrix A(rows, cols);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < std::min(rows, j + 1); ++i)
      A(i, j) = std::pow(sine, i) * (i == j ? 1.0 : -cosine);
  return A;
}

Matrix rank_deficient(int rows, int cols, Random& random) {
  int const rank = (std::min(rows, cols) + 1) / 2;
  Matrix A(rows, cols);
  for (int k = 0; k < rank; ++k) {
    std::vector<int> left(static_cast<std::size_t>(rows));
    for (int& entry : left) entry = random.index(7) - 3;
    for (int j = 0; j < cols; ++j) {
      int const right = random.index(7) - 3;
      for (int i = 0; i < rows; ++i) A(i, j) += left[static_cast<std::size_t>(i)] * right;
    }
  }
  return A;
}

/// Eigen's svd_fill: exponents uniform in ±decades, then a third of the values repeat another one.
std::vector<double> wide_spectrum(int count, double decades, Random& random) {
  std::vector<double> sigma(static_cast<std::size_t>(count));
  for (double& value : sigma) value = std::pow(10.0, decades * random.symmetric());
  for (int k = 0; k < count / 3; ++k)
    sigma[static_cast<std::size_t>(random.index(count))] =
        sigma[static_cast<std::size_t>(random.index(count))];
  return sigma;
}

template <class Real>
Matrix make_double(MatrixType type, int rows, int cols, std::uint64_t seed) {
  using L = NumberRange<Real>;
  Random random(seed);
  int const rank = std::min(rows, cols);
  double const sqrt_overflow = std::sqrt(L::overflow);
  double const sqrt_underflow = std::sqrt(L::underflow);

  auto const times = [](Matrix A, double factor) {
    for (double& entry : A.data) entry *= factor;
    return A;
  };
  auto const dense = [&](std::vector<double> const& sigma) {
    return random_with_spectrum(rows, cols, sigma, seed);
  };
  auto const signed_diagonal = [&](std::vector<double> const& sigma) {
    Matrix A = diagonal(rows, cols, sigma);
    multiply_signs(A, random);
    return A;
  };
  std::vector<double> const even = even_spectrum(rank, L::ulp);

  switch (type) {
    case MatrixType::zero: return Matrix(rows, cols);
    case MatrixType::identity: return diagonal(rows, cols, even_spectrum(rank, 1.0));
    case MatrixType::dense_even: return dense(even);
    case MatrixType::dense_even_underflow: return times(dense(even), L::underflow / L::ulp);
    case MatrixType::dense_even_overflow: return times(dense(even), L::overflow * L::ulp);
    case MatrixType::diagonal_even: return signed_diagonal(even);
    case MatrixType::diagonal_geometric: return signed_diagonal(geometric_spectrum(rank, L::ulp));
    case MatrixType::diagonal_clustered: return signed_diagonal(clustered_spectrum(rank, L::ulp));
    case MatrixType::diagonal_even_sqrt_overflow:
      return times(signed_diagonal(even), sqrt_overflow);
    case MatrixType::diagonal_even_sqrt_underflow:
      return times(signed_diagonal(even), sqrt_underflow);
    case MatrixType::dense_geometric: return dense(geometric_spectrum(rank, L::ulp));
    case MatrixType::dense_clustered: return dense(clustered_spectrum(rank, L::ulp));
    case MatrixType::dense_even_sqrt_overflow: return times(dense(even), sqrt_overflow);
    case MatrixType::dense_even_sqrt_underflow: return times(dense(even), sqrt_underflow);
    case MatrixType::random: return random_entries(rows, cols, random);
    case MatrixType::random_sqrt_overflow:
      return times(random_entries(rows, cols, random), sqrt_overflow);
    case MatrixType::random_sqrt_underflow:
      return times(random_entries(rows, cols, random), sqrt_underflow);
    case MatrixType::log_bidiagonal: {
      Matrix A(rows, cols);
      for (int j = 0; j < cols; ++j)
        for (int i : {j - 1, j})
          if (i >= 0 && i < rows)
            A(i, j) = random.sign() * std::exp(2 * std::log(L::ulp) * random.symmetric());
      return A;
    }
    case MatrixType::wide_spectrum_dense:
      return dense(wide_spectrum(rank, L::is_single ? 9 : 77, random));
    case MatrixType::wide_spectrum_diagonal:
      return signed_diagonal(wide_spectrum(rank, L::is_single ? 9 : 77, random));
    case MatrixType::hilbert: {
      Matrix A(rows, cols);
      for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows; ++i) A(i, j) = 1.0 / (i + j + 1);
      return A;
    }
    case MatrixType::kahan: return kahan(rows, cols);
    case MatrixType::golub_kahan_graded: {
      Matrix A(rows, cols);
      double const last = L::is_single ? 1e-20 : 1e-100;
      for (int j = 0; j < cols; ++j)
        for (int i : {j - 1, j})
          if (i >= 0 && i < rows)
            A(i, j) = std::pow(last, static_cast<double>(i) / std::max(1, rank - 1));
      return A;
    }
    case MatrixType::graded_rows:
      return graded(rows, cols, L::is_single ? 1e-20 : 1e-100, 1, random);
    case MatrixType::graded_columns:
      return graded(rows, cols, 1, L::is_single ? 1e-20 : 1e-100, random);
    case MatrixType::graded_both:
      return graded(rows, cols, L::is_single ? 1e-12 : 1e-60, L::is_single ? 1e-12 : 1e-60, random);
    case MatrixType::rank_deficient: return rank_deficient(rows, cols, random);
    case MatrixType::repeated_columns: {
      Matrix A = random_entries(rows, cols, random);
      for (int j = 1; j < cols; j += 2) std::copy_n(A.column(j - 1), rows, A.column(j));
      return A;
    }
    case MatrixType::ones: {
      Matrix A(rows, cols);
      std::fill(A.data.begin(), A.data.end(), 1.0);
      return A;
    }
    case MatrixType::single_entry: {
      Matrix A(rows, cols);
      if (rank > 0) A(rows / 2, cols / 3) = -3;
      return A;
    }
    case MatrixType::orthogonal: return dense(even_spectrum(rank, 1.0));
    case MatrixType::one_huge_column: {
      Matrix A = random_entries(rows, cols, random);
      if (rank > 0)
        for (int i = 0; i < rows; ++i) A(i, cols / 2) *= L::is_single ? 1e15 : 1e150;
      return A;
    }
    case MatrixType::near_overflow:
      // σ₁ ≤ ‖A‖_F ≤ √(rows·cols)·max|aᵢⱼ|, which stays just below the overflow threshold.
      return times(random_entries(rows, cols, random),
                   L::overflow / std::sqrt(1.01 * std::max(1, rows) * std::max(1, cols)));
    case MatrixType::near_underflow:
      return times(random_entries(rows, cols, random), 4 * L::underflow);
    case MatrixType::denormal: {
      Matrix A(rows, cols);
      for (double& entry : A.data) entry = (random.index(7) - 3) * L::denormal;
      return A;
    }
    case MatrixType::uniform01: {
      Matrix A(rows, cols);
      for (double& entry : A.data) entry = random.uniform();
      return A;
    }
  }
  throw std::logic_error("unknown matrix type");
}

template <class Real>
HostMatrix<Real> rounded(Matrix const& A) {
  HostMatrix<Real> R(A.rows, A.cols);
  std::transform(A.data.begin(), A.data.end(), R.data.begin(),
                 [](double value) { return static_cast<Real>(value); });
  return R;
}

}  // namespace

std::string to_string(MatrixType type) {
  return entry_of(type).name;
}

bool suits_plain_jacobi(MatrixType type) {
  return entry_of(type).plain_jacobi;
}

std::vector<MatrixType> const& all_matrix_types() {
  static std::vector<MatrixType> const types = [] {
    std::vector<MatrixType> list;
    for (TypeEntry const& entry : type_table) list.push_back(entry.type);
    return list;
  }();
  return types;
}

template <class Real>
HostMatrix<Real> make_matrix(MatrixType type, int rows, int cols, std::uint64_t seed) {
  return rounded<Real>(make_double<Real>(type, rows, cols, seed));
}

template HostMatrix<float> make_matrix<float>(MatrixType, int, int, std::uint64_t);
template HostMatrix<double> make_matrix<double>(MatrixType, int, int, std::uint64_t);

}  // namespace carroll::test
