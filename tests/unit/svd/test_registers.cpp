// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/detail/svd/fused/kernel.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/svd/warp/kernel.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/svd/quad_reference.hpp"
#include "unit/svd/emulated/calls.hpp"

/// The decompositions in the registers of a warp, and of a block, of which devices have kernels, on
/// the host: lanes take turns, and what they tell one another goes through memory.
namespace {

using namespace carroll::test;
using namespace carroll::test::emulated_svd;
using carroll::detail::DeviceWarp;
using carroll::detail::EmulatedSpace;
using carroll::detail::EmulatedTurns;
using carroll::detail::FusedKernel;
using carroll::detail::WarpGroup;
using carroll::detail::WarpShape;
using carroll::detail::WarpSolver;

/// A matrix in a warp's lanes, or, where the shape has several warps to a team, in a block's.
template <class Shape>
struct Registers {
  static constexpr bool by_team = Shape::warps_per_team > 1;
  static constexpr SvdFamily family = by_team ? SvdFamily::fused : SvdFamily::warp;

  template <class Real>
  static void run(SvdBatch<Real> const& batch, int count) {
    if constexpr (by_team) {
      FusedKernel<EmulatedSpace, Real, Shape> const kernel(batch, nullptr, count, Real(0), 30);
      Kokkos::parallel_for("carroll::svd::fused",
                           kernel.policy(EmulatedSpace{}, static_cast<int>(batch.s.extents[1])),
                           kernel);
    } else {
      using Solver = WarpSolver<DeviceWarp, Real, Shape>;
      std::vector<double> scratch(Solver::reals_per_warp, std::numeric_limits<double>::quiet_NaN());
      EmulatedTurns turns;
      for (int start = 0; start < count; start += Shape::matrices)
        turns.run([&](int lane) {
          Solver(DeviceWarp{lane}, batch, Real(0), 30, scratch.data()).run(start, nullptr, count);
        });
    }
  }
};

TEST(SvdRegisters, ValuesDoNotDependOnTheVectorsWanted) {
  check_outputs<Registers<WarpShape<4, 4, 1>>>(dependent_members<double>(4, 4, 16));
  check_outputs<Registers<WarpShape<8, 8, 1>>>(dependent_members<double>(7, 7, 16));
  check_outputs<Registers<WarpShape<8, 8, 1>>>(dependent_members<double>(5, 8, 8));
  check_outputs<Registers<WarpShape<16, 16, 2, 1, 16>>>(dependent_members<double>(12, 12, 12));
  check_outputs<Registers<WarpShape<32, 24, 2, 1, 12>>>(dependent_members<double>(20, 19, 4));
  check_outputs<Registers<WarpShape<8, 8, 1>>>(dependent_members<float>(8, 8, 8));
}

TEST(SvdRegisters, BlocksOfWarps) {
  check_outputs<Registers<WarpShape<48, 16, 4, 3, 3>>>(random_members<double>(40, 35, 1));
  check_outputs<Registers<WarpShape<48, 16, 4, 3, 6>>>(random_members<float>(33, 48, 1));
  check_outputs<Registers<WarpShape<48, 16, 4, 2, 8>>>(random_members<float>(37, 32, 1));
}

// Six pairs of columns to a warp, of which eight lanes have nothing to do.
TEST(SvdRegisters, BlocksOfSixColumns) {
  for (int const cols : {36, 33, 24, 7}) {
    check_outputs<Registers<WarpShape<48, 12, 4, 3, 3>>>(random_members<double>(48, cols, 1));
    check_outputs<Registers<WarpShape<48, 12, 4, 3, 6>>>(random_members<float>(40, cols, 1));
  }
}

// Columns of U beyond those of A come from the reflectors alone.
TEST(SvdRegisters, BlocksOfWarpsCompleteU) {
  using Kernels = Registers<WarpShape<48, 12, 4, 3, 3>>;
  auto const A = random_members<double>(47, 21, 1);
  auto const full = decompose<Kernels, double>(A, true, true, carroll::SvdVectors::full).front();
  auto const thin = decompose<Kernels, double>(A, true, true).front();
  EXPECT_FALSE(full.left_over);
  EXPECT_EQ(full.U.cols, 47);
  EXPECT_LE(orthogonality_ratio(full.U), ratio_bar);
  EXPECT_TRUE(std::equal(thin.U.data.begin(), thin.U.data.end(), full.U.data.begin()));
}

// J is nearly orthogonal where values are alike, and far from it where they fall.
TEST(SvdRegisters, BlocksOfWarpsOfAnySpectrum) {
  for (MatrixType const type : {MatrixType::dense_geometric, MatrixType::dense_even,
                                MatrixType::graded_columns, MatrixType::uniform01}) {
    using Doubles = std::vector<HostMatrix<double>>;
    using Singles = std::vector<HostMatrix<float>>;
    check_outputs<Registers<WarpShape<48, 12, 4, 3, 3>>>(
        Doubles{make_matrix<double>(type, 44, 34, 3)});
    check_outputs<Registers<WarpShape<48, 12, 4, 3, 6>>>(
        Singles{make_matrix<float>(type, 36, 36, 5)});
    check_outputs<Registers<WarpShape<96, 8, 8, 12, 1>>>(
        Singles{make_matrix<float>(type, 70, 41, 6)});
  }
}

/// Errors of the values of a symmetric matrix with a shift, all of a like size, which every
/// rotation mixes: their mean and their root of mean squares in units of roundoff.
template <class Shape>
std::array<double, 2> value_errors(int n) {
  auto A = make_matrix<float>(MatrixType::random, n, n, 70);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) A(i, j) = A(j, i);
    A(j, j) += static_cast<float>(n) / 2;
  }
  auto const S = decompose<Registers<Shape>, float>({A}, true, false).front().S;
  auto const exact = quad_singular_values(A);
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < S.size(); ++k) {
    auto const off = static_cast<double>((S[k] / exact[k] - 1) / epsilon<float>);
    sum += off / n;
    squares += off * off / n;
  }
  return {sum, std::sqrt(squares)};
}

// A column is turned by hundreds of small angles. Of errors to one side, which add up, their mean
// tells: 6 to 14 units of roundoff where each cosine is rounded.
TEST(SvdRegisters, ValuesDoNotDrift) {
  for (auto const& [mean, root] : {value_errors<WarpShape<48, 16, 4, 3, 6>>(48),      // in scratch
                                   value_errors<WarpShape<128, 16, 4, 8, 2>>(96)}) {  // in a line
    EXPECT_LE(std::abs(mean), 2);
    EXPECT_LE(root, 4);
  }
}

/// J's columns as a lane of the group holds them.
template <class Shape>
HostMatrix<double> made_orthonormal(HostMatrix<double> const& J) {
  using Group = WarpGroup<DeviceWarp, Shape>;
  HostMatrix<double> result(J.rows, J.cols);
  EmulatedTurns turns;
  turns.run([&](int lane) {
    Group const group(DeviceWarp{lane});
    int const p_column = 2 * group.pair, q_column = p_column + 1;
    double p[Shape::col_parts], q[Shape::col_parts];
    auto const inside = [&](int t, int j) { return group.row(t) < J.rows && j < J.cols; };
    for (int t = 0; t < Shape::col_parts; ++t) {
      p[t] = inside(t, p_column) ? J(group.row(t), p_column) : 0.0;
      q[t] = inside(t, q_column) ? J(group.row(t), q_column) : 0.0;
    }
    carroll::detail::orthonormalise(group, group.slot == 0, J.cols, p_column, q_column, p, q);
    for (int t = 0; t < Shape::col_parts && group.slot == 0; ++t) {
      if (inside(t, p_column)) result(group.row(t), p_column) = p[t];
      if (inside(t, q_column)) result(group.row(t), q_column) = q[t];
    }
  });
  return result;
}

TEST(SvdRegisters, ColumnsAreMadeOrthonormal) {
  int const n = 11;
  auto J = make_matrix<double>(MatrixType::orthogonal, n, n, 7);
  for (int i = 0; i < n; ++i) {
    J(i, 2) += 1e-6 * J(i, 9);   // frees itself from the smaller value's column
    J(i, 7) = 3 * J(i, 10);      // nothing is left
    J(i, 6) = J(i, 8) * 0x1p-3;  // nor here
  }
  auto const Q = made_orthonormal<WarpShape<16, 16, 2, 1, 16>>(J);
  EXPECT_LE(orthogonality_ratio(Q), ratio_bar);
  for (int const j : {0, 1, 3, 4, 5, 8, 9, 10})
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(Q(i, j), J(i, j), 40 * epsilon<double>) << i << ' ' << j;
}

// Columns of any length lie in the span of those of smaller values, but for a little.
TEST(SvdRegisters, ColumnsOfWhichLittleIsLeftAreMadeOrthonormal) {
  int const n = 12, half = 6;
  auto const block = make_matrix<double>(MatrixType::orthogonal, half, half, 8);
  auto const other = make_matrix<double>(MatrixType::random, n, half, 9);
  for (int const little : {-10, -25, -29, -45, -60, -75})
    for (int const length : {0, 100, 500}) {
      HostMatrix<double> J(n, n);
      for (int j = 0; j < half; ++j)
        for (int i = 0; i < n; ++i) {
          J(i, j) = std::ldexp(other(i, j), i < half ? length : length + little);
          J(i, half + j) = i < half ? block(i, j) : 0.0;
        }
      auto const Q = made_orthonormal<WarpShape<16, 16, 2, 1, 16>>(J);
      EXPECT_LE(orthogonality_ratio(Q), ratio_bar) << little << ' ' << length;
    }
}

}  // namespace
