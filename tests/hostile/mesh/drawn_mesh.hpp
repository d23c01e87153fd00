// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/camera.hpp>
#include <string>
#include <vector>

#include "hostile/mesh/mesh_oracle.hpp"
#include "support/random.hpp"

/// Cameras, corners, points on the sphere and pictures that nobody chose, each with a name.
namespace carroll::test {

using HostPicture = Kokkos::View<float**, Kokkos::DefaultExecutionSpace>::host_mirror_type;
using Pixel = std::array<double, 2>;

struct SeenBy {
  Camera<double> camera;
  std::string name;
};

Ray unit(Ray const& p);
Ray random_ray(Random& random);
/// Mostly small numbers, some up to `most`.
int some(Random& random, int least, int most);
SeenBy random_camera(Random& random, int width, int height);
/// Corners as pictures have them, and as none should.
std::vector<Pixel> random_corners(Random& random, Camera<double> const& camera, int count,
                                  std::string& name);
/// Points that are given by a symmetry, by halves, or by nothing.
std::vector<Ray> random_points(Random& random, int count, std::string& name);
/// Pictures with borders that attract corners, with little to see, and with what is no number.
void paint(Random& random, HostPicture const& image, std::string& name);

}  // namespace carroll::test
