// SPDX-License-Identifier: BSD-3-Clause
// What is particular to QR factorisations of complex matrices: phases.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/field_matrix.hpp"
#include "support/qr/checks.hpp"
#include "support/qr/drivers.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::QrMode;
using carroll::QrPath;
using carroll::Status;

template <class Real>
class ComplexQr : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexQr, Precisions);

std::vector<QrCall> complex_qr_ways() {
  std::vector<QrCall> ways(4);
  ways[1].options.path = QrPath::team;
  ways[2].pivoted = true;
  ways[3].options.path = QrPath::team;
  ways[3].pivoted = true;
  return ways;
}

/// Row and column phases leave |R|: R of D·A·E, with unitary diagonal D and E, is F·R·E where F
/// makes its diagonal real. Multiplication by i is exact.
TYPED_TEST(ComplexQr, PhasesOfRowsAndColumns) {
  using Complex = Kokkos::complex<TypeParam>;
  Random random(11);
  auto const quarter = [](Complex const& z, int turns) {
    Complex const all[] = {z, {-z.imag(), z.real()}, {-z.real(), -z.imag()}, {z.imag(), -z.real()}};
    return all[turns % 4];
  };
  for (int const n : {1, 7, 50}) {
    auto const A = field::random_matrix<Complex>(random, n + 2, n);
    auto B = A;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n + 2; ++i) B(i, j) = quarter(A(i, j), 3 * i + j);
    for (QrCall const& call : complex_qr_ways()) {
      auto const a = run_qr(A, call), b = run_qr(B, call);
      ASSERT_EQ(what_is_wrong(B, b), "");
      ASSERT_EQ(a.P, b.P);
      double const bound = 200 * n * epsilon<TypeParam>;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i <= j; ++i) {
          // Row i of R turns back by what its diagonal entry's column turned.
          int const of_row = a.P.empty() ? i : a.P[static_cast<std::size_t>(i)];
          int const of_col = a.P.empty() ? j : a.P[static_cast<std::size_t>(j)];
          auto const expected = quarter(a.R(i, j), of_col + 4 * n - of_row);
          EXPECT_LE(std::abs(field::widened(b.R(i, j)) - field::widened(expected)), bound) << n;
        }
    }
  }
}

/// The last column of a square matrix, and a single row, have nothing below the diagonal: their
/// phase alone goes into Q, however small they are.
TYPED_TEST(ComplexQr, NothingBelowTheDiagonal) {
  using Complex = Kokkos::complex<TypeParam>;
  using Limits = std::numeric_limits<TypeParam>;
  for (TypeParam const size : {TypeParam(1), Limits::max() / 4, Limits::min(),
                               std::sqrt(Limits::min()) / 1024, 64 * Limits::denorm_min()}) {
    HostMatrix<Complex> one(1, 2), two(2, 2);
    one(0, 0) = Complex(3 * size / 4, -size);
    one(0, 1) = Complex(0, size);
    two(0, 0) = Complex(0, 1);
    two(0, 1) = Complex(1, 0);
    two(1, 1) = Complex(-3 * size / 4, size);
    for (QrCall const& call : complex_qr_ways()) {
      if (call.pivoted) continue;
      auto const first = run_qr(one, call), second = run_qr(two, call);
      EXPECT_EQ(what_is_wrong(one, first), "") << size;
      EXPECT_EQ(what_is_wrong(two, second), "") << size;
      auto const length = static_cast<double>(TypeParam(1.25) * size);
      double const bound = 4 * epsilon<TypeParam> * length + double(Limits::denorm_min());
      EXPECT_NEAR(double(first.R(0, 0).real()), length, bound);
      EXPECT_NEAR(double(first.Q(0, 0).real()), 0.6, 8 * epsilon<TypeParam>);
      EXPECT_NEAR(double(first.Q(0, 0).imag()), -0.8, 8 * epsilon<TypeParam>);
      EXPECT_NEAR(double(second.R(1, 1).real()), length, bound);
    }
  }
}

/// Parts count, not moduli: one that is infinite is refused, and |z| may overflow where no part
/// does.
TYPED_TEST(ComplexQr, Parts) {
  using Complex = Kokkos::complex<TypeParam>;
  using Limits = std::numeric_limits<TypeParam>;
  HostMatrix<Complex> A(2, 1), bad(2, 1);
  A(0, 0) = Complex(Limits::max(), Limits::max());
  bad(1, 0) = Complex(0, Limits::infinity());
  for (QrCall const& call : complex_qr_ways()) {
    auto const result = run_qr(A, call), refused = run_qr(bad, call);
    EXPECT_EQ(result.info.status, Status::overflow);
    EXPECT_TRUE(std::isinf(result.R(0, 0).real()));
    EXPECT_NEAR(double(result.Q(0, 0).imag()), std::sqrt(0.5), 4 * epsilon<TypeParam>);
    EXPECT_EQ(refused.info.status, Status::non_finite);
    EXPECT_TRUE(all_nan(parts_of(refused.R.data)));
  }
}

/// A matrix of real numbers has the factors that the real solver finds, to rounding.
TYPED_TEST(ComplexQr, RealNumbers) {
  Random random(12);
  for (int const n : {5, 60}) {
    auto const re = field::random_matrix<TypeParam>(random, n + 3, n);
    auto const A = field::combined<Kokkos::complex<TypeParam>>(re, HostMatrix<TypeParam>(n + 3, n));
    for (QrCall const& call : complex_qr_ways()) {
      auto const real = run_qr(re, call);
      auto const complex = run_qr(A, call);
      ASSERT_EQ(real.P, complex.P);
      for (std::size_t k = 0; k < real.R.data.size(); ++k) {
        EXPECT_NEAR(complex.R.data[k].real(), real.R.data[k], 500 * n * epsilon<TypeParam>);
        EXPECT_EQ(complex.R.data[k].imag(), 0);
      }
    }
  }
}

}  // namespace
