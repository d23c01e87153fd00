// SPDX-License-Identifier: BSD-3-Clause
// What is promised of determinants of matrices whose entries differ by large powers of two, against
// FLINT, which knows them exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "support/determinant/drivers.hpp"
#include "support/determinant/flint_oracle.hpp"
#include "support/determinant/matrices.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::DeterminantMethod;
using carroll::Status;

#define CARROLL_NEEDS_FLINT() \
  if (!have_flint()) GTEST_SKIP() << "built without FLINT (Debian: libflint-dev)"

template <class Real>
HostMatrix<double> widened(HostMatrix<Real> const& A) {
  HostMatrix<double> wide(A.rows, A.cols);
  std::copy(A.data.begin(), A.data.end(), wide.data.begin());
  return wide;
}

template <class T>
std::vector<DeterminantInfo<T>> run_batch(std::vector<HostMatrix<T>> const& members,
                                          DeterminantMethod method = DeterminantMethod::blocked) {
  auto const batch = guarded_batch<T, Kokkos::LayoutRight>(members, members.front().rows);
  Exec const exec;
  return carroll::determinant(exec, batch.view(), {method});
}

/// A determinant up to order 3 is the exact one, rounded once, and 0 only where that is 0.
template <class Real>
void expect_rounded_once(int n, int kind, int exponents) {
  SCOPED_TRACE("n = " + std::to_string(n) + ", kind " + std::to_string(kind) + ", 2^±" +
               std::to_string(exponents));
  std::vector<HostMatrix<Real>> members;
  std::vector<HostMatrix<Kokkos::complex<Real>>> turned;  // i times the same
  for (int b = 0; b < 100; ++b) {
    auto A = random_exponents<Real>(n, exponents, kind == 1 ? 0.7 : 1,
                                    static_cast<std::uint64_t>(1000 * exponents + b));
    if (kind == 2)  // terms that cancel, to the last bit or next to it
      for (Real& x : A.data)
        x = std::ldexp(std::copysign(Real(1), x), std::ilogb(x) % 2 * exponents);
    if (kind == 3)
      for (int j = 0; j < n; ++j) A(n - 1, j) = A(0, j);
    if (kind == 3 && b % 2 == 1) A(n - 1, 0) = std::nextafter(A(n - 1, 0), Real(0));
    members.push_back(A);
    HostMatrix<Kokkos::complex<Real>> B(n, n);
    for (std::size_t k = 0; k < A.data.size(); ++k) B.data[k] = Kokkos::complex<Real>(0, A.data[k]);
    turned.push_back(B);
  }
  auto const infos = run_batch(members);
  auto const of_turned = run_batch(turned);
  for (std::size_t b = 0; b < members.size(); ++b) {
    double const m = static_cast<double>(infos[b].value.mantissa());
    double const error =
        flint_distances(widened(members[b]), {{m, infos[b].value.exponent()}}).front();
    EXPECT_LE(std::abs(error), epsilon<Real> / 2 * (1 + 0x1p-20)) << b;
    EXPECT_EQ(infos[b].status, m == 0 ? Status::singular : Status::success) << b;
    auto const z = of_turned[b].value.mantissa();
    double const parts[] = {static_cast<double>(z.real()), static_cast<double>(z.imag())};
    int const power = n % 4;  // of i
    EXPECT_EQ(parts[power % 2], power < 2 && m != 0 ? m : -m + 0.0) << b;
    EXPECT_EQ(parts[1 - power % 2], 0) << b;
    EXPECT_EQ(of_turned[b].value.exponent(), infos[b].value.exponent()) << b;
  }
}

TEST(DeterminantsUpToThree, AreExactWhateverTheExponents) {
  CARROLL_NEEDS_FLINT();
  for (int const n : {1, 2, 3})
    for (int kind = 0; kind < 4; ++kind) {
      for (int const exponents : {10, 60, 120}) expect_rounded_once<float>(n, kind, exponents);
      for (int const exponents : {10, 200, 500, 900, 1020})
        expect_rounded_once<double>(n, kind, exponents);
    }
}

/// The powers of two above the largest entries of columns, where a row is so wide that they are
/// scaled, and then of rows.
template <class Real>
void scaling_of(HostMatrix<Real> const& A, std::vector<int>& rows, std::vector<int>& columns) {
  auto const n = static_cast<std::size_t>(A.rows);
  rows.assign(n, std::numeric_limits<int>::min() / 2);
  columns.assign(n, 0);
  bool wide = false;
  auto const exponent = [&](int i, int j) { return std::ilogb(A(i, j)) + 1; };
  for (int i = 0; i < A.rows; ++i) {
    int high = std::numeric_limits<int>::min(), low = std::numeric_limits<int>::max();
    for (int j = 0; j < A.cols; ++j)
      if (A(i, j) != 0) {
        high = std::max(high, exponent(i, j));
        low = std::min(low, exponent(i, j));
      }
    wide = wide || high - low > carroll::detail::widest_row<Real>;
  }
  for (int j = 0; j < A.cols && wide; ++j) {
    int& column = columns[static_cast<std::size_t>(j)];
    column = std::numeric_limits<int>::min();
    for (int i = 0; i < A.rows; ++i)
      if (A(i, j) != 0) column = std::max(column, exponent(i, j));
  }
  for (int i = 0; i < A.rows; ++i)
    for (int j = 0; j < A.cols; ++j)
      if (A(i, j) != 0) {
        int& row = rows[static_cast<std::size_t>(i)];
        row = std::max(row, exponent(i, j) - columns[static_cast<std::size_t>(j)]);
      }
}

/// Rows of the scaled matrix differ by relative errors of n·growth·eps. To first order that bounds
/// the determinant's error; where the bound says nothing, nothing is promised.
template <class Real>
void expect_backward_stable(std::string const& kind, std::vector<HostMatrix<Real>> const& members,
                            int least_bounded) {
  int const n = members.front().rows;
  SCOPED_TRACE(kind + ", n = " + std::to_string(n));
  std::vector<double> sensitivity;
  for (auto const& A : members) {
    std::vector<int> rows, columns;
    scaling_of(A, rows, columns);
    sensitivity.push_back(flint_log2_sensitivity(widened(A), rows, columns));
  }
  for (DeterminantMethod const method :
       {DeterminantMethod::blocked, DeterminantMethod::condensation}) {
    auto const infos = run_batch(members, method);
    int bounded = 0;
    double worst = 0;
    for (std::size_t b = 0; b < members.size(); ++b) {
      double const growth = std::max(1.0, static_cast<double>(infos[b].growth));
      double const unit = n * growth * epsilon<Real> * std::exp2(std::max(sensitivity[b], 0.0));
      if (!(4 * unit < 0.5)) continue;
      ++bounded;
      ASSERT_EQ(infos[b].status, Status::success) << b;
      double const error =
          flint_distances(widened(members[b]), {{static_cast<double>(infos[b].value.mantissa()),
                                                 infos[b].value.exponent()}})
              .front();
      EXPECT_LE(std::abs(error), 4 * unit) << b;
      worst = std::max(worst, std::abs(error) / unit);
    }
    EXPECT_GE(bounded, least_bounded);
    std::printf("  %-24s n = %-3d %3d of %3d bounded, worst %.2g of n·growth·eps·condition\n",
                kind.c_str(), n, bounded, static_cast<int>(members.size()), worst);
  }
}

/// Rows and columns of a well-conditioned matrix multiplied by powers of two.
template <class Real>
HostMatrix<Real> with_units(int n, int range, std::uint64_t seed) {
  auto A = random_square<Real>(n, seed);
  Random random(seed + 7);
  std::vector<int> columns;
  for (int j = 0; j < n; ++j) columns.push_back(random.index(range + 1) - range / 2);
  for (int i = 0; i < n; ++i) {
    int const row = random.index(range + 1) - range / 2;
    A(i, i) += static_cast<Real>(2 * n);
    for (int j = 0; j < n; ++j)
      A(i, j) = std::ldexp(A(i, j), row + columns[static_cast<std::size_t>(j)]);
  }
  return A;
}

template <class Real>
void expect_backward_stable_of_all(std::initializer_list<int> exponents) {
  for (int const n : {4, 8, 16, 33})
    for (int const range : exponents) {
      int const count = n <= 8 ? 40 : n <= 16 ? 8 : 1;
      std::vector<HostMatrix<Real>> dense, sparse, scaled;
      for (int b = 0; b < count; ++b) {
        auto const seed = static_cast<std::uint64_t>(100 * range + b);
        dense.push_back(random_exponents<Real>(n, range, 1, seed));
        sparse.push_back(random_exponents<Real>(n, range, 3.0 / n, seed));
        scaled.push_back(with_units<Real>(n, range, seed));
      }
      std::string const to = " 2^±" + std::to_string(range);
      // Columns of most are scaled in the end; in between rows differ too much for a bound.
      bool const useful = range == *exponents.begin() || range == *(exponents.end() - 1);
      if (n <= 16 || range == *exponents.begin()) {
        expect_backward_stable("dense" + to, dense, range == *exponents.begin() ? 1 : 0);
        expect_backward_stable("sparse" + to, sparse, 0);
      }
      if (n <= 16 || useful)
        expect_backward_stable("rows and columns" + to, scaled, useful ? (count + 1) / 2 : 0);
    }
}

TEST(Elimination, HasTheErrorsOfScaledRowsInSingle) {
  CARROLL_NEEDS_FLINT();
  expect_backward_stable_of_all<float>({4, 10, 30, 60, 120});
}
TEST(Elimination, HasTheErrorsOfScaledRowsInDouble) {
  CARROLL_NEEDS_FLINT();
  expect_backward_stable_of_all<double>({10, 50, 200, 500, 900});
}

}  // namespace
