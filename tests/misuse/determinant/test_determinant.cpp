// SPDX-License-Identifier: BSD-3-Clause
// Wrong extents, workspaces and options: std::invalid_argument with the actual and the required
// sizes, and nothing written.
#include <gtest/gtest.h>

#include <carroll/determinant.hpp>
#include <string>

#include "determinant_instances.hpp"
#include "misuse/complaint.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::DeterminantMethod;
using Left = Kokkos::LayoutLeft;

TEST(DeterminantMisuse, MatricesThatAreNotSquare) {
  Exec const exec;
  GuardedView<double, 2, Left> A({3, 4});
  GuardedView<double, 3, Left> batch({2, 5, 3});
  EXPECT_EQ(complaint([&] { (void)carroll::determinant(exec, A.view()); }),
            "carroll::determinant: A is 3×4, must be square: it has 3 rows and 4 columns");
  EXPECT_EQ(complaint([&] { (void)carroll::determinant_of(exec, batch.view()); }),
            "carroll::determinant_of: A is 2×5×3, must be square: it has 5 rows and 3 columns");
  A.to_host();
  EXPECT_TRUE(A.untouched());
}

TEST(DeterminantMisuse, WorkspacesForOtherExtents) {
  Exec const exec;
  GuardedView<double, 2, Left> A({5, 5});
  GuardedView<double, 3, Left> batch({3, 5, 5});
  auto workspace = carroll::determinant_workspace<double>(exec, {.batch = 3, .n = 4});
  EXPECT_EQ(complaint([&] { (void)carroll::determinant(exec, batch.view(), workspace); }),
            "carroll::determinant: A is 3×5×5, the workspace was made for 3×4×4 (batch×n×n)");
  EXPECT_EQ(complaint([&] { (void)carroll::determinant(exec, A.view(), workspace); }),
            "carroll::determinant: A is 5×5, the workspace was made for 3×4×4 (batch×n×n)");
  carroll::DeterminantWorkspace<Exec, double> nobodys;
  EXPECT_NE(complaint([&] { (void)carroll::determinant(exec, A.view(), nobodys); }), "");
  auto no_copies = carroll::determinant_workspace<double>(exec, {.n = 5});
  EXPECT_EQ(complaint([&] { (void)carroll::determinant_of(exec, A.view(), no_copies); }),
            "carroll::determinant_of: the workspace was made without room for copies: extents.keep "
            "is false");
  batch.to_host();
  EXPECT_TRUE(batch.untouched());
}

TEST(DeterminantMisuse, InfosOfAnotherExtent) {
  Exec const exec;
  GuardedView<double, 3, Left> batch({3, 5, 5});
  auto workspace = carroll::determinant_workspace<double>(exec, {.batch = 3, .n = 5, .keep = true});
  Kokkos::View<DeterminantInfo<double>*, Memory> const infos("carroll_test::infos", 2);
  EXPECT_EQ(complaint([&] { carroll::determinant_async(exec, batch.view(), infos, workspace); }),
            "carroll::determinant_async: info is 2, must be 3");
  EXPECT_EQ(complaint([&] { carroll::determinant_of_async(exec, batch.view(), infos, workspace); }),
            "carroll::determinant_of_async: info is 2, must be 3");
  Kokkos::fence();
  batch.to_host();
  EXPECT_TRUE(batch.untouched());
}

TEST(DeterminantMisuse, UnusableExtentsAndOptions) {
  Exec const exec;
  auto const made = [&](carroll::DeterminantExtents extents, DeterminantMethod method = {}) {
    return complaint(
        [&] { (void)carroll::determinant_workspace<double>(exec, extents, {method}); });
  };
  EXPECT_EQ(made({.batch = -1, .n = 3}),
            "carroll::determinant_workspace: the batch is -1, must be from 0 to 2147483647");
  EXPECT_EQ(made({.n = -2}),
            "carroll::determinant_workspace: the order is -2, must be from 0 to 2147483647");
  EXPECT_NE(made({.batch = 2147483647, .n = 2147483647}).find("more workspace than can be"),
            std::string::npos);
  EXPECT_EQ(made({.n = 3}, static_cast<DeterminantMethod>(9)),
            "carroll::determinant_workspace: options.method is 9, must be an enumerator of "
            "DeterminantMethod");
}

TEST(DeterminantMisuse, FamiliesThatCannotTakeTheMatrix) {
  using carroll::DeterminantPath;
  Exec const exec;
  bool const on_host = carroll::detail::lanes<Exec> == 1;
  GuardedView<double, 2, Left> A({40, 40});
  auto const asked = [&](DeterminantPath path, DeterminantMethod method = {}) {
    return complaint([&] { (void)carroll::determinant(exec, A.view(), {method, path}); });
  };
  std::string const is = "carroll::determinant: options.path is ";
  EXPECT_EQ(asked(DeterminantPath::closed_form),
            is + "closed_form, which takes orders from 0 to 3, not 40");
  EXPECT_EQ(asked(DeterminantPath::launches),
            is + "launches, which is not for this method and scalar");
  EXPECT_EQ(asked(DeterminantPath::panels, DeterminantMethod::dodgson),
            is + "panels, which is not for this method and scalar");
  EXPECT_EQ(asked(static_cast<DeterminantPath>(19)),
            is + "19, must be an enumerator of DeterminantPath");
  if (on_host) {
    EXPECT_EQ(asked(DeterminantPath::leader), is + "leader, which this backend does not have");
    EXPECT_EQ(asked(DeterminantPath::host_batch),
              is + "host_batch, which takes orders from 1 to 32, not 40");
  } else {
    EXPECT_EQ(asked(DeterminantPath::host_batch),
              is + "host_batch, which this backend does not have");
  }
  EXPECT_EQ(complaint([&] {
              (void)carroll::determinant_workspace<double>(
                  exec, {.n = 5000}, {DeterminantMethod::blocked, DeterminantPath::scratch});
            }),
            "carroll::determinant_workspace: options.path is scratch, which has no room for order "
            "5000 here");
  A.to_host();
  EXPECT_TRUE(A.untouched());
}

TEST(DeterminantMisuse, MemoryThatCannotBeHad) {
  Exec const exec;
  try {
    (void)carroll::determinant_workspace<double>(exec, {.n = 100'000'000, .keep = true});
    FAIL() << "80 PB were to be had";
  } catch (carroll::AllocationError const& error) {
    EXPECT_GT(error.bytes(), 10'000'000'000'000'000U);
    EXPECT_EQ(std::string(error.what()).find("carroll::determinant::workspace"), 0U);
  }
}

}  // namespace
