// SPDX-License-Identifier: BSD-3-Clause
// The ratios see an error of a hundred times what they allow, and none where there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/eigh/quad_eigenvalues.hpp"
#include "support/lapack/matrices.hpp"
#include "support/lapack/ratios.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/quad_reference.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using namespace carroll::test::lapack;

constexpr int order = 6;
constexpr double off = 1000 * order * epsilon<double>;

/// With an error in its last entry.
HostMatrix<double> wrong(HostMatrix<double> A) {
  A.data.back() += off;
  return A;
}

HostMatrix<double> identity() {
  return chkqr_matrix<double>(1, order, order, 1);
}

/// A diagonal matrix is its own R, eigenvalues and, with the identity, everything else.
TEST(LapackRatios, SeeErrors) {
  HostMatrix<double> const D = identity();
  HostMatrix<double> I(order, order), inverse(order, order);
  std::vector<double> w;
  std::vector<int> P(order);
  std::iota(P.begin(), P.end(), 0);
  for (int i = 0; i < order; ++i) {
    I(i, i) = 1;
    inverse(i, i) = 1 / D(i, i);
    w.push_back(D(i, i));
  }
  auto const v = [](double x) { return std::vector<double>{1, x}; };
  double const right[] = {syt21(D, w, I),     ort01(I),           values_apart(v(1), v(1)),
                          qrt01(D, I, D),     qrt11(I),           qpt01(D, I, D, P),
                          qrt12(D, w, order), qrt16(D, I, D),     qrt17(D, I, D, true),
                          qrt14(D, wrong(I)), get02(D, I, D),     get03(D, inverse),
                          get04(I, I, 0.5),   get06(0.5, 0.5) - 1};
  for (double const ratio : right) EXPECT_LE(ratio, 1) << &ratio - right;
  double const seen[] = {
      syt21(wrong(D), w, I),     ort01(wrong(I)),          values_apart(v(1), v(1 + off)),
      qrt01(D, I, wrong(D)),     qrt11(wrong(I)),          qpt01(D, I, wrong(D), P),
      qrt12(wrong(D), w, order), qrt16(D, wrong(I), D),    qrt17(D, wrong(I), D, true),
      get02(D, wrong(I), D),     get03(D, wrong(inverse)), get04(wrong(I), I, 0.5),
      get06(0.5, 0.01)};
  for (double const ratio : seen) EXPECT_GT(ratio, ratio_bar) << &ratio - seen;
}

/// Of DQRT14 and DQRT17 what a square matrix cannot show.
TEST(LapackRatios, SeeWhatIsOutsideOfARange) {
  auto const tall = chkqr_matrix<double>(4, order, 2, 2), wide = transposed(tall);
  auto const x = random_matrix<double>(order, 1, 3), zero = HostMatrix<double>(2, 1);
  EXPECT_GT(qrt14(wide, x), 1e10);
  EXPECT_LT(qrt14(wide, HostMatrix<double>(order, 1)), 1);
  EXPECT_GT(qrt17(tall, zero, x, false), 1e10);
}

TEST(LapackRatios, AreInfiniteForWhatIsNotFinite) {
  HostMatrix<double> Q = identity();
  Q(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(qrt11(Q), std::numeric_limits<double>::infinity());
  EXPECT_EQ(qrt01(identity(), Q, identity()), std::numeric_limits<double>::infinity());
  EXPECT_EQ(get02(identity(), Q, identity()), std::numeric_limits<double>::infinity());
}

/// The generators keep the singular values that they promise, in every shape.
TEST(LapackMatrices, HaveTheirSingularValues) {
  for (int type = 1; type <= 4; ++type)
    for (auto const& [m, n] : {std::pair{order, order}, {order, 3}, {3, order}}) {
      auto const A = chkqr_matrix<double>(type, m, n, 4);
      auto const found = quad_singular_values(A);
      auto const expected = spectrum(Spectrum::geometric, std::min(m, n), 2);
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(static_cast<double>(found[k]), expected[k], off)
            << type << ' ' << m << ' ' << n;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
          if ((type != 3 && type != 4 && i > j) || (type != 2 && type != 4 && i < j)) {
            EXPECT_EQ(A(i, j), 0);
          }
    }
}

/// DDRVST's banded types and dense ones: eigenvalues of evenly spaced sizes.
TEST(LapackMatrices, HaveTheirEigenvalues) {
  for (int const type : {3, 8, 16}) {
    auto const A = drvst_matrix<double>(type, order, 5);
    auto const found = quad_singular_values(A);
    auto const expected = spectrum(Spectrum::arithmetic, order, 1 / epsilon<double>);
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(static_cast<double>(found[k]), expected[k], off) << type;
    EXPECT_TRUE(same_bits(A, transposed(A)));
  }
}

/// An oracle of 64 bits is off by a hundredth of double precision's rounding errors at most.
TEST(QuickOracles, AreRightToAHundredthOfARoundingError) {
  auto const expect_equal = [](std::vector<long double> const& quick,
                               std::vector<long double> const& exact, MatrixType type) {
    ASSERT_EQ(quick.size(), exact.size());
    long double largest = 0;
    for (long double const x : exact) largest = std::max(largest, std::abs(x));
    for (std::size_t k = 0; k < exact.size(); ++k)
      EXPECT_LE(std::abs(quick[k] - exact[k]), 0.01L * order * epsilon<double> * largest)
          << to_string(type);
  };
  for (MatrixType const type : all_matrix_types()) {
    auto const A = make_matrix<double>(type, order, order, 7);
    expect_equal(extended_singular_values(A), quad_singular_values(A), type);
    HostMatrix<double> S = A;
    for (int j = 0; j < order; ++j)
      for (int i = 0; i < j; ++i) S(i, j) = S(j, i);
    expect_equal(extended_eigenvalues(S), quad_eigenvalues(S), type);
  }
}

}  // namespace
