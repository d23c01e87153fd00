// SPDX-License-Identifier: BSD-3-Clause
// Vertices, options, images and masks that cannot be: errors that say what is wrong.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/spherical_mesh.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "misuse/complaint.hpp"

namespace {

using carroll::Camera;
using carroll::spherical_mesh;
using carroll::SphericalMeshOptions;
using carroll::test::complaint;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Point = std::array<double, 3>;

std::string complaint_of(std::vector<Point> const& points, SphericalMeshOptions const& options) {
  Kokkos::View<double* [3], Kokkos::HostSpace> const rows("carroll_test::points", points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) rows(i, k) = points[i][k];
  return complaint([&] { (void)spherical_mesh(rows, options); });
}

/// The octahedron.
std::vector<Point> const good = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                 {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};

TEST(SphericalMeshMisuse, Vertices) {
  EXPECT_EQ(complaint_of(good, {.samples = 5}), "");
  EXPECT_EQ(complaint_of({{1, 0, 0}, {0, 1, 0}}, {}),
            "carroll::spherical_mesh: options.vertices is 2, must be at least 3");
  auto bad = good;
  bad[3][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint_of(bad, {}),
            "carroll::spherical_mesh: vertex 3 has length nan, must be a unit vector");
  EXPECT_THROW((void)complaint_of({{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}}, {.samples = 5}),
               std::runtime_error);
  Kokkos::View<double**, Kokkos::HostSpace> const wide("carroll_test::points", 5, 4);
  EXPECT_EQ(complaint([&] { (void)spherical_mesh(wide); }),
            "carroll::spherical_mesh: vertices is 5×4, must be 5×3");
}

TEST(SphericalMeshMisuse, Options) {
  EXPECT_EQ(complaint_of(good, {.samples = -1}),
            "carroll::spherical_mesh: options.samples is -1, must not be negative");
  EXPECT_EQ(complaint_of(good, {.min_elevation = 1, .max_elevation = -1}),
            "carroll::spherical_mesh: options give elevations from 1.000000 to -1.000000, must "
            "rise, within -π/2 to π/2");
  // One triangle above, samples below.
  std::string const text =
      complaint_of({{1, 0, 0.0}, {0, 1, 0}, {0, 0, 1}}, {.samples = 5, .max_elevation = -0.1});
  EXPECT_NE(text.find("only 0 of 5 samples found in 15000 rays"), std::string::npos) << text;
}

TEST(SphericalMeshMisuse, ImageAndMask) {
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> const image("carroll_test::image",
                                                                            10, 20);
  auto const other = Camera<double>::equirectangular(20, 11);
  EXPECT_EQ(complaint([&] { (void)spherical_mesh(Exec(), image, other); }),
            "carroll::spherical_mesh: image is 10×20, must be 11×20");
  auto const camera = Camera<double>::equirectangular(20, 10);
  Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> const small("carroll_test::mask", 9,
                                                                          20);
  EXPECT_EQ(complaint([&] { (void)spherical_mesh(Exec(), image, camera, {}, small); }),
            "carroll::spherical_mesh: mask is 9×20, must be 10×20");
  Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> const nothing("carroll_test::mask",
                                                                            10, 20);
  std::string const text =
      complaint([&] { (void)spherical_mesh(Exec(), image, camera, {.vertices = 5}, nothing); });
  EXPECT_NE(text.find("only 0 of 5 vertices found"), std::string::npos) << text;
}

}  // namespace
