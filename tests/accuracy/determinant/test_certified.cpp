// SPDX-License-Identifier: BSD-3-Clause
// Do the intervals of certified_determinant contain the determinant of the stored matrix? Ten
// thousand matrices against FLINT, which knows it exactly.
#include <gtest/gtest.h>

#include <carroll/determinant.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "accuracy/determinant/certified_tally.hpp"
#include "support/determinant/certified_drivers.hpp"
#include "support/determinant/integer_matrices.hpp"
#include "support/determinant/matrices.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;

template <class Real>
HostMatrix<Real> rounded_to(HostMatrix<double> const& A) {
  HostMatrix<Real> result(A.rows, A.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k) result.data[k] = static_cast<Real>(A.data[k]);
  return result;
}

template <class Real>
HostMatrix<Real> normal_matrix(int n, std::uint64_t seed) {
  return make_matrix<Real>(MatrixType::random, n, n, seed);
}

/// Every random matrix is certified, in double precision to within 2^-40.
TEST_F(CertifiedDeterminants, OfRandomMatrices) {
  CARROLL_NEEDS_FLINT();
  auto const all = [&]<class Real>(Real) {
    Tally tally;
    for (auto const& [count, least, most] :
         {std::array{1200, 1, 3}, std::array{1500, 4, 20}, std::array{300, 21, 40}})
      for (auto const& batch : batches(count, least, most, normal_matrix<Real>))
        tally = check("random", batch);
    EXPECT_EQ(tally.certified, tally.cases);
    EXPECT_LT(tally.widest, std::max(0x1p-40, 8 * epsilon<Real>));
  };
  all(float());
  all(double());
}

class LargerCertifiedDeterminants : public CertifiedDeterminants {
 protected:
  static void check_of_order(int n) {
    auto const& tally = check<double>("larger", {normal_matrix<double>(n, 7)});
    EXPECT_EQ(tally.certified, tally.cases);
    check<float>("larger", {normal_matrix<float>(n, 8)});
    check<double>("larger, ill-conditioned",
                  {random_with_spectrum(n, n, geometric_spectrum(n, 1e-13), 9)});
  }
};

TEST_F(LargerCertifiedDeterminants, OnBothSidesOfTheBorderBetweenThePaths) {
  CARROLL_NEEDS_FLINT();
  for (int const n : {159, 160, 161}) check_of_order(n);
}

TEST_F(LargerCertifiedDeterminants, AwayFromIt) {
  CARROLL_NEEDS_FLINT();
  for (int const n : {100, 170, 200})
    if (share == 1 || n < 161) check_of_order(n);
}

/// All are certified up to a condition of 10^14, and the interval is narrower than plain
/// elimination's error is large.
TEST_F(CertifiedDeterminants, OfIllConditionedMatrices) {
  CARROLL_NEEDS_FLINT();
  for (int const decades : {2, 5, 8, 11, 13, 14}) {
    auto const make = [&](int n, std::uint64_t seed) {
      // One small singular value, or all of them equally far apart on a scale of logarithms.
      auto sigma = geometric_spectrum(n, std::pow(10.0, -decades));
      if (seed % 2 == 0) std::fill(sigma.begin(), sigma.end() - 1, 1.0);
      return random_with_spectrum(n, n, sigma, seed);
    };
    Tally tally;
    for (auto const& [count, least, most] : {std::array{230, 2, 12}, std::array{70, 13, 40}})
      for (auto const& batch : batches(count, least, most, make))
        tally = check("condition 1e" + std::to_string(decades), batch);
    EXPECT_EQ(tally.certified, tally.cases);
    EXPECT_GT(tally.compared, tally.cases / 4);
    EXPECT_LT(std::exp(tally.log_of_ratios / tally.compared), 10);
  }
  // In single precision entries are rounded, which makes the condition 10^7 or so.
  auto const single = [&](int n, std::uint64_t seed) {
    return rounded_to<float>(random_with_spectrum(n, n, geometric_spectrum(n, 1e-14), seed));
  };
  Tally tally;
  for (auto const& batch : batches(500, 2, 20, single)) tally = check("condition 1e7", batch);
  EXPECT_EQ(tally.certified, tally.cases);
}

/// Integers below 2^50 are found exactly, zero among them.
TEST_F(CertifiedDeterminants, OfIntegerMatrices) {
  CARROLL_NEEDS_FLINT();
  auto const make = [](int n, std::uint64_t seed) {
    auto const integers = random_integers(n, 2 + static_cast<int>(seed % 5), seed);
    HostMatrix<double> A(n, n);
    for (std::size_t k = 0; k < A.data.size(); ++k)
      A.data[k] = static_cast<double>(integers.data[k]);
    return A;
  };
  Tally tally;
  for (auto const& [count, least, most] : {std::array{1500, 1, 6}, std::array{500, 7, 30}})
    for (auto const& batch : batches(count, least, most, make)) {
      tally = check("integers", batch);
      auto const infos = run_certified(batch);
      for (auto const& info : infos)
        if (info.upper.abs() < carroll::ScaledNumber<double>(1, 50) &&
            info.lower.abs() < carroll::ScaledNumber<double>(1, 50)) {
          EXPECT_EQ(info.lower, info.upper);
          EXPECT_EQ(info.value.to(), std::round(info.value.to()));
        }
    }
  EXPECT_EQ(tally.certified + tally.singular, tally.cases);
  EXPECT_GT(tally.singular, 0);
  auto const dependent = [&](int n, std::uint64_t seed) {
    auto A = make(n, seed);
    for (int j = 0; j < n; ++j) A(n - 1, j) = A(0, j) - (n > 2 ? A(1, j) : 0);
    return A;
  };
  for (auto const& batch : batches(500, 2, 8, dependent)) tally = check("singular integers", batch);
  EXPECT_EQ(tally.certified, 0);
  EXPECT_GT(tally.singular, tally.cases / 2);
}

/// Every kind of matrix on which the other solvers are tried: spectra, gradings, entries near the
/// ends of the range, singular ones.
TEST_F(CertifiedDeterminants, OfEveryType) {
  CARROLL_NEEDS_FLINT();
  int seed = 0;
  for (MatrixType const type : all_matrix_types())
    for (int const n : {1, 2, 3, 4, 5, 8, 13, 17, 24}) {
      std::vector<HostMatrix<double>> members;
      std::vector<HostMatrix<float>> singles;
      for (int b = 0; b < 3; ++b) {
        members.push_back(make_matrix<double>(type, n, n, static_cast<std::uint64_t>(++seed)));
        singles.push_back(make_matrix<float>(type, n, n, static_cast<std::uint64_t>(seed)));
      }
      check("types", members);
      check("types", singles);
    }
}

/// Rows and columns multiplied by powers of ten that over- and underflow when multiplied.
TEST_F(CertifiedDeterminants, OfBadlyScaledMatrices) {
  CARROLL_NEEDS_FLINT();
  auto const make = [](int n, std::uint64_t seed) {
    Random random(seed);
    HostMatrix<double> A(n, n);
    std::vector<double> rows, cols;
    for (int i = 0; i < n; ++i) {
      rows.push_back(std::pow(10.0, 140 * random.symmetric()));
      cols.push_back(std::pow(10.0, 140 * random.symmetric()));
    }
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        A(i, j) = rows[std::size_t(i)] * cols[std::size_t(j)] * random.normal();
    return A;
  };
  Tally tally;
  for (auto const& batch : batches(600, 1, 10, make)) tally = check("scaled by 10^±280", batch);
  EXPECT_EQ(tally.certified, tally.cases);
  auto const any = [](int n, std::uint64_t seed) {
    Random random(seed);
    HostMatrix<double> A(n, n);
    for (double& x : A.data)
      x = random.chance(0.2) ? 0 : std::ldexp(random.symmetric(), random.index(2090) - 1074);
    return A;
  };
  for (auto const& batch : batches(600, 1, 8, any)) check("entries of any size", batch);
}

/// Elimination finds no digit of some of these; then the interval has to say so.
TEST_F(CertifiedDeterminants, OfRandomExponents) {
  CARROLL_NEEDS_FLINT();
  for (int const exponents : {10, 50, 200, 500, 900})
    for (bool const dense : {true, false}) {
      auto const make = [&](int n, std::uint64_t seed) {
        return random_exponents<double>(n, exponents, dense ? 1 : 3.0 / n, seed);
      };
      std::string const kind = (dense ? "dense 2^±" : "sparse 2^±") + std::to_string(exponents);
      for (auto const& [count, least, most] : {std::array{200, 1, 8}, std::array{10, 9, 33}})
        for (auto const& batch : batches(count, least, most, make)) check(kind, batch);
    }
  for (int const exponents : {10, 60, 120}) {
    auto const make = [&](int n, std::uint64_t seed) {
      return random_exponents<float>(n, exponents, 0.6, seed);
    };
    for (auto const& batch : batches(200, 1, 12, make))
      check("2^±" + std::to_string(exponents), batch);
  }
}

/// All matrices of order 2 over zero, one, denormal and nearly denormal numbers, and order 3 at the
/// other end.
TEST_F(CertifiedDeterminants, OfExtremes) {
  CARROLL_NEEDS_FLINT();
  auto const every = [](auto const& matrices, std::size_t step) {
    std::remove_cvref_t<decltype(matrices)> some;
    for (std::size_t k = 0; k < matrices.size(); k += step) some.push_back(matrices[k]);
    return some;
  };
  check("2x2 extremes", every(two_by_two_extremes<double>(), 7 * share));
  check("2x2 extremes", every(two_by_two_extremes<float>(), 11 * share));
  check<double>("3x3 huge", {three_by_three_huge<double>()});
  check<float>("3x3 huge", {three_by_three_huge<float>()});
}

/// Hilbert's, Vandermonde's and all the others: determinants in closed form, most of them integers.
TEST_F(CertifiedDeterminants, ThatAreKnown) {
  CARROLL_NEEDS_FLINT();
  for (int const n : {1, 2, 3, 4, 5, 8, 10, 16, 33, 64})
    for (auto const& known : known_determinants(n)) check<double>("closed forms", {known.matrix});
  for (int const n : {10, 30, 54})
    for (bool const turned : {false, true}) check<double>("growth 2^(n-1)", {wilkinson(n, turned)});
}

}  // namespace
