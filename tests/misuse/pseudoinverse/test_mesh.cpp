// SPDX-License-Identifier: BSD-3-Clause
// Wrong extents, workspaces, options and aliasing of steps on meshes and of fused steps:
// std::invalid_argument with the actual and the required sizes, and nothing written.
#include <gtest/gtest.h>

#include <carroll/fused_pseudoinverse.hpp>
#include <limits>
#include <stdexcept>
#include <string>

#include "misuse/complaint.hpp"
#include "support/pseudoinverse/mesh_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::MeshExtents;
using carroll::MeshOptions;
using Left = Kokkos::LayoutLeft;

auto one_triangle() {
  return carroll::mesh_triangulation(Exec(), to_device({{{0, 1, 2}}}), 3);
}

template <int K>
struct Rows {
  struct OfTriangle {
    KOKKOS_FUNCTION carroll::MeshRow<double, K> operator()(int) const { return {}; }
  };
  KOKKOS_FUNCTION OfTriangle operator()(int, int) const { return {}; }
};

template <int K>
struct ArrowRows {
  KOKKOS_FUNCTION carroll::ArrowRow<double, K> operator()(int, int) const { return {}; }
};

struct Views {
  Kokkos::View<double**, Left, Memory> motion{"carroll_test::motion", 20, 2};
  Kokkos::View<double**, Left, Memory> depth{"carroll_test::depth", 20, 3};
  Kokkos::View<int*, Memory> offsets{"carroll_test::offsets", 2};
  GuardedView<double, 1, Left> d{{20}}, y{{2}}, xi{{3}};
  carroll::MeshWorkspace<Exec, double> workspace =
      carroll::mesh_workspace<double>(Exec(), one_triangle(), {.rows = 20, .motions = 2});

  std::string apply() {
    return complaint([&] {
      (void)carroll::apply_pseudoinverse(Exec(), carroll::MeshJacobian{motion, depth, offsets},
                                         d.view(), carroll::ArrowSolution{y.view(), xi.view()},
                                         workspace);
    });
  }
  void expect_untouched() {
    y.to_host();
    xi.to_host();
    EXPECT_TRUE(y.untouched());
    EXPECT_TRUE(xi.untouched());
  }
};

TEST(MeshMisuse, ExtentsThatDoNotFit) {
  Views views;
  views.depth = Kokkos::View<double**, Left, Memory>("carroll_test::depth", 20, 2);
  EXPECT_EQ(views.apply(), "carroll::apply_pseudoinverse: A.depth is 20×2, must be 20×3");
  views.expect_untouched();
  Views motions;
  motions.motion = Kokkos::View<double**, Left, Memory>("carroll_test::motion", 20, 3);
  EXPECT_EQ(motions.apply(), "carroll::apply_pseudoinverse: A.motion is 20×3, must be 20×2");
  Views rhs;
  rhs.d = GuardedView<double, 1, Left>({21});
  EXPECT_EQ(rhs.apply(), "carroll::apply_pseudoinverse: d is 21, must be 20");
  Views offsets;
  offsets.offsets = Kokkos::View<int*, Memory>("carroll_test::offsets", 3);
  EXPECT_EQ(offsets.apply(), "carroll::apply_pseudoinverse: triangle_offsets is 3, must be 2");
  offsets.expect_untouched();
  Views output;
  output.xi = GuardedView<double, 1, Left>({4});
  EXPECT_EQ(output.apply(), "carroll::apply_pseudoinverse: x.depth is 4, must be 3");
  Views window;
  window.workspace = carroll::mesh_workspace<double>(Exec(), one_triangle(),
                                                     {.frames = 2, .rows = 20, .motions = 1});
  EXPECT_EQ(window.apply(),
            "carroll::apply_pseudoinverse: the workspace is for 2 frames, A.motion must have the "
            "frame as first index");
  Views many;
  many.workspace =
      carroll::mesh_workspace<double>(Exec(), one_triangle(), {.rows = 20, .motions = 9});
  many.motion = Kokkos::View<double**, Left, Memory>("carroll_test::motion", 20, 9);
  many.y = GuardedView<double, 1, Left>({9});
  EXPECT_EQ(many.apply(),
            "carroll::apply_pseudoinverse: A.motion has 9 columns, must have from 1 to 8; a row "
            "functor may have more");
}

TEST(MeshMisuse, OutputsThatShareMemory) {
  Views views;
  auto const shared = complaint([&] {
    (void)carroll::apply_pseudoinverse(
        Exec(), carroll::MeshJacobian{views.motion, views.depth, views.offsets}, views.d.view(),
        carroll::ArrowSolution{views.y.view(),
                               Kokkos::subview(views.d.view(), Kokkos::pair<int, int>(4, 7))},
        views.workspace);
  });
  EXPECT_EQ(
      shared,
      "carroll::apply_pseudoinverse: x.depth and d overlap; each must have memory of its own");
}

TEST(MeshMisuse, FunctorsThatDoNotFitTheWorkspace) {
  Views views;
  EXPECT_EQ(
      complaint(
          [&] { carroll::mesh_moments_async(Exec(), views.offsets, Rows<3>{}, views.workspace); }),
      "carroll::mesh_moments_async: rows have 3 motion columns, the workspace was made for 2");
  auto arrow = carroll::pseudoinverse_workspace<double>(
      Exec(), {.frames = 2, .rows = 20, .motions = 2, .depths = 1});
  carroll::ArrowSolution const x{views.y.view(),
                                 Kokkos::subview(views.xi.view(), Kokkos::pair<int, int>(0, 1))};
  EXPECT_EQ(complaint([&] {
              (void)carroll::apply_pseudoinverse(
                  Exec(), carroll::FusedArrowJacobian{ArrowRows<1>{}, views.offsets}, x, arrow);
            }),
            "carroll::apply_pseudoinverse: rows have 1 motion columns, the workspace was made for "
            "2");
  EXPECT_EQ(complaint([&] {
              (void)carroll::apply_pseudoinverse(
                  Exec(), carroll::FusedArrowJacobian{ArrowRows<2>{}, views.offsets}, x, arrow);
            }),
            "carroll::apply_pseudoinverse: the workspace was made for 2 frames, x must have the "
            "frame as first index");
  views.expect_untouched();
}

TEST(MeshMisuse, TriangulationsAndExtents) {
  EXPECT_EQ(complaint([] {
              (void)carroll::mesh_triangulation(Exec(), to_device({{{0, 1, 2}}, {{2, 1, 3}}}), 3);
            }),
            "carroll::mesh_triangulation: corner 2 of triangle 1 is vertex 3, must be from 0 to "
            "below 3");
  EXPECT_EQ(complaint([] {
              (void)carroll::mesh_triangulation(
                  Exec(), Kokkos::View<int**, Memory>("carroll_test::triangles", 4, 2), 3);
            }),
            "carroll::mesh_triangulation: the last extent of triangles is 2, must be 3");
  auto const made = [](MeshExtents const& extents, MeshOptions const& options = {}) {
    return complaint(
        [&] { (void)carroll::mesh_workspace<float>(Exec(), one_triangle(), extents, options); });
  };
  EXPECT_EQ(made({.frames = 0}),
            "carroll::mesh_workspace: the number of frames is 0, must be at least 1");
  EXPECT_EQ(made({.motions = 0}),
            "carroll::mesh_workspace: the number of motion columns is 0, must be at least 1");
  EXPECT_EQ(made({.rows = -1}),
            "carroll::mesh_workspace: the number of rows is -1, must be from 0 to 2147483647");
  EXPECT_EQ(made({}, {.damping = -1}),
            "carroll::mesh_workspace: options.damping is -1.000000, must be finite and not "
            "negative");
  EXPECT_EQ(made({}, {.smoothness = std::numeric_limits<double>::infinity()}),
            "carroll::mesh_workspace: options.smoothness is inf, must be finite and not negative");
  EXPECT_EQ(
      made({}, {.smoothness_scale = -1}),
      "carroll::mesh_workspace: options.smoothness_scale is -1.000000, must be finite and not "
      "negative");
  EXPECT_EQ(made({}, {.tolerance = 1}),
            "carroll::mesh_workspace: options.tolerance is 1.000000, must be from 0 to below 1");
  EXPECT_EQ(made({}, {.max_iterations = -1}),
            "carroll::mesh_workspace: options.max_iterations is -1, must not be negative");
  // Columns of a problem beyond what an int counts, though each of the extents is small enough.
  auto const many = carroll::mesh_triangulation(Exec(), to_device({{{0, 1, 2}}}), 220'000);
  EXPECT_EQ(complaint([&] {
              (void)carroll::mesh_workspace<float>(Exec(), many, {.frames = 11, .motions = 900});
            }),
            "carroll::mesh_workspace: extents 1×11×0×900×220000×1 "
            "(problems×frames×rows×motions×vertices×triangles) are too large");
  carroll::MeshWorkspace<Exec, double> nobody_made_it;
  Views views;
  views.workspace = nobody_made_it;
  EXPECT_NE(views.apply(), "");
  views.expect_untouched();
}

}  // namespace
