// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments are answered by std::invalid_argument that gives the actual and the required
// sizes, before anything is written.
#include <gtest/gtest.h>

#include <carroll/solve.hpp>
#include <limits>
#include <string>

#include "../complaint.hpp"
#include "decompositions/solve_instances.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using Matrix = GuardedView<double, 2, Kokkos::LayoutLeft>;

class SolveMisuse : public ::testing::Test {
 protected:
  Exec exec;
  Matrix A{{4, 4}}, B{{4, 2}}, X{{4, 2}}, square{{4, 4}};

  /// What the call says must be all of `text`, and nothing may have been written.
  template <class Call>
  void expect_complaint(Matrix& x, std::string const& text, Call const& call) {
    EXPECT_EQ(complaint(call), text);
    Kokkos::fence();
    x.to_host();
    EXPECT_TRUE(x.untouched());
  }
};

TEST_F(SolveMisuse, RightArgumentsAreAccepted) {
  EXPECT_EQ(complaint([&] { (void)carroll::solve(exec, A.view(), B.view(), X.view()); }), "");
  EXPECT_EQ(complaint([&] { (void)carroll::inverse(exec, A.view(), square.view()); }), "");
}

TEST_F(SolveMisuse, Extents) {
  Matrix wide({4, 5}), short_sides({3, 2}), narrow({4, 1});
  expect_complaint(X, "carroll::solve: A is 4×5, must be 4×4",
                   [&] { (void)carroll::solve(exec, wide.view(), B.view(), X.view()); });
  expect_complaint(X, "carroll::solve: B is 3×2, must be 4×2",
                   [&] { (void)carroll::solve(exec, A.view(), short_sides.view(), X.view()); });
  expect_complaint(narrow, "carroll::solve: X is 4×1, must be 4×2",
                   [&] { (void)carroll::solve(exec, A.view(), B.view(), narrow.view()); });
  expect_complaint(X, "carroll::inverse: X is 4×2, must be 4×4",
                   [&] { (void)carroll::inverse(exec, A.view(), X.view()); });
}

TEST_F(SolveMisuse, Aliasing) {
  auto const says = [&](auto const& call) { return complaint(call); };
  EXPECT_NE(says([&] {
              (void)carroll::solve(exec, A.view(), B.view(), B.view());
            }).find("B and X overlap"),
            std::string::npos);
  EXPECT_NE(says([&] { (void)carroll::inverse(exec, A.view(), A.view()); }).find("A and X overlap"),
            std::string::npos);
}

TEST_F(SolveMisuse, WorkspaceOfAnotherCall) {
  auto solves = carroll::solve_workspace<double>(exec, {.n = 4, .columns = 2});
  auto inverts = carroll::inverse_workspace<double>(exec, {.n = 4});
  auto other = carroll::solve_workspace<double>(exec, {.n = 4, .columns = 3});
  carroll::SolveWorkspace<Exec, double> nobodys;
  EXPECT_EQ(complaint([&] { (void)carroll::solve(exec, A.view(), B.view(), X.view(), solves); }),
            "");
  EXPECT_EQ(complaint([&] { (void)carroll::inverse(exec, A.view(), square.view(), inverts); }), "");
  Matrix x({4, 2}), y({4, 4});
  expect_complaint(x, "carroll::solve: the workspace was made by inverse_workspace",
                   [&] { (void)carroll::solve(exec, A.view(), B.view(), x.view(), inverts); });
  expect_complaint(y, "carroll::inverse: the workspace was made by solve_workspace",
                   [&] { (void)carroll::inverse(exec, A.view(), y.view(), solves); });
  expect_complaint(x, "carroll::solve: B is 4×2, must be 4×3",
                   [&] { (void)carroll::solve(exec, A.view(), B.view(), x.view(), other); });
  EXPECT_NE(complaint([&] { (void)carroll::solve(exec, A.view(), B.view(), x.view(), nobodys); }),
            "");
}

TEST_F(SolveMisuse, UnusableExtents) {
  auto const says = [&](carroll::SolveExtents const& extents) {
    return complaint([&] { (void)carroll::solve_workspace<double>(exec, extents); });
  };
  EXPECT_NE(says({.n = -1}).find("the order is -1"), std::string::npos);
  EXPECT_NE(says({.n = 1, .columns = -2}).find("right-hand sides is -2"), std::string::npos);
  EXPECT_NE(says({.batch = std::numeric_limits<int>::max(), .n = 1'000'000'000})
                .find("more workspace than can be addressed"),
            std::string::npos);
}

}  // namespace
