// SPDX-License-Identifier: BSD-3-Clause
// Every family of kernels meets LAPACK's ratios around the sizes at which the families and their
// kernels change, and gives a matrix the same bits alone and among others.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/svd/dispatch.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/svd/checks.hpp"

namespace {

using namespace carroll::test;
using carroll::SvdOptions;
using carroll::SvdPath;
using carroll::detail::SvdFamily;

template <class Real>
SvdFamily family_of(SvdPath path, int rows, int cols) {
  auto const [n, m] = std::minmax(rows, cols);
  return carroll::detail::svd_family<Kokkos::DefaultExecutionSpace, Real>({.path = path}, m, n);
}

/// Classes of the warp path end at 4, 8, 16, 24 and 32, a host's registers at 32, classes of
/// matrices that are longer than wide at 4, 8 and 16 columns and 64, 128, 256 and 512 rows, those
/// of the fused kernel at 48, 64, 96 and 128 rows, up to 48 at 32 and 36 columns. Beyond, tiles
/// have 16 columns, the sweeps' rows per thread change at 64, 96, 128 and 160 columns, Gram
/// matrices take over from 129 or 161.
std::vector<std::pair<int, int>> sizes_around_limits() {
  std::vector<std::pair<int, int>> sizes;
  for (int n : {4, 8, 16, 24, 32, 48, 64, 96, 128, 160})
    for (int d : {-1, 0, 1}) sizes.emplace_back(n + d, n + d);
  for (auto [rows, cols] :
       {std::pair{32, 3}, {33, 3},   {64, 4},    {65, 4},    {512, 4},  {513, 4},
        {64, 8},          {256, 8},  {257, 8},   {64, 16},   {128, 16}, {129, 16},
        {48, 20},         {49, 36},  {47, 32},   {48, 33},   {48, 36},  {40, 37},
        {64, 33},         {65, 17},  {96, 40},   {97, 40},   {128, 40}, {129, 40},
        {256, 50},        {257, 50}, {1024, 20}, {1025, 20}, {257, 257}}) {
    sizes.emplace_back(rows, cols);
    sizes.emplace_back(cols, rows);
  }
  return sizes;
}

template <class Real>
class SvdPaths : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdPaths, Reals);

TYPED_TEST(SvdPaths, AccurateAroundTheirLimits) {
  for (auto [rows, cols] : sizes_around_limits()) {
    auto const A = make_matrix<TypeParam>(MatrixType::uniform01, rows, cols, 11);
    std::set<SvdFamily> seen;
    for (SvdPath const path : carroll::svd_paths) {
      if (!seen.insert(family_of<TypeParam>(path, rows, cols)).second) continue;
      std::string const name = to_string(path);
      SvdOptions const options{.path = path};
      auto const result = run_svd(A, thin_vectors, options);
      expect_accurate("path " + name, A, result);
      EXPECT_EQ(run_svd(A, only_values, options).S, result.S) << name << ", " << extents_name(A);
    }
  }
}

/// From 500 columns on a host makes its first sweeps in single precision if columns are of like
/// length.
TYPED_TEST(SvdPaths, AccurateWhereSinglePrecisionStarts) {
  for (auto [rows, cols] : {std::pair{499, 499}, {500, 500}, {501, 501}, {640, 500}})
    for (MatrixType type : {MatrixType::uniform01, MatrixType::dense_geometric}) {
      auto const A = make_matrix<TypeParam>(type, rows, cols, 13);
      auto const result = run_svd(A);
      expect_accurate("automatic", A, result);
      EXPECT_EQ(run_svd(A, only_values).S, result.S) << extents_name(A);
    }
}

/// Blocks of 32 columns and pieces of 64 rows, whole and not; an odd number of blocks; columns that
/// several teams of a device share; columns whose lengths differ by more than numbers can.
TYPED_TEST(SvdPaths, AccurateWhereMatricesAreLarge) {
  for (auto [rows, cols] : {std::pair{192, 192},
                            {193, 193},
                            {319, 288},
                            {321, 257},
                            {1025, 162},
                            {65, 1300},
                            {2050, 40}})
    for (MatrixType type : {MatrixType::uniform01, MatrixType::log_bidiagonal}) {
      auto const A = make_matrix<TypeParam>(type, rows, cols, 14);
      auto const result = run_svd(A);
      expect_accurate("automatic", A, result);
      EXPECT_EQ(run_svd(A, only_values).S, result.S) << extents_name(A);
    }
}

TYPED_TEST(SvdPaths, SameBitsAloneAndInRaggedBatches) {
  std::vector<HostMatrix<TypeParam>> matrices;
  for (auto [rows, cols] : sizes_around_limits())
    if (rows * cols <= 65 * 65)
      matrices.push_back(make_matrix<TypeParam>(MatrixType::random, rows, cols, 12));
  std::set<std::vector<SvdFamily>> seen;
  for (SvdPath const path : carroll::svd_paths) {
    std::vector<SvdFamily> families;
    for (auto const& A : matrices) families.push_back(family_of<TypeParam>(path, A.rows, A.cols));
    if (!seen.insert(families).second) continue;
    std::string const name = to_string(path);
    SvdOptions const options{.path = path};
    auto const batch = run_svd_ragged(matrices, thin_vectors, options);
    for (std::size_t k = 0; k < matrices.size(); ++k)
      EXPECT_TRUE(same_result(batch[k], run_svd(matrices[k], thin_vectors, options)))
          << name << ", " << extents_name(matrices[k]);
  }
}

}  // namespace
