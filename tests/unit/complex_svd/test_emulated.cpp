// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/complex_svd/warp/kernel.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/complex_svd/drivers.hpp"
#include "support/emulated_types.hpp"
#include "support/svd/quad_reference.hpp"
#include "support/tolerance.hpp"

/// Complex SVD in the registers of warps, on the host: lanes take turns.
namespace {

using namespace carroll::test;
using carroll::Status;
using carroll::SvdVectors;
using carroll::detail::ComplexSvdBatch;
using carroll::detail::EmulatedSpace;

enum class EntryOrder { columns, rows };

/// What the kernel has made of members: of those that it has left over nothing is written.
template <class Real>
struct Emulated {
  std::vector<HostComplexSvd<Real>> results;
  std::vector<int> left_over;

  [[nodiscard]] bool leaves(int b) const {
    return std::find(left_over.begin(), left_over.end(), b) != left_over.end();
  }
};

template <class Real>
Emulated<Real> run_warps(std::vector<ComplexMatrix<Real>> const& matrices,
                         SvdVectors u = SvdVectors::thin, SvdVectors v = SvdVectors::thin,
                         EntryOrder order = EntryOrder::columns, int max_sweeps = 30) {
  using Value = Kokkos::complex<Real>;
  auto const count = static_cast<std::int64_t>(matrices.size());
  std::int64_t const m = matrices.front().rows, n = matrices.front().cols, least = std::min(m, n);
  auto const u_cols = carroll::detail::vector_columns(u, m, least);
  auto const v_cols = carroll::detail::vector_columns(v, n, least);
  bool const down = order == EntryOrder::columns;
  auto const place = [&](std::int64_t rows, std::int64_t cols, std::int64_t b, std::int64_t i,
                         std::int64_t j) {
    return static_cast<std::size_t>(b * rows * cols + (down ? i + j * rows : i * cols + j));
  };
  auto const filled = [&](std::int64_t cells) {
    return std::vector<Value>(static_cast<std::size_t>(cells + 1), Value(Real(-77), Real(-77)));
  };
  auto A = filled(count * m * n), U = filled(count * m * u_cols), V = filled(count * n * v_cols);
  std::vector<Real> S(static_cast<std::size_t>(count * least + 1), Real(-77));
  for (std::int64_t b = 0; b < count; ++b)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        auto const z = matrices[static_cast<std::size_t>(b)](i, j);
        A[place(m, n, b, i, j)] = Value(z.real(), z.imag());
      }
  ComplexSvdBatch<Real> batch{};
  auto const lay_out = [&](auto& view, auto* data, std::int64_t rows, std::int64_t cols) {
    view.data = data;
    view.extents = {count, rows, cols};
    view.strides = {rows * cols, down ? 1 : cols, down ? rows : 1};
  };
  lay_out(batch.a, static_cast<Value const*>(A.data()), m, n);
  lay_out(batch.u, U.data(), m, u_cols);
  lay_out(batch.v, V.data(), n, v_cols);
  batch.s.data = S.data();
  batch.s.extents = {count, least, 1};
  batch.s.strides = {least, 1, 1};
  batch.u_wanted = u;
  batch.v_wanted = v;
  std::vector<carroll::SvdInfo<Real>> infos(matrices.size());
  batch.infos = infos.data();
  batch.info_stride = 1;
  int left_over = 0;
  std::vector<int> members(matrices.size());
  batch.fallback = {&left_over, members.data()};
  carroll::SvdOptions options;
  options.max_sweeps = max_sweeps;
  carroll::detail::enqueue_complex_svd_warp(EmulatedSpace{}, batch, options);

  Emulated<Real> found;
  found.left_over.assign(members.begin(), members.begin() + left_over);
  auto const matrix = [&](std::vector<Value> const& x, std::int64_t b, std::int64_t rows,
                          std::int64_t cols) {
    ComplexMatrix<Real> result(cols > 0 ? static_cast<int>(rows) : 0, static_cast<int>(cols));
    for (int j = 0; j < result.cols; ++j)
      for (int i = 0; i < result.rows; ++i) {
        Value const z = x[place(rows, cols, b, i, j)];
        result(i, j) = {z.real(), z.imag()};
      }
    return result;
  };
  for (std::int64_t b = 0; b < count; ++b) {
    HostComplexSvd<Real> result;
    result.info = infos[static_cast<std::size_t>(b)];
    result.U = matrix(U, b, m, u_cols);
    result.V = matrix(V, b, n, v_cols);
    result.S.assign(S.begin() + b * least, S.begin() + (b + 1) * least);
    result.guarded =
        U.back().real() == Real(-77) && V.back().real() == Real(-77) && S.back() == Real(-77);
    found.results.push_back(result);
  }
  return found;
}

template <class Real>
class EmulatedComplexSvd : public ::testing::Test {
 protected:
  Random random{23};

  std::vector<ComplexMatrix<Real>> several(int count, int m, int n) {
    std::vector<ComplexMatrix<Real>> matrices;
    for (int b = 0; b < count; ++b) matrices.push_back(random_complex<Real>(random, m, n));
    return matrices;
  }
};
using EmulatedPrecisions =
    carroll::test::EmulatedTypes<::testing::Types<double>, ::testing::Types<float>>;
TYPED_TEST_SUITE(EmulatedComplexSvd, EmulatedPrecisions);

TYPED_TEST(EmulatedComplexSvd, EveryShape) {
  for (auto const& [m, n] : std::vector<std::pair<int, int>>{{1, 1},
                                                             {2, 1},
                                                             {1, 3},
                                                             {4, 4},
                                                             {5, 3},
                                                             {3, 8},
                                                             {8, 8},
                                                             {9, 16},
                                                             {16, 13},
                                                             {32, 2},
                                                             {17, 17},
                                                             {20, 24},
                                                             {24, 23},
                                                             {17, 31},
                                                             {32, 32}})
    for (EntryOrder const order : {EntryOrder::columns, EntryOrder::rows})
      for (SvdVectors const wanted : {SvdVectors::thin, SvdVectors::full}) {
        auto const matrices = this->several(m * n > 300 ? 1 : 3, m, n);
        auto const found = run_warps(matrices, wanted, wanted, order);
        EXPECT_TRUE(found.left_over.empty());
        for (std::size_t b = 0; b < matrices.size(); ++b)
          EXPECT_EQ(what_is_wrong(matrices[b], found.results[b]), "") << m << "×" << n;
      }
}

/// Neither neighbours nor places nor the vectors wanted change a bit.
TYPED_TEST(EmulatedComplexSvd, SameBitsInEveryCall) {
  SvdVectors const each[] = {SvdVectors::none, SvdVectors::thin, SvdVectors::full};
  for (auto const& [m, n] : {std::pair{4, 3}, {6, 7}, {16, 12}}) {
    auto const matrices = this->several(11, m, n);
    for (SvdVectors const u : each)
      for (SvdVectors const v : each) {
        auto const all = run_warps(matrices, u, v);
        for (std::size_t b = 0; b < matrices.size(); b += 3) {
          auto const alone =
              run_warps<TypeParam>({matrices[b]}, SvdVectors::full, SvdVectors::full);
          EXPECT_TRUE(same_result(all.results[b], alone.results[0])) << m << "×" << n;
        }
      }
  }
}

/// Scaled rows of square matrices: each value in all its digits, and a power of two changes no bit.
TYPED_TEST(EmulatedComplexSvd, ScaledRowsColumnsAndMatrices) {
  int const n = 7;
  std::vector<int> exponents;
  for (int j = 0; j < n; ++j) exponents.push_back(6 * (j * 3 % 7) - 20);
  auto square = random_complex<TypeParam>(this->random, n, n);
  for (int i = 0; i < n; ++i) square(i, i) += TypeParam(8);
  auto const by_columns = scaled_columns(square, exponents);
  auto const by_rows = conjugate_transposed(by_columns);
  auto const found = run_warps<TypeParam>({by_columns, by_rows, square});
  EXPECT_TRUE(found.left_over.empty());
  EXPECT_EQ(what_is_wrong(by_columns, found.results[0], true), "");
  EXPECT_EQ(what_is_wrong(by_rows, found.results[1], true), "");
  for (int const e : {std::numeric_limits<TypeParam>::max_exponent - 8,
                      std::numeric_limits<TypeParam>::min_exponent + 8}) {
    auto moved =
        run_warps<TypeParam>({scaled_columns(square, std::vector<int>(n, e))}).results.front();
    for (TypeParam& s : moved.S) s = std::ldexp(s, -e);
    EXPECT_TRUE(same_result(found.results[2], moved)) << e;
  }
}

/// A column is turned by hundreds of small angles; of errors to one side, which add up, the mean
/// tells.
TYPED_TEST(EmulatedComplexSvd, ValuesDoNotDrift) {
  int const n = 24;
  auto A = random_complex<TypeParam>(this->random, n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) A(i, j) = std::conj(A(j, i));
    A(j, j) = A(j, j).real() + TypeParam(n);
  }
  auto const S = run_warps<TypeParam>({A}).results.front().S;
  HostMatrix<TypeParam> R(2 * n, 2 * n);  // has each value twice
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      R(i, j) = R(n + i, n + j) = A(i, j).real();
      R(n + i, j) = A(i, j).imag();
      R(i, n + j) = -A(i, j).imag();
    }
  auto const exact = quad_singular_values(R);
  double mean = 0, squares = 0;
  for (std::size_t k = 0; k < S.size(); ++k) {
    auto const off = static_cast<double>((S[k] / exact[2 * k] - 1) / epsilon<TypeParam>);
    mean += off / n;
    squares += off * off / n;
  }
  EXPECT_LE(std::abs(mean), 2);
  EXPECT_LE(std::sqrt(squares), 4);
}

/// What does not suit the kernel it leaves alone, whatever is wanted, and no neighbour feels it.
TYPED_TEST(EmulatedComplexSvd, LeavesOverWhatDoesNotSuit) {
  auto matrices = this->several(9, 6, 5);
  auto const before = run_warps(matrices);
  matrices[1](3, 2).imag(std::numeric_limits<TypeParam>::quiet_NaN());
  matrices[2](0, 0).real(std::numeric_limits<TypeParam>::infinity());
  for (int i = 0; i < 6; ++i) {
    matrices[4](i, 3) = 0;
    matrices[5](i, 0) *= std::ldexp(TypeParam(1), sizeof(TypeParam) == 4 ? -60 : -500);
  }
  matrices[7] = ComplexMatrix<TypeParam>(6, 5);
  for (SvdVectors const wanted : {SvdVectors::none, SvdVectors::thin}) {
    auto const after = run_warps(matrices, wanted, wanted);
    EXPECT_EQ(after.left_over.size(), 5U);
    for (int b = 0; b < 9; ++b) {
      bool const unsuited = b == 1 || b == 2 || b == 4 || b == 5 || b == 7;
      auto const at = static_cast<std::size_t>(b);
      EXPECT_EQ(after.leaves(b), unsuited) << b;
      if (unsuited)
        EXPECT_EQ(after.results[at].S[0], TypeParam(-77));
      else
        EXPECT_TRUE(same_result(after.results[at], before.results[at])) << b;
    }
  }
  EXPECT_EQ(
      run_warps(this->several(2, 8, 8), SvdVectors::thin, SvdVectors::thin, EntryOrder::columns, 1)
          .left_over.size(),
      2U);
}

}  // namespace
