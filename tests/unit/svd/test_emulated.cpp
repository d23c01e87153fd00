// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/quad_reference.hpp"
#include "support/svd/ratios.hpp"
#include "support/tolerance.hpp"
#include "unit/svd/emulated/basis.hpp"
#include "unit/svd/emulated/calls.hpp"

/// Decompositions by tiles and Gram matrices, begun with eigenvectors or not, as devices with warps
/// make them, on the host.
namespace {

using namespace carroll::test;
using namespace carroll::test::emulated_svd;
using carroll::SvdVectors;
using carroll::detail::BasisExtents;
using carroll::detail::BasisStart;
using carroll::detail::EmulatedSpace;
using carroll::detail::SvdPlan;
using carroll::detail::SvdStarts;

template <SvdFamily of>
struct Tiles {
  static constexpr SvdFamily family = of;

  template <class Real>
  static void run(SvdBatch<Real> const& batch, int count) {
    auto const [cols, rows] =
        std::minmax({static_cast<int>(batch.a.extents[1]), static_cast<int>(batch.a.extents[2])});
    SvdStarts<EmulatedSpace> starts;
    std::vector const extents(static_cast<std::size_t>(count), BasisExtents::of(rows, cols));
    starts.basis = std::make_shared<BasisStart<EmulatedSpace> const>(extents);
    auto const plan = SvdPlan::uniform<Real>(family, {count, rows, cols});
    carroll::detail::enqueue_tiles(EmulatedSpace{}, batch, plan, {}, starts);
  }
};

template <class Real>
std::vector<Member<Real>> by_family(SvdFamily family, std::vector<HostMatrix<Real>> const& matrices,
                                    bool vectors) {
  return family == SvdFamily::gram
             ? decompose<Tiles<SvdFamily::gram>>(matrices, vectors, vectors)
             : decompose<Tiles<SvdFamily::eigenbasis>>(matrices, vectors, vectors);
}

struct Registers {
  static constexpr SvdFamily family = SvdFamily::fused;

  template <class Real>
  static void run(SvdBatch<Real> const& batch, int count) {
    using Shape = typename carroll::detail::FusedClasses<Real>::Last;
    carroll::SvdOptions const options;
    carroll::detail::FusedKernel<EmulatedSpace, Real, Shape> const kernel(
        batch, nullptr, count, static_cast<Real>(options.tolerance), options.max_sweeps);
    Kokkos::parallel_for("carroll::svd::fused",
                         kernel.policy(EmulatedSpace{}, static_cast<int>(batch.s.extents[1])),
                         kernel);
  }
};

template <class Real>
class SvdEmulated : public ::testing::Test {};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(SvdEmulated, Scalars);

template <class Real>
bool same_member(Member<Real> const& a, Member<Real> const& b) {
  return same_values(a, b) && same_bits(a.U.data, b.U.data) && same_bits(a.V.data, b.V.data);
}

/// One that needs no sweep, and one whose triangle has a diagonal that spreads too much, which is
/// swept from the second one, in one launch with the same bits as by launches of a set.
TYPED_TEST(SvdEmulated, ByEigenvectors) {
  std::vector<HostMatrix<TypeParam>> const matrices{
      make_matrix<TypeParam>(MatrixType::random, 140, 66, 5),
      scaled_columns<TypeParam>(140, 66, 20.0, 8.0, false, 6)};
  auto const all = by_family(SvdFamily::eigenbasis, matrices, true);
  auto const values = by_family(SvdFamily::eigenbasis, matrices, false);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    EXPECT_FALSE(all[b].left_over) << b;
    EXPECT_TRUE(same_values(all[b], values[b])) << b;
    auto const ratios = svd_ratios(matrices[b], all[b].U, all[b].S, all[b].V);
    EXPECT_LE(ratios.worst(), ratio_bar) << to_string(ratios);
  }
  EXPECT_EQ(all[0].info.sweeps, 0);
  EXPECT_TRUE(
      same_member(all[0], by_family<TypeParam>(SvdFamily::eigenbasis, {matrices[0]}, true)[0]));
  EXPECT_GT(all[1].info.sweeps, 0);
  EXPECT_TRUE(same_member(all[1], by_family<TypeParam>(SvdFamily::gram, {matrices[1]}, true)[0]));
}

/// Of matrices that are not much longer than wide A itself is multiplied by eigenvectors, and all
/// that is left may be the rest of a basis.
TYPED_TEST(SvdEmulated, LongerMatrices) {
  std::vector<HostMatrix<TypeParam>> const matrices{
      make_matrix<TypeParam>(MatrixType::random, 83, 66, 5),
      scaled_columns<TypeParam>(83, 66, 20.0, 8.0, false, 6),
      make_matrix<TypeParam>(MatrixType::random, 83, 66, 7)};
  auto const all = by_family(SvdFamily::eigenbasis, matrices, true);
  auto const values = by_family(SvdFamily::eigenbasis, matrices, false);
  auto const full = decompose<Tiles<SvdFamily::eigenbasis>>(matrices, true, true, SvdVectors::full);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    EXPECT_FALSE(all[b].left_over) << b;
    EXPECT_TRUE(same_values(all[b], values[b])) << b;
    EXPECT_TRUE(same_values(all[b], full[b])) << b;
    EXPECT_TRUE(same_bits(all[b].V.data, full[b].V.data)) << b;
    HostMatrix<TypeParam> first(83, 66);
    std::copy_n(full[b].U.data.begin(), first.data.size(), first.data.begin());
    EXPECT_TRUE(same_bits(all[b].U.data, first.data)) << b;
    EXPECT_LE(orthogonality_ratio(full[b].U), ratio_bar) << b;
    auto const ratios = svd_ratios(matrices[b], all[b].U, all[b].S, all[b].V);
    EXPECT_LE(ratios.worst(), ratio_bar) << to_string(ratios);
  }
  EXPECT_EQ(all[0].info.sweeps, 0);
  EXPECT_TRUE(
      same_member(all[2], by_family<TypeParam>(SvdFamily::eigenbasis, {matrices[2]}, true)[0]));
  EXPECT_TRUE(same_member(all[1], by_family<TypeParam>(SvdFamily::gram, {matrices[1]}, true)[0]));
}

/// Where eigenvalues are too small for eigenvectors to be of use all is as without them.
TYPED_TEST(SvdEmulated, WithoutProspect) {
  for (int const rows : {66, 70, 140}) {
    auto const A = make_matrix<TypeParam>(MatrixType::wide_spectrum_dense, rows, 66, 6);
    auto const found = by_family<TypeParam>(SvdFamily::eigenbasis, {A}, true)[0];
    EXPECT_TRUE(same_member(found, by_family<TypeParam>(SvdFamily::gram, {A}, true)[0])) << rows;
  }
}

/// Square matrices are begun with A itself, unless their columns differ too much in length, or
/// singular values are too small for eigenvalues to tell.
TYPED_TEST(SvdEmulated, SquareMatrices) {
  std::vector<HostMatrix<TypeParam>> const matrices{
      make_matrix<TypeParam>(MatrixType::random, 66, 66, 5),
      scaled_columns<TypeParam>(66, 66, 20.0, 8.0, false, 6),
      make_matrix<TypeParam>(MatrixType::dense_geometric, 66, 66, 6)};
  auto const all = by_family(SvdFamily::eigenbasis, matrices, true);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    EXPECT_FALSE(all[b].left_over) << b;
    auto const ratios = svd_ratios(matrices[b], all[b].U, all[b].S, all[b].V);
    EXPECT_LE(ratios.worst(), ratio_bar) << b << ": " << to_string(ratios);
  }
  EXPECT_EQ(all[0].info.sweeps, 0);
  EXPECT_TRUE(same_member(all[1], by_family<TypeParam>(SvdFamily::gram, {matrices[1]}, true)[0]));
}

/// Where members end that are left to registers: within the workspace of their family, which holds
/// what its other kernels want, too.
template <class Real>
void expect_room(int rows, int cols) {
  using Shape = typename carroll::detail::FusedClasses<Real>::Last;
  auto const reals =
      carroll::detail::svd_workspace_sizes<Real>(SvdFamily::eigenbasis, rows, cols, true).reals;
  std::vector<Real> memory(static_cast<std::size_t>(reals));
  carroll::detail::SvdProblem<Real> problem{};
  problem.rows = rows;
  problem.cols = cols;
  problem.reals = memory.data();
  carroll::detail::FusedMemory<Real, Shape> const at(problem);
  EXPECT_LE(at.triangle + Shape::rows * cols - memory.data(), reals) << rows << "x" << cols;
  EXPECT_EQ(at.triangle - memory.data(), 2 * Shape::rows * cols);
}
TEST(SvdEmulatedRest, HasRoomForItsPieces) {
  for (int const rows : {97, 100, 127, 128}) {
    expect_room<float>(rows, 97);
    expect_room<double>(rows, 97);
    expect_room<float>(rows, rows);
    expect_room<double>(rows, rows);
  }
}

/// What a team can hold in registers is done there, with the bits of `fused`, where eigenvectors
/// are of no use.
TEST(SvdEmulatedRest, IsLeftToRegisters) {
  std::vector<HostMatrix<float>> const matrices{make_matrix<float>(MatrixType::random, 97, 97, 5),
                                                scaled_columns<float>(97, 97, 20.0, 8.0, false, 6)};
  auto const all = by_family(SvdFamily::eigenbasis, matrices, true);
  EXPECT_EQ(all[0].info.sweeps, 0);
  auto const ratios = svd_ratios(matrices[0], all[0].U, all[0].S, all[0].V);
  EXPECT_LE(ratios.worst(), ratio_bar) << to_string(ratios);
  EXPECT_TRUE(same_member(all[1], decompose<Registers, float>({matrices[1]}, true, true)[0]));
}

/// Every singular value of A = B·D has a small relative error, begun with eigenvectors, and
/// where these are turned or swept.
TYPED_TEST(SvdEmulated, RelativeAccuracy) {
  for (double const decades : {1.0, 4.0}) {
    auto const A = scaled_columns<TypeParam>(decades < 4 ? 133 : 66, 66, 20.0, decades, false, 8);
    auto const found = by_family<TypeParam>(SvdFamily::eigenbasis, {A}, true)[0];
    auto const reference = quad_singular_values(A);
    double worst = 0;
    for (std::size_t k = 0; k < reference.size(); ++k)
      worst = std::max(worst,
                       std::abs(static_cast<double>(
                           (static_cast<long double>(found.S[k]) - reference[k]) / reference[k])));
    EXPECT_LE(worst, relative_sigma_tolerance<TypeParam>(66)) << decades;
    auto const ratios = svd_ratios(A, found.U, found.S, found.V);
    EXPECT_LE(ratios.worst(), ratio_bar) << to_string(ratios);
  }
}

/// As many singular values are alike as a matrix has, or half of them.
TYPED_TEST(SvdEmulated, Clusters) {
  for (MatrixType const type : {MatrixType::orthogonal, MatrixType::dense_clustered})
    for (int const rows : {66, 100}) {
      auto const A = make_matrix<TypeParam>(type, rows, 66, 9);
      auto const found = by_family<TypeParam>(SvdFamily::eigenbasis, {A}, true)[0];
      if (found.left_over) continue;
      auto const ratios = svd_ratios(A, found.U, found.S, found.V);
      EXPECT_LE(ratios.worst(), ratio_bar) << to_string(ratios);
    }
}

}  // namespace
