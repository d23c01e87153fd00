// SPDX-License-Identifier: BSD-3-Clause
// Wrong members, offsets, Views and workspaces of ragged batches: std::invalid_argument with the
// actual and the required sizes, and nothing written.
#include <gtest/gtest.h>

#include <carroll/determinant_ragged.hpp>
#include <string>
#include <vector>

#include "determinant_instances.hpp"
#include "misuse/complaint.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::DeterminantMember;
using Members = std::vector<DeterminantMember>;
using Right = Kokkos::LayoutRight;

TEST(DeterminantRaggedMisuse, OffsetsThatAreNone) {
  auto const made = [](std::vector<std::int64_t> const& offsets) {
    return complaint([&] { (void)carroll::determinant_members_between(offsets); });
  };
  std::string const name = "carroll::determinant_members_between: ";
  EXPECT_EQ(made({}), name + "offsets are 0, must be one more than there are members");
  EXPECT_EQ(made({-4, 0}), name + "offsets[0] is -4, must be at least 0");
  EXPECT_EQ(made({0, 9, 5}), name + "offsets[2] is 5, must be at least offsets[1], 9");
  EXPECT_EQ(made({1, 10, 21}), name +
                                   "from offsets[1] to offsets[2] there are 11 entries, must be "
                                   "a square number, such as 9 or 16");
}

TEST(DeterminantRaggedMisuse, UnusableMembers) {
  Exec const exec;
  auto const made = [&](Members const& members) {
    return complaint([&] { (void)carroll::determinant_ragged_workspace<double>(exec, members); });
  };
  std::string const name = "carroll::determinant_ragged_workspace: ";
  EXPECT_EQ(made({{2, 0}, {-1, 4}}),
            name + "members[1] has order -1, must be from 0 to 2147483647");
  EXPECT_EQ(made({{2'147'483'648, 0}}),
            name + "members[0] has order 2147483648, must be from 0 to 2147483647");
  EXPECT_EQ(made({{2, -3}}),
            name + "members[0] begins at -3, must be from 0 to 4611686018427387903");
  Members const one{{2, 0}};
  EXPECT_EQ(complaint([&] {
              (void)carroll::determinant_ragged_workspace<double>(
                  exec, one, false, {static_cast<carroll::DeterminantMethod>(99)});
            }),
            name + "options.method is 99, must be an enumerator of DeterminantMethod");
}

TEST(DeterminantRaggedMisuse, ViewsThatDoNotHoldTheMembers) {
  Exec const exec;
  Members const members{{2, 0}, {3, 4}, {0, 99}};
  GuardedView<double, 1, Right> A({12});
  EXPECT_EQ(complaint([&] { (void)carroll::determinant_ragged(exec, members, A.view()); }),
            "carroll::determinant_ragged: A has 12 entries, the members need 13");
  GuardedView<double, 1, Kokkos::LayoutStride> apart({13});
  EXPECT_EQ(complaint([&] { (void)carroll::determinant_of_ragged(exec, members, apart.view()); }),
            "carroll::determinant_of_ragged: A has stride 2, must be contiguous: stride 1");
  Members const overlapping{{2, 9}, {1, 0}, {3, 2}};
  GuardedView<double, 1, Right> long_enough({13});
  EXPECT_EQ(
      complaint([&] { (void)carroll::determinant_ragged(exec, overlapping, long_enough.view()); }),
      "carroll::determinant_ragged: members[0] and members[2] overlap, matrices that are "
      "overwritten must not");
  for (auto* view : {&A, &long_enough}) {
    view->to_host();
    EXPECT_TRUE(view->untouched());
  }
}

TEST(DeterminantRaggedMisuse, WorkspacesAndInfosForOthers) {
  Exec const exec;
  Members const members{{2, 0}, {3, 4}};
  GuardedView<double, 1, Right> A({13});
  auto no_copies = carroll::determinant_ragged_workspace<double>(exec, members);
  EXPECT_EQ(
      complaint([&] { (void)carroll::determinant_of_ragged(exec, A.view(), no_copies); }),
      "carroll::determinant_of_ragged: the workspace was made without room for copies: keep is "
      "false");
  Kokkos::View<DeterminantInfo<double>*, Memory> const infos("carroll_test::infos", 3);
  EXPECT_EQ(complaint([&] { carroll::determinant_ragged_async(exec, A.view(), infos, no_copies); }),
            "carroll::determinant_ragged_async: info is 3, must be 2");
  carroll::DeterminantRaggedWorkspace<Exec, double> nobodys;
  EXPECT_EQ(complaint([&] { carroll::determinant_ragged_async(exec, A.view(), infos, nobodys); }),
            "carroll::determinant_ragged_async: info is 3, must be 0");
  Kokkos::fence();
  A.to_host();
  EXPECT_TRUE(A.untouched());
}

}  // namespace
