// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/emulated_types.hpp"
#include "unit/qr/emulated.hpp"

/// QR of small matrices that are longer than wide, rows in the lanes of a warp, on the host.
namespace {

using namespace carroll::test::emulated_qr;
using carroll::QrMode;

struct SlimKernels {
  static constexpr QrFamily family = QrFamily::slim;
  template <class Real>
  static void enqueue(QrBatch<Real> const& batch, QrPlan const& plan) {
    carroll::detail::enqueue_qr_slim(EmulatedSpace{}, batch, plan);
  }
};

template <class Real>
class EmulatedSlimQr : public ::testing::Test {};
using EmulatedReals =
    carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(EmulatedSlimQr, EmulatedReals);

/// The ends of all classes, and wide ones, which other kernels take unless asked.
TYPED_TEST(EmulatedSlimQr, EveryTypeAndShape) {
  std::vector<std::pair<int, int>> const shapes{
      {1, 1},   {40, 0},  {64, 4},   {33, 3},   {64, 8},  {50, 5},  {64, 16},
      {41, 9},  {65, 9},  {128, 16}, {100, 13}, {129, 8}, {256, 8}, {200, 5},
      {257, 4}, {512, 4}, {300, 1},  {3, 12},   {16, 16}, {15, 16}, {2, 8}};
  for (bool const pivoted : {false, true})
    expect_factors<SlimKernels, TypeParam>(shapes, pivoted, 60);
}

TYPED_TEST(EmulatedSlimQr, SameBitsInAnyCompanyAndMode) {
  for (auto const& [m, n] :
       std::vector<std::pair<int, int>>{{33, 3}, {64, 8}, {40, 11}, {70, 16}, {256, 7}, {5, 12}})
    for (bool const pivoted : {false, true})
      expect_same_bits<SlimKernels, TypeParam>(m, n, pivoted, 12, {60, 13});
}

TYPED_TEST(EmulatedSlimQr, RefusesWhatIsNotFinite) {
  for (bool const pivoted : {false, true})
    for (Order const order : {Order::columns, Order::rows}) {
      expect_refusals<SlimKernels, TypeParam>(40, 5, {QrMode::full, pivoted, order});
      expect_refusals<SlimKernels, TypeParam>(100, 12, {QrMode::thin, pivoted, order});
    }
}

}  // namespace
