// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments are answered by std::invalid_argument that gives the actual and the required
// sizes, before anything is written.
#include <gtest/gtest.h>

#include <carroll/lstsq.hpp>
#include <limits>
#include <string>
#include <vector>

#include "../complaint.hpp"
#include "decompositions/lstsq_instances.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using Matrix = GuardedView<double, 2, Kokkos::LayoutLeft>;
using Vector = GuardedView<double, 1, Kokkos::LayoutLeft>;

class LstsqMisuse : public ::testing::Test {
 protected:
  Exec exec;
  Matrix A{{6, 4}}, B{{6, 2}}, X{{4, 2}}, P{{4, 6}};
  Vector b{{6}}, x{{4}};

  /// A complaint about a call that writes `output`, which it leaves alone.
  template <class Call>
  void expect_complaint(Matrix& output, std::vector<std::string> const& words, Call const& call) {
    expect_words(complaint(call), words);
    Kokkos::fence();
    output.to_host();
    EXPECT_TRUE(output.untouched());
  }
};

TEST_F(LstsqMisuse, ComplexMatrices) {
  using Complex = Kokkos::complex<double>;
  GuardedView<Complex, 2, Kokkos::LayoutLeft> Z({6, 4}), D({6, 2}), Y({4, 2}), small({3, 2});
  EXPECT_EQ(complaint([&] { (void)carroll::lstsq(exec, Z.view(), D.view(), Y.view()); }), "");
  expect_words(complaint([&] { (void)carroll::lstsq(exec, Z.view(), D.view(), small.view()); }),
               {"X is 3×2, must be 4×2"});
  auto workspace = carroll::pinv_workspace<Complex>(exec, {.rows = 6, .cols = 4});
  expect_words(
      complaint([&] { (void)carroll::lstsq(exec, Z.view(), D.view(), Y.view(), workspace); }),
      {"the workspace was made by pinv_workspace"});
}

TEST_F(LstsqMisuse, RightArgumentsAreAccepted) {
  EXPECT_EQ(complaint([&] { (void)carroll::lstsq(exec, A.view(), B.view(), X.view()); }), "");
  EXPECT_EQ(complaint([&] { (void)carroll::lstsq(exec, A.view(), b.view(), x.view()); }), "");
  EXPECT_EQ(complaint([&] { (void)carroll::pinv(exec, A.view(), P.view()); }), "");
  EXPECT_EQ(complaint([&] {
              (void)carroll::lstsq(exec, A.view(), A.view(), Matrix({4, 4}).view());
            }),
            "");  // B may be A
}

TEST_F(LstsqMisuse, Extents) {
  Matrix wide({6, 3}), short_one({5, 2});
  expect_complaint(X, {"carroll::lstsq: ", "B is 5×2, must be 6×2"},
                   [&] { (void)carroll::lstsq(exec, A.view(), short_one.view(), X.view()); });
  expect_complaint(X, {"X is 4×2, must be 4×3"},
                   [&] { (void)carroll::lstsq(exec, A.view(), wide.view(), X.view()); });
  expect_complaint(X, {"carroll::pinv: ", "P is 4×2, must be 4×6"},
                   [&] { (void)carroll::pinv(exec, A.view(), X.view()); });
  expect_words(complaint([&] { (void)carroll::lstsq(exec, A.view(), x.view(), b.view()); }),
               {"B is 4, must be 6"});
}

TEST_F(LstsqMisuse, Aliasing) {
  Matrix square({4, 4});
  expect_complaint(square, {"A and X overlap"}, [&] {
    (void)carroll::lstsq(exec, square.view(), Matrix({4, 4}).view(), square.view());
  });
  expect_complaint(square, {"B and X overlap"}, [&] {
    (void)carroll::lstsq(exec, Matrix({4, 4}).view(), square.view(), square.view());
  });
  expect_complaint(square, {"A and P overlap"},
                   [&] { (void)carroll::pinv(exec, square.view(), square.view()); });
}

TEST_F(LstsqMisuse, Options) {
  auto const call = [&](carroll::LstsqOptions const& options) {
    return [&, options] { (void)carroll::lstsq(exec, A.view(), B.view(), X.view(), options); };
  };
  expect_complaint(X, {"options.rcond is 1.0"}, call({.rcond = 1}));
  expect_complaint(X, {"options.rcond is "},
                   call({.rcond = std::numeric_limits<double>::quiet_NaN()}));
  expect_complaint(X, {"options.max_sweeps is 0"}, call({.max_sweeps = 0}));
}

TEST_F(LstsqMisuse, WorkspaceOfAnotherCall) {
  auto const solve = [&](carroll::LstsqExtents const& extents) {
    return [&, extents] {
      auto workspace = carroll::lstsq_workspace<double>(exec, extents);
      (void)carroll::lstsq(exec, A.view(), B.view(), X.view(), workspace);
    };
  };
  EXPECT_EQ(complaint(solve({.rows = 6, .cols = 4, .rhs = 2})), "");
  expect_words(complaint(solve({.rows = 6, .cols = 5, .rhs = 2})), {"A is 6×4, must be 6×5"});
  expect_words(complaint(solve({.rows = 6, .cols = 4, .rhs = 3})), {"B is 6×2, must be 6×3"});
  expect_words(complaint(solve({.batch = 2, .rows = 6, .cols = 4, .rhs = 2})),
               {"A is for one problem, the workspace was made for a batch of 2"});
  auto solves = carroll::lstsq_workspace<double>(exec, {.rows = 6, .cols = 4, .rhs = 2});
  auto inverts = carroll::pinv_workspace<double>(exec, {.rows = 6, .cols = 4});
  expect_words(complaint([&] { (void)carroll::pinv(exec, A.view(), P.view(), solves); }),
               {"was made by lstsq_workspace"});
  expect_words(
      complaint([&] { (void)carroll::lstsq(exec, A.view(), B.view(), X.view(), inverts); }),
      {"was made by pinv_workspace"});
  expect_words(complaint([&] { (void)carroll::lstsq(exec, A.view(), b.view(), x.view(), solves); }),
               {"B is of one right-hand side, the workspace was made for 2"});
}

TEST_F(LstsqMisuse, UnusableExtents) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  auto const make = [&](carroll::LstsqExtents const& extents) {
    return complaint([&] { (void)carroll::lstsq_workspace<double>(exec, extents); });
  };
  expect_words(make({.rows = -1}), {"the number of rows is -1"});
  expect_words(make({.rhs = most + 1}), {"the number of right-hand sides is 2147483648"});
  expect_words(make({.batch = most, .rows = 1'000'000'000}),
               {"more workspace than can be addressed"});
  expect_words(make({.batch = most, .rhs = 64}), {"too large for one launch"});
}

}  // namespace
