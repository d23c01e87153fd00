// SPDX-License-Identifier: BSD-3-Clause
// Wrong extents and workspaces: std::invalid_argument with the actual and the required sizes.
#include <gtest/gtest.h>

#include <carroll/certified_determinant.hpp>
#include <stdexcept>
#include <string>

#include "certified_determinant_instances.hpp"
#include "misuse/complaint.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using Left = Kokkos::LayoutLeft;
using Info = carroll::CertifiedDeterminantInfo<double>;

TEST(CertifiedDeterminantMisuse, MatricesThatAreNotSquare) {
  Exec const exec;
  GuardedView<double, 2, Left> A({3, 4});
  GuardedView<double, 3, Left> batch({2, 5, 3});
  EXPECT_EQ(complaint([&] { (void)carroll::certified_determinant(exec, A.view()); }),
            "carroll::certified_determinant: A is 3×4, must be square: it has 3 rows and 4 "
            "columns");
  EXPECT_EQ(complaint([&] { (void)carroll::certified_determinant(exec, batch.view()); }),
            "carroll::certified_determinant: A is 2×5×3, must be square: it has 5 rows and 3 "
            "columns");
}

TEST(CertifiedDeterminantMisuse, WorkspacesForOtherExtents) {
  Exec const exec;
  GuardedView<double, 2, Left> A({5, 5});
  GuardedView<double, 3, Left> batch({3, 5, 5});
  auto workspace = carroll::certified_determinant_workspace<double>(exec, {.batch = 3, .n = 4});
  EXPECT_EQ(complaint([&] { (void)carroll::certified_determinant(exec, batch.view(), workspace); }),
            "carroll::certified_determinant: A is 3×5×5, the workspace was made for 3×4×4 "
            "(batch×n×n)");
  EXPECT_EQ(complaint([&] { (void)carroll::certified_determinant(exec, A.view(), workspace); }),
            "carroll::certified_determinant: A is 5×5, the workspace was made for 3×4×4 "
            "(batch×n×n)");
  carroll::CertifiedDeterminantWorkspace<Exec, double> nobodys;
  EXPECT_NE(complaint([&] { (void)carroll::certified_determinant(exec, A.view(), nobodys); }), "");
}

TEST(CertifiedDeterminantMisuse, InfosOfAnotherExtent) {
  Exec const exec;
  GuardedView<double, 3, Left> batch({3, 5, 5});
  auto workspace = carroll::certified_determinant_workspace<double>(exec, {.batch = 3, .n = 5});
  Kokkos::View<Info*, Memory> const infos("carroll_test::infos", 2);
  EXPECT_EQ(complaint([&] {
              carroll::certified_determinant_async(exec, batch.view(), infos, workspace);
            }),
            "carroll::certified_determinant_async: info is 2, must be 3");
}

TEST(CertifiedDeterminantMisuse, UnusableExtents) {
  Exec const exec;
  auto const made = [&](carroll::CertifiedDeterminantExtents extents) {
    return complaint(
        [&] { (void)carroll::certified_determinant_workspace<double>(exec, extents); });
  };
  EXPECT_EQ(made({.batch = -1, .n = 3}),
            "carroll::certified_determinant_workspace: the batch is -1, must be from 0 to "
            "2147483647");
  EXPECT_EQ(made({.n = -2}),
            "carroll::certified_determinant_workspace: the order is -2, must be from 0 to "
            "2147483647");
  EXPECT_EQ(made({.n = 100'000'000}),
            "carroll::certified_determinant_workspace: the order is 100000000, must be at most "
            "67108864");
}

TEST(CertifiedDeterminantMisuse, MemoryThatCannotBeHad) {
  Exec const exec;
  try {
    (void)carroll::certified_determinant_workspace<double>(exec, {.n = 50'000'000});
    FAIL() << "160 PB were to be had";
  } catch (carroll::AllocationError const& error) {
    EXPECT_GT(error.bytes(), 100'000'000'000'000'000U);
    EXPECT_EQ(std::string(error.what()).find("carroll::certified_determinant::workspace"), 0U);
  }
}

}  // namespace
