// SPDX-License-Identifier: BSD-3-Clause
// Complex matrices of every shape against quad precision and LAPACK, and what `svd` promises of
// them: vectors wanted, layouts, batches, ranks, zeros, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/complex_svd/dispatch.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/complex_svd/drivers.hpp"
#include "support/complex_svd/values.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;
using carroll::SvdVectors;

template <class Real>
class ComplexSvd : public ::testing::Test {
 protected:
  Random random{17};

  void expect_right(ComplexMatrix<Real> const& A, ComplexCall const& call = {}) {
    SCOPED_TRACE(std::to_string(A.rows) + "x" + std::to_string(A.cols));
    EXPECT_EQ(what_is_wrong(A, run_complex_svd(A, call)), "");
  }
};
using ComplexPrecisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexSvd, ComplexPrecisions);

constexpr std::pair<int, int> complex_shapes[] = {
    {1, 1},   {2, 1},   {1, 3},   {2, 2},   {3, 3},   {7, 4},   {8, 8},   {15, 17}, {16, 16},
    {31, 20}, {32, 32}, {33, 33}, {20, 40}, {64, 31}, {65, 64}, {5, 120}, {400, 6}, {90, 100}};

TYPED_TEST(ComplexSvd, EveryShapeThinAndFull) {
  for (auto const& [m, n] : complex_shapes)
    for (SvdVectors const wanted : {SvdVectors::thin, SvdVectors::full})
      this->expect_right(random_complex<TypeParam>(this->random, m, n),
                         complex_call(wanted, wanted));
}

/// By `host_block` where there is one; what it cannot finish, columns of zeros, it leaves to
/// `team`.
TYPED_TEST(ComplexSvd, ByBlocks) {
  carroll::SvdOptions options;
  options.path = carroll::SvdPath::tiles;
  for (auto const& [m, n] : {std::pair{1, 1}, {9, 5}, {20, 33}, {40, 17}, {300, 6}}) {
    auto A = random_complex<TypeParam>(this->random, m, n);
    this->expect_right(A, complex_call(SvdVectors::thin, SvdVectors::thin, options));
    for (int i = 0; i < m; ++i) A(i, n / 2) = 0;
    this->expect_right(A, complex_call(SvdVectors::full, SvdVectors::full, options));
  }
}

TYPED_TEST(ComplexSvd, ValuesAreLapacks) {
  for (auto const& [m, n] : complex_shapes) {
    auto const A = random_complex<TypeParam>(this->random, m, n);
    ComplexMatrix<double> wide(m, n);
    std::copy(A.data.begin(), A.data.end(), wide.data.begin());
    auto const expected = lapack_complex_singular_values(wide);
    if (expected.empty()) GTEST_SKIP() << "no LAPACKE";
    auto const S = run_complex_svd(A).S;
    for (std::size_t k = 0; k < S.size(); ++k)
      EXPECT_NEAR(static_cast<double>(S[k]), expected[k],
                  absolute_sigma_tolerance<TypeParam>(std::max(4, std::min(m, n)), expected[0]));
  }
}

TYPED_TEST(ComplexSvd, NoRowsOrColumns) {
  for (auto const& [m, n] : {std::pair{0, 0}, {0, 3}, {4, 0}}) {
    ComplexMatrix<TypeParam> const A(m, n);
    auto const thin = run_complex_svd(A);
    EXPECT_EQ(thin.info.status, Status::success);
    EXPECT_TRUE(thin.S.empty());
    auto const full = run_complex_svd(A, complex_call(SvdVectors::full, SvdVectors::full));
    for (auto const* Q : {&full.U, &full.V})
      for (int j = 0; j < Q->cols; ++j)
        for (int i = 0; i < Q->rows; ++i)
          EXPECT_EQ((*Q)(i, j), std::complex<TypeParam>(i == j ? 1 : 0));
  }
}

/// Neither the vectors wanted, nor layouts, neighbours, places in a batch or workspaces change a
/// bit.
TYPED_TEST(ComplexSvd, SameBitsInEveryCall) {
  SvdVectors const each[] = {SvdVectors::none, SvdVectors::thin, SvdVectors::full};
  for (auto const& [m, n] : {std::pair{6, 4}, {9, 9}, {5, 34}, {40, 33}}) {
    std::vector<ComplexMatrix<TypeParam>> batch;
    for (int b = 0; b < 11; ++b) batch.push_back(random_complex<TypeParam>(this->random, m, n));
    std::vector<HostComplexSvd<TypeParam>> alone;
    for (auto const& A : batch)
      alone.push_back(run_complex_svd(A, complex_call(SvdVectors::full, SvdVectors::full)));
    ViewLayout const layouts[] = {ViewLayout::left, ViewLayout::right, ViewLayout::stride};
    int calls = 0;
    for (SvdVectors const u : each)
      for (SvdVectors const v : each) {
        ComplexCall const call{.u = u,
                               .v = v,
                               .options = {},
                               .layout = layouts[calls % 3],
                               .workspace = calls % 2 == 1};
        ++calls;
        auto const results = run_complex_svd_batch(batch, call);
        for (std::size_t b = 0; b < batch.size(); ++b) {
          EXPECT_TRUE(same_result(alone[b], results[b])) << m << "x" << n << ", member " << b;
          EXPECT_TRUE(results[b].guarded);
        }
      }
  }
}

TYPED_TEST(ComplexSvd, TheSumOfPhasesIsRight) {
  // Columns i·e₁ and e₁: parallel but for a phase.
  ComplexMatrix<TypeParam> A(3, 2);
  A(0, 0) = {0, 3};
  A(0, 1) = {4, 0};
  auto const result = run_complex_svd(A, complex_call(SvdVectors::full, SvdVectors::thin));
  EXPECT_EQ(what_is_wrong(A, result), "");
  EXPECT_NEAR(static_cast<double>(result.S[0]), 5, 10 * epsilon<TypeParam>);
  EXPECT_EQ(result.info.rank, 1);
}

TYPED_TEST(ComplexSvd, RankAndZeros) {
  int const m = 23, n = 14;
  for (int const rank : {0, 1, 5, 13}) {
    // Whole numbers: the rank is exact.
    ComplexMatrix<TypeParam> A(m, n);
    for (int k = 0; k < rank; ++k) {
      std::vector<std::complex<TypeParam>> x(static_cast<std::size_t>(m + n));
      for (auto& z : x)
        z = {static_cast<TypeParam>(this->random.index(7) - 3),
             static_cast<TypeParam>(this->random.index(7) - 3)};
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
          A(i, j) += x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(m + j)];
    }
    for (SvdVectors const wanted : {SvdVectors::thin, SvdVectors::full}) {
      auto const result = run_complex_svd(A, complex_call(wanted, wanted));
      EXPECT_EQ(what_is_wrong(A, result), "") << rank;
      EXPECT_EQ(result.info.rank, rank);
    }
  }
  auto A = random_complex<TypeParam>(this->random, 9, 9);
  for (int i = 0; i < 9; ++i) {
    A(i, 3) = 0;
    A(5, i) = 0;
    A(i, 8) = A(i, 7);
  }
  auto const result = run_complex_svd(A, complex_call(SvdVectors::full, SvdVectors::full));
  EXPECT_EQ(what_is_wrong(A, result), "");
  EXPECT_EQ(result.info.rank, 7);
}

TYPED_TEST(ComplexSvd, WhatIsNotFiniteIsRefusedAlone) {
  using Limits = std::numeric_limits<TypeParam>;
  TypeParam const bad[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()};
  std::vector<ComplexMatrix<TypeParam>> batch;
  for (int b = 0; b < 7; ++b) batch.push_back(random_complex<TypeParam>(this->random, 5, 8));
  auto const before = run_complex_svd_batch(batch);
  batch[0](2, 3).real(bad[0]);
  batch[3](4, 7).imag(bad[1]);
  batch[5](0, 0).imag(bad[2]);
  auto const after = run_complex_svd_batch(batch);
  for (std::size_t b = 0; b < batch.size(); ++b) {
    if (b != 0 && b != 3 && b != 5) {
      EXPECT_TRUE(same_result(before[b], after[b])) << b;
      continue;
    }
    EXPECT_EQ(after[b].info.status, Status::non_finite);
    EXPECT_TRUE(all_nan(after[b].S));
    for (auto const* Q : {&after[b].U, &after[b].V})
      for (auto const& z : Q->data) EXPECT_TRUE(std::isnan(z.real()) && std::isnan(z.imag()));
  }
}

/// A power of two multiplies S, bit by bit, and leaves the vectors; also near both ends.
TYPED_TEST(ComplexSvd, PowersOfTwo) {
  using Limits = std::numeric_limits<TypeParam>;
  for (auto const& [m, n] : {std::pair{4, 4}, {12, 7}, {6, 33}}) {
    auto const A = random_complex<TypeParam>(this->random, m, n);
    auto const expected = run_complex_svd(A);
    for (int const e : {Limits::max_exponent - 8, 17, -3, Limits::min_exponent + 14}) {
      auto moved =
          run_complex_svd(scaled_columns(A, std::vector<int>(static_cast<std::size_t>(n), e)));
      for (TypeParam& s : moved.S) s = std::ldexp(s, -e);
      EXPECT_TRUE(same_result(expected, moved)) << e;
    }
  }
}

TYPED_TEST(ComplexSvd, DenormalAndHugeColumns) {
  using Limits = std::numeric_limits<TypeParam>;
  auto A = random_complex<TypeParam>(this->random, 12, 8);
  std::vector<int> exponents(8, 0);
  exponents[1] = Limits::max_exponent - 6;
  exponents[4] = Limits::min_exponent - 6;
  auto const result = run_complex_svd(scaled_columns(A, exponents));
  EXPECT_EQ(what_is_wrong(scaled_columns(A, exponents), result), "");
  // All of it among the subnormal numbers.
  auto const tiny =
      scaled_columns(A, std::vector<int>(8, Limits::min_exponent - Limits::digits / 2));
  EXPECT_EQ(what_is_wrong(tiny, run_complex_svd(tiny)), "");
  // σ₁ beyond the range.
  auto const huge = scaled_columns(A, std::vector<int>(8, Limits::max_exponent - 2));
  auto const beyond = run_complex_svd(huge);
  EXPECT_EQ(beyond.info.status, Status::overflow);
  EXPECT_TRUE(std::isinf(beyond.S[0]));
}

TYPED_TEST(ComplexSvd, SweepLimit) {
  auto const A = random_complex<TypeParam>(this->random, 20, 20);
  carroll::SvdOptions options;
  options.max_sweeps = 1;
  auto const result = run_complex_svd(A, complex_call(SvdVectors::thin, SvdVectors::thin, options));
  EXPECT_EQ(result.info.status, Status::not_converged);
  EXPECT_EQ(result.info.sweeps, 1);
}

/// The table, on every backend.
TEST(ComplexSvdDispatch, ChoosesByExtentsAndOptionsAlone) {
  using carroll::SvdPath;
  using Backend = carroll::detail::ComplexSvdBackend;
  auto const path = [](Backend backend, int rows, int cols, SvdPath asked = SvdPath::automatic) {
    carroll::SvdOptions options;
    options.path = asked;
    return carroll::detail::complex_svd_path(backend, options, rows, cols);
  };
  EXPECT_EQ(path(Backend::host, 256, 32), SvdPath::host_batch);
  EXPECT_EQ(path(Backend::host, 257, 32), SvdPath::host_block);
  EXPECT_EQ(path(Backend::host, 33, 33), SvdPath::host_block);
  EXPECT_EQ(path(Backend::host, 2048, 2048), SvdPath::host_block);
  EXPECT_EQ(path(Backend::host, 2049, 3), SvdPath::team);
  EXPECT_EQ(path(Backend::host, 5, 0), SvdPath::team);
  EXPECT_EQ(path(Backend::host, 8, 8, SvdPath::registers), SvdPath::host_batch);
  EXPECT_EQ(path(Backend::host, 8, 8, SvdPath::tiles), SvdPath::host_block);
  EXPECT_EQ(path(Backend::host, 8, 8, SvdPath::host_block), SvdPath::host_block);
  EXPECT_EQ(path(Backend::host, 33, 33, SvdPath::registers), SvdPath::team);
  EXPECT_EQ(path(Backend::host, 8, 8, SvdPath::warp), SvdPath::team);
  EXPECT_EQ(path(Backend::host, 8, 8, SvdPath::team), SvdPath::team);
  EXPECT_EQ(path(Backend::warps, 32, 32), SvdPath::warp);
  EXPECT_EQ(path(Backend::warps, 33, 2), SvdPath::team);
  EXPECT_EQ(path(Backend::warps, 8, 8, SvdPath::host_batch), SvdPath::team);
  EXPECT_EQ(path(Backend::warps, 8, 8, SvdPath::tiles), SvdPath::team);
  EXPECT_EQ(path(Backend::other, 8, 8), SvdPath::team);
}

}  // namespace
