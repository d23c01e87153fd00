// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments of gemm are answered by std::invalid_argument that gives the actual and the
// required sizes, before anything is written.
#include <gtest/gtest.h>

#include <carroll/gemm.hpp>
#include <string>
#include <vector>

#include "gemm_instances.hpp"
#include "misuse/complaint.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::GemmKernel;
using carroll::GemmMethod;
using carroll::MatrixOp;
using Left = Kokkos::LayoutLeft;

template <class Call>
void expect_gemm_complaint(Call const& call, std::vector<std::string> const& words) {
  expect_words(complaint(call), words, "carroll::gemm");
}

/// A 9×5 times 5×7 product.
class GemmMisuse : public ::testing::Test {
 protected:
  Exec exec;
  GuardedView<double, 2, Left> A{{9, 5}}, B{{5, 7}}, C{{9, 7}};

  void TearDown() override {
    C.to_host();
    EXPECT_TRUE(C.untouched());
  }
};

TEST_F(GemmMisuse, NamesActualAndRequiredExtents) {
  GuardedView<double, 2, Left> const wrong({6, 7}), wide({9, 8});
  expect_gemm_complaint([&] { carroll::gemm(exec, 1, A.view(), wrong.view(), 0, C.view()); },
                        {"B is 6×7", "must be 5×7"});
  expect_gemm_complaint([&] { carroll::gemm(exec, 1, wrong.view(), B.view(), 0, C.view()); },
                        {"A is 6×7", "must be 9×7"});
  expect_gemm_complaint([&] { carroll::gemm(exec, 1, A.view(), B.view(), 0, wide.view()); },
                        {"B is 5×7", "must be 5×8"});
  expect_gemm_complaint(
      [&] {
        carroll::gemm(exec, 1, A.view(), B.view(), 0, C.view(), {.op_b = MatrixOp::transpose});
      },
      {"B is 5×7", "must be 7×5"});
}

TEST_F(GemmMisuse, HoldsCallsToTheirWorkspace) {
  auto const workspace = carroll::gemm_workspace<double>(exec, {.rows = 9, .cols = 7, .terms = 4});
  expect_gemm_complaint(
      [&] { carroll::gemm_async(exec, 1, A.view(), B.view(), 0, C.view(), workspace); },
      {"carroll::gemm_async", "A is 9×5", "must be 9×4"});
  auto const batch =
      carroll::gemm_workspace<double>(exec, {.rows = 9, .cols = 7, .terms = 5, .batch = 3});
  expect_gemm_complaint([&] { carroll::gemm(exec, 1, A.view(), B.view(), 0, C.view(), batch); },
                        {"C is for one problem", "batch of 3"});
  expect_gemm_complaint(
      [&] {
        carroll::gemm(exec, 1, A.view(), B.view(), 0, C.view(),
                      carroll::GemmWorkspace<Exec, double>());
      },
      {"A is 9×5", "must be 0×0"});
}

TEST_F(GemmMisuse, RefusesOverlap) {
  GuardedView<double, 2, Left> square({9, 9});
  expect_gemm_complaint(
      [&] { carroll::gemm(exec, 1, square.view(), square.view(), 0, square.view()); },
      {"A and C overlap"});
}

TEST_F(GemmMisuse, RefusesWhatIsNotThere) {
  auto const with = [&](carroll::GemmOptions const& options) {
    return [&, options] { carroll::gemm(exec, 1, A.view(), B.view(), 0, C.view(), options); };
  };
  expect_gemm_complaint(with({.kernel = GemmKernel::naive}), {"options.kernel is naive"});
  expect_gemm_complaint(with({.method = GemmMethod::tiled, .kernel = GemmKernel::packed}),
                        {"options.kernel is packed", "blocked"});
#ifndef CARROLL_HAVE_KOKKOSKERNELS
  expect_gemm_complaint(with({.method = GemmMethod::vendor}), {"vendor", "KokkosKernels"});
#endif
  if constexpr (carroll::detail::lanes<Exec> == 1)
    expect_gemm_complaint(with({.kernel = GemmKernel::registers}), {"options.kernel is registers"});
  else
    expect_gemm_complaint(with({.kernel = GemmKernel::packed}), {"options.kernel is packed"});
  expect_gemm_complaint(
      [&] { (void)carroll::gemm_workspace<float>(exec, {.rows = -1, .cols = 2, .terms = 3}); },
      {"carroll::gemm_workspace", "the number of rows is -1"});
}

}  // namespace
