// SPDX-License-Identifier: BSD-3-Clause
// Corners that nobody chose, as vertices and in pictures: each mesh against what it is by
// definition, and against itself with its vertices numbered differently.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/spherical_mesh.hpp>
#include <cmath>
#include <memory>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "hostile/mesh/drawn_mesh.hpp"
#include "hostile/mesh/great_circles.hpp"
#include "hostile/mesh/mesh_oracle.hpp"
#include "hostile/round.hpp"
#include "support/copy.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_mesh";
std::string_view const hostile_about =
    "Spherical meshes of random corners and pictures, against brute force.";
std::string_view const hostile_kinds = "corners,sphere,picture";

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Picture = Kokkos::View<float**, Exec>;
using Mask = Kokkos::View<unsigned char**, Kokkos::LayoutRight, Kokkos::HostSpace>;

using Rows = Kokkos::View<double* [3], Kokkos::HostSpace>;

Rows rows_of(std::vector<Ray> const& rays) {
  Rows rows("carroll_test::vertices", rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) rows(i, k) = rays[i][k];
  return rows;
}

/// A mesh, or why there is none.
std::unique_ptr<HostMesh> mesh_or(std::vector<Ray> const& rays, SphericalMeshOptions const& options,
                                  std::string& refusal) {
  try {
    return std::make_unique<HostMesh>(spherical_mesh(rows_of(rays), options));
  } catch (std::exception const& error) {
    refusal = error.what();
    return nullptr;
  }
}

/// The locator, asked by itself.
void check_locator(Random& random, HostMesh const& mesh, MeshOracle const& oracle, int rays) {
  std::vector<detail::Vec3<double>> points;
  std::vector<detail::Triangle> triangles;
  for (int i = 0; i < mesh.vertices.extent_int(0); ++i)
    points.push_back(detail::row_of(mesh.vertices, i));
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t)
    triangles.push_back(detail::row_of(mesh.triangles, t));
  detail::TriangleLocator const locator(points, triangles);
  for (int i = 0; i < rays; ++i) {
    Ray ray = random_ray(random);
    if (random.chance(0.8)) {
      // Near what is covered; on edges and vertices now and then.
      int const t = random.index(mesh.triangles.extent_int(0));
      double w[3] = {random.uniform(), random.uniform(), random.uniform()};
      if (random.chance(0.2)) w[random.index(3)] = 0;
      if (random.chance(0.1)) w[random.index(3)] = 0;
      if (random.chance(0.2)) w[random.index(3)] *= -1;
      if (w[0] == 0 && w[1] == 0 && w[2] == 0) w[0] = 1;
      Ray sum{};
      for (int k = 0; k < 3; ++k)
        for (std::size_t a = 0; a < 3; ++a)
          sum[a] += w[k] * points[static_cast<std::size_t>(mesh.triangles(t, k))][a];
      if (std::hypot(sum[0], sum[1], sum[2]) > 1e-9) ray = unit(sum);
    }
    oracle.check_ray(ray, locator.find({ray[0], ray[1], ray[2]}));
  }
}

void check_vertices(Round& round, std::vector<Ray> rays, std::string const& what) {
  Random& random = round.random;
  if (random.chance(0.2)) {
    for (Ray& p : rays)
      for (double& x : p) x = static_cast<double>(static_cast<float>(x));
    for (Ray& p : rays) p = unit(p);
  }
  SphericalMeshOptions const options{.samples = random.chance(0.3) ? 0 : some(random, 1, 2000)};
  std::ostringstream where;
  where.precision(17);
  where << what << ", " << rays.size() << " vertices, " << options.samples << " samples";
  auto const complain = [&](std::string const& text) { round.wrong(where.str() + ": " + text); };
  std::string refusal;
  auto const mesh = mesh_or(rays, options, refusal);
  round.checked(1);
  double const height = distance_from_a_great_circle(rays);
  if (!mesh) {
    bool const is_flat = refusal.find("in one plane with the centre") != std::string::npos;
    bool const is_small = refusal.find(" samples found in ") != std::string::npos;
    if (is_small) {
      // A thousandth of the sphere, or less: rightly so if that is what the mesh has.
      std::string none;
      if (auto const bare = mesh_or(rays, {.samples = 0}, none)) {
        MeshOracle const oracle(*bare, complain);
        oracle.check_triangles();
        if (oracle.area() > 2e-3 * 4 * std::numbers::pi) complain(refusal);
        return;
      }
    }
    // Twins count as one, and what they leave may be flat.
    double const least = distance_from_the_nearest_great_circle(rays);
    if (!is_flat || least > (has_twins(rays) ? 0x1p-18 : 0x1p-27)) {
      where << ", " << least << " from a great circle";
      if (rays.size() < 6)
        for (auto const& r : rays) where << " (" << r[0] << " " << r[1] << " " << r[2] << ")";
      complain(refusal);
    }
    return;
  }
  if (height < 0x1p-29) complain("has triangles, though all vertices are on a great circle");
  MeshOracle const oracle(*mesh, complain);
  oracle.check_triangles();
  oracle.check_samples(options.samples);
  if (random.chance(0.1)) oracle.check_none_is_missing(-1, 1, [](Ray const&) { return true; });
  check_locator(random, *mesh, oracle, std::clamp(20'000 / mesh->triangles.extent_int(0), 2, 40));

  auto shuffled = rays;
  random.shuffle(shuffled);
  auto const other = mesh_or(shuffled, {.samples = 0}, refusal);
  if (!other) return complain("numbered differently: " + refusal);
  if (MeshOracle(*other, complain).triangles_by_place() != oracle.triangles_by_place())
    complain("numbered differently, it has other triangles");
}

void corners_round(Round& round) {
  Random& random = round.random;
  int const width = 64 + random.index(2000), height = 64 + random.index(1200);
  auto const [camera, camera_name] = random_camera(random, width, height);
  int const few = 3 + random.index(3);
  int const count = random.chance(0.1) ? few : some(random, 3, random.chance(0.01) ? 5000 : 300);
  std::string layout;
  auto const corners = random_corners(random, camera, count, layout);
  std::vector<Ray> rays;
  for (auto const& [u, v] : corners) {
    auto const s = camera.ray(u, v);
    if (std::isfinite(s[0])) rays.push_back({s[0], s[1], s[2]});
  }
  if (rays.size() < 3) return;
  std::ostringstream what;
  what << "corners " << layout << ", " << width << "x" << height << ", " << camera_name;
  check_vertices(round, rays, what.str());
}

void sphere_round(Round& round) {
  Random& random = round.random;
  std::string layout;
  auto const rays =
      random_points(random, some(random, 3, random.chance(0.01) ? 5000 : 300), layout);
  if (rays.size() >= 3) check_vertices(round, rays, "sphere " + layout);
}

void picture_round(Round& round) {
  Random& random = round.random;
  int const width = 48 + random.index(120), height = 40 + random.index(80);
  auto const [camera, camera_name] = random_camera(random, width, height);
  Picture const image("carroll_test::image", static_cast<std::size_t>(height),
                      static_cast<std::size_t>(width));
  auto const host = Kokkos::create_mirror_view(image);
  std::string painted;
  paint(random, host, painted);
  carroll::test::deep_copy(image, host);
  Mask const mask("carroll_test::mask", static_cast<std::size_t>(height),
                  static_cast<std::size_t>(width));
  bool const masked = random.chance(0.3);
  carroll::test::deep_copy(mask, static_cast<unsigned char>(masked ? 0 : 1));
  if (masked) {
    int const left = random.index(width / 2), top = random.index(height / 2);
    int const right = left + width / 4 + random.index(width / 2);
    int const bottom = top + height / 4 + random.index(height / 2);
    for (int v = top; v < std::min(bottom, height); ++v)
      for (int u = left; u < std::min(right, width); ++u) mask(v, u) = 255;
  }
  SphericalMeshOptions const options{.vertices = some(random, 3, 400),
                                     .samples = some(random, 1, 2000)};
  std::ostringstream where;
  where << "picture of " << painted << ", " << width << "x" << height << ", " << camera_name
        << (masked ? ", masked, " : ", ") << options.vertices << " vertices, " << options.samples
        << " samples";
  auto const complain = [&](std::string const& text) { round.wrong(where.str() + ": " + text); };
  round.checked(1);
  std::unique_ptr<HostMesh> mesh, again;
  try {
    mesh = std::make_unique<HostMesh>(masked ? spherical_mesh(Exec(), image, camera, options, mask)
                                             : spherical_mesh(Exec(), image, camera, options));
    again = std::make_unique<HostMesh>(spherical_mesh(Exec(), image, camera, options, mask));
  } catch (std::exception const& error) {
    // The triangles of the best few corners may lie where the mask hides nearly all.
    bool const hidden = std::string(error.what()).find(" samples found in ") != std::string::npos;
    if (!hidden || !masked || options.vertices > 5) complain(error.what());
    return;
  }
  MeshOracle const oracle(*mesh, complain);
  oracle.check_triangles();
  oracle.check_samples(options.samples);
  auto const visible = [&, &seen_by = camera](Ray const& p) {
    double u = 0, v = 0;
    if (!seen_by.project({p[0], p[1], p[2]}, u, v)) return false;
    int const row = std::clamp(static_cast<int>(std::lround(v)), 0, height - 1);
    int const column = std::clamp(static_cast<int>(std::lround(u)), 0, width - 1);
    return mask(row, column) != 0;
  };
  for (auto const& rays : {mesh->vertices, mesh->samples})
    for (int i = 0; i < rays.extent_int(0); ++i)
      if (!visible({rays(i, 0), rays(i, 1), rays(i, 2)})) {
        complain("has a vertex or sample where nothing is to be seen");
        break;
      }
  if (random.chance(0.2)) oracle.check_none_is_missing(-1, 1, visible);
  // What is visible is covered, but for a seam: 40 vertices are 6 by 6 cells. Pixels at the border
  // of a wide picture see little of the sphere, over which vertices are spread.
  if (options.vertices >= 40 && (painted == "noise" || painted == "nothing")) {
    int seen = 0, covered = 0;
    for (int i = 0; i < 400; ++i) {
      auto const s = camera.ray(random.uniform() * (width - 1), random.uniform() * (height - 1));
      Ray const ray{s[0], s[1], s[2]};
      if (!std::isfinite(s[0]) || !visible(ray)) continue;
      ++seen;
      covered += oracle.depth_in_region(ray) > -1e-12;
    }
    if (covered < 0.4 * seen) {
      std::ostringstream text;
      text << "covers " << covered << " of " << seen << " pixels";
      complain(text.str());
    }
  }
  auto const same = [&](auto const& a, auto const& b) {
    return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
  };
  if (!same(mesh->vertices, again->vertices) || !same(mesh->triangles, again->triangles) ||
      !same(mesh->samples, again->samples) || !same(mesh->weights, again->weights))
    complain("differs from itself made again, with a mask of ones");
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  double const which = round.random.uniform();
  if (kind == "corners" || (kind.empty() && which < 0.6))
    corners_round(round);
  else if (kind == "sphere" || (kind.empty() && which < 0.9))
    sphere_round(round);
  else
    picture_round(round);
}

}  // namespace carroll::test
