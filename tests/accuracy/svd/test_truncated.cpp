// SPDX-License-Identifier: BSD-3-Clause
// Leading triplets against LAPACK and the full decomposition on spectra that fall fast, slowly and
// not at all; and whether what the info says of the error holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/status.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/svd/drivers.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/ratios.hpp"
#include "support/svd/truncated_drivers.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

struct Spectrum {
  char const* name;
  std::function<double(int)> sigma;
};

/// σ₁ = 1. The width of the subspace for rank 20 is 32.
std::vector<Spectrum> spectra() {
  return {{"fast geometric", [](int i) { return std::pow(0.3, i); }},
          {"geometric", [](int i) { return std::pow(0.8, i); }},
          {"quadratic", [](int i) { return 1.0 / (i + 1.0) / (i + 1.0); }},
          {"harmonic", [](int i) { return 1.0 / (i + 1.0); }},
          {"step", [](int i) { return i < 20 ? 1.0 : 1e-3; }},
          {"low rank", [](int i) { return i < 7 ? 1.0 / (i + 1.0) : 0.0; }},
          {"clusters", [](int i) { return std::pow(0.1, i / 10); }},
          {"slow", [](int i) { return 1.0 - i / 500.0; }},
          {"flat", [](int) { return 1.0; }}};
}

template <class Real>
HostMatrix<Real> matrix_with(Spectrum const& spectrum, int rows, int cols) {
  std::vector<double> sigma;
  for (int i = 0; i < std::min(rows, cols); ++i) sigma.push_back(spectrum.sigma(i));
  auto const exact = random_with_spectrum(rows, cols, sigma, 5);
  HostMatrix<Real> A(rows, cols);
  std::transform(exact.data.begin(), exact.data.end(), A.data.begin(),
                 [](double x) { return static_cast<Real>(x); });
  return A;
}

/// sums += factor·x. By pointers, as this is most of a test that is not optimised.
template <class Real>
void add_multiple(std::vector<long double>& sums, long double factor, Real const* x) {
  long double* const sum = sums.data();
  auto const count = sums.size();
  for (std::size_t i = 0; i < count; ++i) sum[i] += factor * x[i];
}

/// A − U·diag(S)·Vᵀ, in double.
template <class Real>
HostMatrix<double> residual_matrix(HostMatrix<Real> const& A, HostTruncatedSvd<Real> const& x) {
  HostMatrix<double> E(A.rows, A.cols);
  for (int j = 0; j < A.cols; ++j) {
    std::vector<long double> sums(A.column(j), A.column(j) + A.rows);
    for (int k = 0; k < x.U.cols; ++k)
      add_multiple(sums, static_cast<long double>(x.S[static_cast<std::size_t>(k)]) * -x.V(j, k),
                   x.U.column(k));
    std::copy(sums.begin(), sums.end(), E.column(j));
  }
  return E;
}

/// Singular values by LAPACK or, without it, by the full decomposition.
template <class Real>
std::vector<Real> reference_values(HostMatrix<Real> const& A) {
  if (auto values = lapack_singular_values(LapackDriver::gesdd, A)) return *values;
  return run_svd(A, only_values).S;
}

/// Largest ‖A·v − σ·u‖ of all triplets.
template <class Real>
double largest_residual(HostMatrix<Real> const& A, HostMatrix<Real> const& U,
                        std::vector<Real> const& S, HostMatrix<Real> const& V) {
  double worst = 0;
  for (int k = 0; k < U.cols; ++k) {
    std::vector<long double> sums(static_cast<std::size_t>(A.rows));
    add_multiple(sums, -static_cast<long double>(S[static_cast<std::size_t>(k)]), U.column(k));
    for (int j = 0; j < A.cols; ++j) add_multiple(sums, V(j, k), A.column(j));
    long double square = 0;
    for (long double const sum : sums) square += sum * sum;
    worst = std::max(worst, static_cast<double>(std::sqrt(square)));
  }
  return worst;
}

template <class Real>
class TruncatedSvdAccuracy : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TruncatedSvdAccuracy, Reals);

template <class Real>
void check(std::string const& name, HostMatrix<Real> const& A, int rank,
           TruncatedSvdOptions const& options) {
  SCOPED_TRACE(name + " " + std::to_string(A.rows) + "x" + std::to_string(A.cols) + " rank " +
               std::to_string(rank) + " path " + std::to_string(static_cast<int>(options.path)));
  auto const result = run_truncated_svd(A, rank, options);
  auto const values = reference_values(A);
  double const largest = static_cast<double>(values.front());
  int const longer = std::max(A.rows, A.cols);
  double const rounding = longer * epsilon<Real>;

  EXPECT_LE(orthogonality_ratio(result.U), ratio_bar);
  EXPECT_LE(orthogonality_ratio(result.V), ratio_bar);
  EXPECT_TRUE(is_descending(result.S));
  if (options.path != TruncatedSvdPath::randomized) {
    EXPECT_EQ(result.info.status, Status::success);
  }
  if (result.info.status == Status::success) {
    // Errors of second order in a residual of √ε, over the gap, besides rounding.
    for (std::size_t k = 0; k < result.S.size(); ++k)
      EXPECT_LE(std::abs(double(result.S[k]) - double(values[k])), 10 * rounding * largest) << k;
    EXPECT_LE(double(result.info.residual), std::sqrt(epsilon<Real>));
  } else {
    EXPECT_EQ(result.info.status, Status::not_converged);
    EXPECT_GT(double(result.info.residual), std::sqrt(epsilon<Real>));
  }

  // What the info says holds, and does not overstate by much.
  double const true_residual =
      std::max(largest_residual(A, result.U, result.S, result.V),
               largest_residual(transposed(A), result.V, result.S, result.U)) /
      largest;
  EXPECT_NEAR(double(result.info.residual), true_residual, 0.01 * true_residual + rounding);
  double const true_error = reference_values(residual_matrix(A, result)).front() / largest;
  EXPECT_GE(double(result.info.error) * (1 + 1e-3), true_error);
  EXPECT_LE(double(result.info.error), 20 * true_error + rounding + 4 * epsilon<Real>);
  // No matrix of this rank is nearer than the next singular value; this one hardly farther.
  double const next = rank < int(values.size())
                          ? static_cast<double>(values[static_cast<std::size_t>(rank)]) / largest
                          : 0;
  EXPECT_GE(true_error, next * (1 - rounding) - rounding);
  if (result.info.status == Status::success) {
    EXPECT_LE(true_error,
              next + 2 * std::sqrt(double(rank)) * double(result.info.residual) + 10 * rounding);
  }
}

TYPED_TEST(TruncatedSvdAccuracy, EverySpectrumOnEveryPath) {
  for (Spectrum const& spectrum : spectra())
    for (auto [rows, cols] : {std::pair{180, 120}, {120, 180}})
      for (TruncatedSvdPath path :
           {TruncatedSvdPath::automatic, TruncatedSvdPath::randomized, TruncatedSvdPath::full})
        check(spectrum.name, matrix_with<TypeParam>(spectrum, rows, cols), 20, {.path = path});
}

TYPED_TEST(TruncatedSvdAccuracy, EveryRank) {
  auto const A =
      matrix_with<TypeParam>({"geometric", [](int i) { return std::pow(0.8, i); }}, 130, 100);
  for (int rank : {1, 2, 7, 8, 31, 32, 33, 49, 99, 100}) {
    check("geometric", A, rank, {});
    check("geometric", A, rank, {.path = TruncatedSvdPath::randomized});
  }
}

TYPED_TEST(TruncatedSvdAccuracy, SmallMatrices) {
  for (auto [rows, cols] : {std::pair{1, 1}, {1, 5}, {5, 1}, {2, 2}, {3, 7}, {9, 8}, {33, 31}}) {
    auto const A = make_matrix<TypeParam>(MatrixType::random, rows, cols, 3);
    for (int rank = 1; rank <= std::min(rows, cols); rank += 3) {
      check("random", A, rank, {});
      check("random", A, rank, {.path = TruncatedSvdPath::randomized});
    }
  }
}

/// Wide subspaces take several tiles of every product.
TYPED_TEST(TruncatedSvdAccuracy, WideSubspaces) {
  check("geometric",
        matrix_with<TypeParam>({"geometric", [](int i) { return std::pow(0.9, i); }}, 260, 220), 70,
        {.path = TruncatedSvdPath::randomized});
}

/// Extremes of the number range, and matrices whose sketches are rank-deficient.
TYPED_TEST(TruncatedSvdAccuracy, OtherTypesOfMatrices) {
  for (MatrixType type :
       {MatrixType::identity, MatrixType::dense_clustered, MatrixType::rank_deficient,
        MatrixType::repeated_columns, MatrixType::ones, MatrixType::single_entry,
        MatrixType::orthogonal, MatrixType::one_huge_column, MatrixType::hilbert,
        MatrixType::graded_rows, MatrixType::graded_columns, MatrixType::uniform01})
    for (TruncatedSvdPath path : {TruncatedSvdPath::automatic, TruncatedSvdPath::randomized}) {
      auto const A = make_matrix<TypeParam>(type, 100, 90, 3);
      auto const result = run_truncated_svd(A, 12, {.path = path});
      SCOPED_TRACE(to_string(type));
      EXPECT_LE(orthogonality_ratio(result.U), ratio_bar);
      EXPECT_LE(orthogonality_ratio(result.V), ratio_bar);
      if (result.info.status != Status::success) {
        EXPECT_EQ(path, TruncatedSvdPath::randomized);
        continue;
      }
      auto const values = reference_values(A);
      for (std::size_t k = 0; k < result.S.size(); ++k)
        EXPECT_LE(std::abs(double(result.S[k]) - double(values[k])),
                  1000 * epsilon<TypeParam> * double(values.front()))
            << k;
    }
}

TYPED_TEST(TruncatedSvdAccuracy, ZeroMatrix) {
  for (TruncatedSvdPath path : {TruncatedSvdPath::automatic, TruncatedSvdPath::randomized}) {
    auto const result = run_truncated_svd(HostMatrix<TypeParam>(100, 80), 9, {.path = path});
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.residual, TypeParam(0));
    EXPECT_EQ(result.info.error, TypeParam(0));
    EXPECT_EQ(result.S, std::vector<TypeParam>(9, TypeParam(0)));
    EXPECT_LE(orthogonality_ratio(result.U), ratio_bar);
    EXPECT_LE(orthogonality_ratio(result.V), ratio_bar);
  }
}

/// More power steps bring smaller residuals, and the error towards the best there is.
TYPED_TEST(TruncatedSvdAccuracy, PowerStepsHelp) {
  auto const A =
      matrix_with<TypeParam>({"harmonic", [](int i) { return 1.0 / (i + 1.0); }}, 150, 110);
  double before = 1;
  for (int steps : {0, 1, 2, 4}) {
    auto const info =
        run_truncated_svd_with_workspace(A, 10, {.power_steps = steps, .tolerance = 1e-30}).info;
    EXPECT_EQ(info.power_steps, steps);
    EXPECT_LT(double(info.residual), before);
    before = double(info.residual);
  }
}

/// The bound fails with a probability of 10⁻¹⁰: for no seed.
TYPED_TEST(TruncatedSvdAccuracy, BoundHoldsForEverySeed) {
  auto const A =
      matrix_with<TypeParam>({"harmonic", [](int i) { return 1.0 / (i + 1.0); }}, 90, 70);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto const result = run_truncated_svd_with_workspace(
        A, 5, {.path = TruncatedSvdPath::randomized, .power_steps = 0, .seed = seed});
    double const true_error = reference_values(residual_matrix(A, result)).front();
    EXPECT_GE(double(result.info.error), true_error) << seed;
    EXPECT_LE(double(result.info.error), 20 * true_error) << seed;
  }
}

/// At the ends of the range: multiplying A by a power of two changes S by it and nothing else.
TYPED_TEST(TruncatedSvdAccuracy, PowersOfTwo) {
  auto const A =
      matrix_with<TypeParam>({"geometric", [](int i) { return std::pow(0.8, i); }}, 100, 90);
  auto const expected = run_truncated_svd(A, 10);
  int const most = std::numeric_limits<TypeParam>::max_exponent - 2;
  for (int exponent : {1, most, -most / 2}) {
    auto const result = run_truncated_svd(scaled_by_power_of_two(A, exponent), 10);
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_TRUE(same_bits(result.U, expected.U) && same_bits(result.V, expected.V));
    for (std::size_t k = 0; k < 10; ++k)
      EXPECT_EQ(result.S[k], std::ldexp(expected.S[k], exponent)) << exponent;
  }
}

}  // namespace
