// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/emulated_types.hpp"
#include "unit/qr/emulated.hpp"

/// QR in the registers of warps, on the host: lanes take turns.
namespace {

using namespace carroll::test::emulated_qr;
using carroll::QrMode;

struct WarpKernels {
  static constexpr QrFamily family = QrFamily::warp;
  template <class Value>
  static void enqueue(QrBatch<Value> const& batch, QrPlan const& plan) {
    carroll::detail::enqueue_qr_warp(EmulatedSpace{}, batch, plan);
  }
};

template <class Value>
class EmulatedQr : public ::testing::Test {};
using EmulatedScalars =
    carroll::test::EmulatedTypes<::testing::Types<double, Kokkos::complex<float>>,
                                 ::testing::Types<float, Kokkos::complex<double>>>;
TYPED_TEST_SUITE(EmulatedQr, EmulatedScalars);

TYPED_TEST(EmulatedQr, EveryTypeAndShape) {
  std::vector<std::pair<int, int>> const shapes{{1, 1},  {1, 4},   {4, 1},  {4, 4},  {5, 3},
                                                {3, 5},  {8, 8},   {9, 16}, {16, 9}, {23, 24},
                                                {32, 2}, {25, 32}, {32, 32}};
  for (bool const pivoted : {false, true})
    expect_factors<WarpKernels, TypeParam>(shapes, pivoted, 300);
}

TYPED_TEST(EmulatedQr, SameBitsInAnyCompanyAndMode) {
  for (auto const& [m, n] :
       std::vector<std::pair<int, int>>{{3, 3}, {7, 4}, {4, 7}, {13, 12}, {20, 31}, {31, 20}})
    for (bool const pivoted : {false, true})
      expect_same_bits<WarpKernels, TypeParam>(m, n, pivoted, 4);
}

TYPED_TEST(EmulatedQr, RefusesWhatIsNotFinite) {
  for (bool const pivoted : {false, true})
    for (Order const order : {Order::columns, Order::rows})
      expect_refusals<WarpKernels, TypeParam>(6, 5, {QrMode::full, pivoted, order});
}

}  // namespace
