// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <carroll/detail/svd/tiled/launch.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/svd/matrix_types.hpp"
#include "support/svd/ratios.hpp"
#include "support/tolerance.hpp"
#include "unit/svd/basis_memory.hpp"
#include "unit/svd/emulated.hpp"

/// Decompositions by tiles and Gram matrices, begun with eigenvectors or not, as devices with warps
/// make them, on the host.
template <>
inline constexpr carroll::detail::SvdBackend
    carroll::detail::svd_backend<carroll::detail::EmulatedSpace> =
        carroll::detail::SvdBackend::tensors;

/// A workspace's part, of the test's memory.
template <>
class carroll::detail::BasisStart<carroll::detail::EmulatedSpace> {
 public:
  explicit BasisStart(std::vector<int> const& orders) : memory_(orders) {}

  template <class Real>
  void enqueue(EmulatedSpace const& exec, SvdBatch<Real> const& batch, Real tolerance) const {
    memory_.enqueue(exec, batch, tolerance);
  }

 private:
  carroll::test::BasisMemoryOfHost memory_;
};

namespace {

using namespace carroll::test;
using carroll::detail::BasisStart;
using carroll::detail::EmulatedSpace;
using carroll::detail::SvdPlan;
using carroll::detail::SvdStarts;

template <class Real>
std::vector<Member<Real>> by_family(SvdFamily family, std::vector<HostMatrix<Real>> const& matrices,
                                    bool vectors) {
  return decompose<Real>(
      family, matrices, vectors, vectors, [&](SvdBatch<Real> const& batch, int count) {
        auto const [cols, rows] = std::minmax(matrices.front().rows, matrices.front().cols);
        SvdStarts<EmulatedSpace> starts;
        std::vector<int> const orders(static_cast<std::size_t>(count), cols);
        starts.basis = std::make_shared<BasisStart<EmulatedSpace> const>(orders);
        auto const plan = SvdPlan::uniform<Real>(family, {count, rows, cols});
        carroll::detail::enqueue_tiles(EmulatedSpace{}, batch, plan, {}, starts);
      });
}

template <class Real>
class SvdEmulated : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdEmulated, Scalars);

TYPED_TEST(SvdEmulated, ByEigenvectors) {
  std::vector<HostMatrix<TypeParam>> const matrices{
      make_matrix<TypeParam>(MatrixType::random, 70, 66, 5),
      make_matrix<TypeParam>(MatrixType::dense_geometric, 70, 66, 6)};
  auto const all = by_family(SvdFamily::eigenbasis, matrices, true);
  auto const values = by_family(SvdFamily::eigenbasis, matrices, false);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    EXPECT_FALSE(all[b].left_over);
    EXPECT_TRUE(same_values(all[b], values[b]));
    auto const ratios = svd_ratios(matrices[b], all[b].U, all[b].S, all[b].V);
    EXPECT_LE(ratios.worst(), ratio_bar) << to_string(ratios);
  }
  EXPECT_EQ(all[0].info.sweeps, 0);
  EXPECT_GT(all[1].info.sweeps, 0);  // columns that differ too much in length
}

}  // namespace
