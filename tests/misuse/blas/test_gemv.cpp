// SPDX-License-Identifier: BSD-3-Clause
// Wrong extents, aliasing and options of gemv, add and axpby: std::invalid_argument with the actual
// and the required sizes, and nothing written.
#include <gtest/gtest.h>

#include <carroll/add.hpp>
#include <carroll/axpby.hpp>
#include <carroll/gemv.hpp>
#include <string>
#include <utility>

#include "misuse/complaint.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using Left = Kokkos::LayoutLeft;
using Matrix = Kokkos::View<double**, Left, Memory>;
using Vector = Kokkos::View<double*, Left, Memory>;

TEST(GemvMisuse, Extents) {
  Exec const exec;
  Matrix const A("carroll_test::A", 3, 4);
  Vector const three("carroll_test::x", 3), four("carroll_test::y", 4);
  EXPECT_EQ(complaint([&] { carroll::gemv(exec, 1, A, three, 0, three); }),
            "carroll::gemv: x is 3, must be 4");
  EXPECT_EQ(complaint([&] { carroll::gemv(exec, 1, A, four, 0, four); }),
            "carroll::gemv: A is 3×4, must be 4×4");
  EXPECT_EQ(complaint([&] {
              carroll::gemv(exec, 1, A, three, 0, three, {carroll::MatrixOp::transpose});
            }),
            "carroll::gemv: A is 3×4, must be 3×3");
  Matrix const batch("carroll_test::batch", 2, 4), results("carroll_test::results", 3, 3);
  EXPECT_EQ(complaint([&] { carroll::gemv(exec, 1, A, batch, 0, results); }),
            "carroll::gemv: x is 2×4, must be 3×4");
  auto const workspace = carroll::gemv_workspace<double>(exec, {3, 5});
  EXPECT_EQ(complaint([&] { carroll::gemv(exec, 1, A, four, 0, three, workspace); }),
            "carroll::gemv_async: A is 3×4, must be 3×5");
}

TEST(GemvMisuse, Aliasing) {
  Exec const exec;
  Matrix const A("carroll_test::A", 4, 4);
  Vector const x("carroll_test::x", 4);
  EXPECT_EQ(complaint([&] { carroll::gemv(exec, 1, A, x, 0, x); }),
            "carroll::gemv: x and y overlap; each must have memory of its own");
  EXPECT_EQ(complaint([&] { carroll::gemv(exec, 1, A, x, 0, Kokkos::subview(A, 2, Kokkos::ALL)); }),
            "carroll::gemv: A and y overlap; each must have memory of its own");
}

TEST(GemvMisuse, Workspaces) {
  Exec const exec;
  EXPECT_EQ(complaint([&] {
              (void)carroll::gemv_workspace<float>(exec, {-1, 2});
            }),
            "carroll::gemv_workspace: the number of rows is -1, must be from 0 to 2147483647");
  EXPECT_EQ(
      complaint([&] {
        (void)carroll::gemv_workspace<float>(exec, {1, 2}, {static_cast<carroll::MatrixOp>(7)});
      }),
      "carroll::gemv_workspace: options.op is 7, must be an enumerator of MatrixOp");
}

TEST(AddMisuse, ExtentsAndAliasing) {
  Exec const exec;
  Matrix const A("carroll_test::A", 3, 4), B("carroll_test::B", 4, 3);
  EXPECT_EQ(complaint([&] { carroll::add(exec, A, B, B); }), "carroll::add: X is 3×4, must be 4×3");
  EXPECT_EQ(complaint([&] { carroll::add(exec, B, A, B); }), "carroll::add: Y is 3×4, must be 4×3");
  EXPECT_EQ(complaint([&] { carroll::axpby_async(exec, 1, A, 1, B); }),
            "carroll::axpby_async: X is 3×4, must be 4×3");
  Vector const x("carroll_test::x", 10);
  auto const first = Kokkos::subview(x, std::pair(0, 6)),
             last = Kokkos::subview(x, std::pair(4, 10));
  EXPECT_EQ(
      complaint([&] { carroll::axpby(exec, 1, first, 1, last); }),
      "carroll::axpby: X and Y overlap; they must be the same entries, or each have memory of "
      "its own");
  EXPECT_EQ(complaint([&] { carroll::add(exec, first, first, last); }),
            "carroll::add: X and Z overlap; they must be the same entries, or each have memory of "
            "its own");
}

}  // namespace
