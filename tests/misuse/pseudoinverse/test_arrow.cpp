// SPDX-License-Identifier: BSD-3-Clause
// Wrong extents, workspaces, options and aliasing: std::invalid_argument with the actual and the
// required sizes, and nothing written.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "misuse/complaint.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseOptions;
using carroll::RobustWeight;
using Left = Kokkos::LayoutLeft;

struct Views {
  Kokkos::View<double**, Left, Memory> motion{"carroll_test::motion", 20, 2};
  Kokkos::View<double*, Memory> depth{"carroll_test::depth", 20};
  Kokkos::View<int*, Memory> offsets{"carroll_test::offsets", 4};
  GuardedView<double, 1, Left> d{{20}}, y{{2}}, xi{{3}};

  [[nodiscard]] auto jacobian() const { return carroll::ArrowJacobian{motion, depth, offsets}; }
  template <class... Options>
  std::string apply(Options&&... options) const {
    return complaint([&] {
      (void)carroll::apply_pseudoinverse(Exec(), jacobian(), d.view(),
                                         carroll::ArrowSolution{y.view(), xi.view()}, options...);
    });
  }
  void expect_untouched() {
    y.to_host();
    xi.to_host();
    EXPECT_TRUE(y.untouched());
    EXPECT_TRUE(xi.untouched());
  }
};

TEST(PseudoinverseMisuse, ExtentsThatDoNotFit) {
  Views views;
  views.depth = Kokkos::View<double*, Memory>("carroll_test::depth", 19);
  EXPECT_EQ(views.apply(), "carroll::apply_pseudoinverse: A.depth is 19, must be 20");
  views.expect_untouched();
  Views other;
  other.d = GuardedView<double, 1, Left>({21});
  EXPECT_EQ(other.apply(), "carroll::apply_pseudoinverse: d is 21, must be 20");
  Views outputs;
  outputs.y = GuardedView<double, 1, Left>({3});
  EXPECT_EQ(outputs.apply(), "carroll::apply_pseudoinverse: x.motion is 3, must be 2");
  outputs.expect_untouched();
  Views depths;
  depths.xi = GuardedView<double, 1, Left>({4});
  EXPECT_EQ(depths.apply(), "carroll::apply_pseudoinverse: x.depth is 4, must be 3");
  Views none;
  none.offsets = Kokkos::View<int*, Memory>("carroll_test::offsets", 0);
  EXPECT_EQ(none.apply(),
            "carroll::apply_pseudoinverse: A.segment_offsets is empty, must have one entry more "
            "than there are depths");
  none.expect_untouched();
  Views columns;
  columns.motion = Kokkos::View<double**, Left, Memory>("carroll_test::motion", 20, 0);
  EXPECT_EQ(columns.apply(),
            "carroll::apply_pseudoinverse: the number of motion columns is 0, must be at least 1");
}

TEST(PseudoinverseMisuse, WorkspacesForOtherProblems) {
  Views views;
  auto workspace =
      carroll::pseudoinverse_workspace<double>(Exec(), {.rows = 20, .motions = 1, .depths = 3});
  EXPECT_EQ(views.apply(workspace),
            "carroll::apply_pseudoinverse: the problem is 1×20×2×3×1, the workspace was made for "
            "1×20×1×3×1 (frames×rows×motions×depths×right-hand sides)");
  carroll::PseudoinverseWorkspace<Exec, double> nobodys;
  EXPECT_NE(views.apply(nobodys), "");
  auto not_dense =
      carroll::pseudoinverse_workspace<double>(Exec(), {.rows = 20, .motions = 2, .depths = 3});
  Kokkos::View<double**, Memory> const inverse("carroll_test::inverse", 5, 20);
  EXPECT_EQ(complaint([&] {
              (void)carroll::pseudoinverse(Exec(), views.jacobian(), inverse, not_dense);
            }),
            "carroll::pseudoinverse: the workspace was made without room for A⁺: extents.dense is "
            "false");
  views.expect_untouched();
}

TEST(PseudoinverseMisuse, InverseOfAnotherExtent) {
  Views const views;
  Kokkos::View<double**, Memory> const inverse("carroll_test::inverse", 20, 5);
  EXPECT_EQ(complaint([&] { (void)carroll::pseudoinverse(Exec(), views.jacobian(), inverse); }),
            "carroll::pseudoinverse: the inverse is 20×5, must be 5×20");
}

TEST(PseudoinverseMisuse, UnusableOptions) {
  Views views;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  using Options = PseudoinverseOptions;
  EXPECT_NE(views.apply(Options{.damping = -1}).find("damping is -1"), std::string::npos);
  EXPECT_NE(views.apply(Options{.damping = nan}).find("damping is nan"), std::string::npos);
  EXPECT_NE(views.apply(Options{.weight = RobustWeight::huber}).find("weight_scale is 0"),
            std::string::npos);
  EXPECT_NE(views.apply(Options{.cutoff = 1}).find("cutoff is 1"), std::string::npos);
  EXPECT_NE(views.apply(Options{.method = static_cast<carroll::PseudoinverseMethod>(7)})
                .find("method is 7"),
            std::string::npos);
  EXPECT_NE(views.apply(Options{.path = static_cast<carroll::PseudoinversePath>(9)})
                .find("path is 9, must be an enumerator of PseudoinversePath"),
            std::string::npos);
  EXPECT_EQ(views.apply(Options{.path = carroll::PseudoinversePath::segment_sums}),
            "carroll::apply_pseudoinverse: options.path is segment_sums, which is for three or six "
            "motion columns by cholesky_qr or normal_equations, on GPUs with warps");
  EXPECT_EQ(views.apply(Options{.method = carroll::PseudoinverseMethod::cholesky_qr}),
            "carroll::apply_pseudoinverse: options.method is cholesky_qr, which is for one motion "
            "column, and for three or six on GPUs with warps");
  Kokkos::View<double**, Memory> const inverse("carroll_test::inverse", 5, 20);
  EXPECT_NE(complaint([&] {
              (void)carroll::pseudoinverse(
                  Exec(), views.jacobian(), inverse,
                  Options{.weight = RobustWeight::tukey, .weight_scale = 1});
            }).find("weights need residuals"),
            std::string::npos);
  views.expect_untouched();
}

TEST(PseudoinverseMisuse, OutputsThatShareMemory) {
  Views views;
  auto const apply = [&](auto const& y, auto const& xi) {
    return complaint([&] {
      (void)carroll::apply_pseudoinverse(Exec(), views.jacobian(), views.d.view(),
                                         carroll::ArrowSolution{y, xi});
    });
  };
  auto const part = [](auto const& view, int first, int count) {
    return Kokkos::subview(view, std::pair(first, first + count));
  };
  EXPECT_EQ(
      apply(views.y.view(), part(views.d.view(), 4, 3)),
      "carroll::apply_pseudoinverse: d and x.depth overlap; each must have memory of its own");
  EXPECT_EQ(apply(part(views.depth, 0, 2), part(views.xi.view(), 0, 3)),
            "carroll::apply_pseudoinverse: A.depth and x.motion overlap; each must have memory of "
            "its own");
  views.expect_untouched();
}

TEST(PseudoinverseMisuse, UnusableExtents) {
  auto const made = [](carroll::PseudoinverseExtents extents) {
    return complaint([&] { (void)carroll::pseudoinverse_workspace<double>(Exec(), extents); });
  };
  EXPECT_EQ(made({.rows = -1}),
            "carroll::pseudoinverse_workspace: the number of rows is -1, must be from 0 to "
            "2147483647");
  EXPECT_NE(made({.frames = 2147483647, .rows = 2147483647}).find("are too large"),
            std::string::npos);
}

}  // namespace
