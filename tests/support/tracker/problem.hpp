// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/synthetic_scene.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "direct_tracker_instances.hpp"
#include "support/copy.hpp"

/// Two images of a synthetic room of which the motion and the depths are known, and a mesh of
/// samples, for the tests of the direct tracker.
namespace carroll::test {

using Vector3 = std::array<double, 3>;

/// An icosahedron whose faces are cut in n² triangles: 10n² + 2 vertices, 20n² triangles; in each
/// triangle `per_triangle` samples at random places.
inline SphericalMesh<float> icosphere(int n, int per_triangle, unsigned seed = 1) {
  double const g = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vector3> const corner = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                       {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                       {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  int const face[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                           {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                           {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                           {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  auto const unit = [](Vector3 x) {
    double const norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    return Vector3{x[0] / norm, x[1] / norm, x[2] / norm};
  };
  std::map<std::array<long, 3>, int> known;
  std::vector<Vector3> vertices;
  auto const vertex = [&](Vector3 const& x) {
    std::array<long, 3> key;
    for (int a = 0; a < 3; ++a) key[a] = std::lround(x[a] * 1e8);
    auto const [it, fresh] = known.try_emplace(key, static_cast<int>(vertices.size()));
    if (fresh) vertices.push_back(unit(x));
    return it->second;
  };
  std::vector<std::array<int, 3>> triangles;
  for (auto const& f : face) {
    auto const at = [&](int i, int j) {
      Vector3 x;
      for (int a = 0; a < 3; ++a)
        x[a] = ((n - i - j) * corner[f[0]][a] + i * corner[f[1]][a] + j * corner[f[2]][a]) / n;
      return vertex(x);
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
        if (i + j + 1 < n) triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
      }
  }
  SphericalMesh<float> mesh;
  std::size_t const m = vertices.size(), t = triangles.size(), samples = t * per_triangle;
  mesh.vertices = decltype(mesh.vertices)("test::vertices", m);
  mesh.triangles = decltype(mesh.triangles)("test::triangles", t);
  mesh.samples = decltype(mesh.samples)("test::samples", samples);
  mesh.triangle_offsets = decltype(mesh.triangle_offsets)("test::triangle_offsets", t + 1);
  mesh.weights = decltype(mesh.weights)("test::weights", samples);
  for (std::size_t i = 0; i < m; ++i)
    for (int a = 0; a < 3; ++a) mesh.vertices(i, a) = static_cast<float>(vertices[i][a]);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < t; ++i) {
    for (int k = 0; k < 3; ++k) mesh.triangles(i, k) = triangles[i][k];
    for (int j = 0; j < per_triangle; ++j) {
      double p = uniform(generator), q = uniform(generator);
      if (p + q > 1) p = 1 - p, q = 1 - q;
      double const b[3] = {1 - p - q, p, q};
      Vector3 x = {0, 0, 0};
      for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a) x[a] += b[k] * vertices[triangles[i][k]][a];
      double const norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
      std::size_t const row = i * per_triangle + j;
      for (int a = 0; a < 3; ++a) {
        mesh.samples(row, a) = static_cast<float>(x[a] / norm);
        mesh.weights(row, a) = static_cast<float>(b[a] / norm);
      }
    }
    mesh.triangle_offsets(i + 1) = static_cast<int>((i + 1) * per_triangle);
  }
  return mesh;
}

template <class Pixel, class Layout = Kokkos::LayoutRight>
using TrackerPicture = Kokkos::View<Pixel**, Layout, typename Kokkos::DefaultExecutionSpace>;

/// What is seen from the origin of the box room, and after an arc of curvature `rho` whose chord is
/// `baseline` metres.
struct TrackerProblem {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Picture = TrackerPicture<float>;

  Camera<double> camera;
  double rho = 0;
  SphericalMesh<float> host_mesh;
  SphericalMesh<float, typename Exec::memory_space> mesh;
  Picture reference, current;
  std::vector<double> depths;  ///< ζ of the vertices, in units of the baseline

  TrackerProblem(Camera<double> const& seen_by, int subdivisions, int per_triangle,
                 double curvature, double baseline, double noise)
      : camera(seen_by), rho(curvature), host_mesh(icosphere(subdivisions, per_triangle)) {
    mesh = mesh_on<float>(Exec(), host_mesh);
    std::tie(reference, current) = pictures(camera, rho, baseline, noise);
    double const low[3] = {-4.5, -3.5, -1.2}, high[3] = {5.5, 4.5, 1.8};
    for (std::size_t i = 0; i < host_mesh.vertices.extent(0); ++i) {
      double range = 1e300;
      for (int a = 0; a < 3; ++a) {
        double const d = static_cast<double>(host_mesh.vertices(i, a));
        if (d != 0) range = std::min(range, (d > 0 ? high[a] : low[a]) / d);
      }
      depths.push_back(baseline / range);
    }
  }

  /// What of a room's pictures is wanted twice is rendered once: that takes longer than most that
  /// is done with them. So nobody writes into them.
  static std::pair<Picture, Picture> pictures(Camera<double> const& camera, double rho,
                                              double baseline, double noise) {
    using Key = std::array<double, 11>;
    static std::map<Key, std::pair<Picture, Picture>> known;
    Key const key{double(camera.model),
                  double(camera.width),
                  double(camera.height),
                  camera.fx,
                  camera.fy,
                  camera.cx,
                  camera.cy,
                  camera.chi,
                  rho,
                  baseline,
                  noise};
    if (auto const it = known.find(key); it != known.end()) return it->second;

    Exec const exec;
    auto patches = box_room();
    for (ScenePatch& patch : patches) patch.contrast = 35;
    auto const scene = synthetic_scene(exec, patches, 5);
    auto const take = [&](CameraPose const& pose, std::uint32_t frame) {
      Picture const image("carroll_test::image", camera.height, camera.width);
      Picture const range("carroll_test::range", camera.height, camera.width);
      render_scene(exec, scene, camera, pose, image, range);
      if (noise > 0) add_noise(exec, image, noise, 1, frame);
      exec.fence();
      return image;
    };
    if (known.empty()) Kokkos::push_finalize_hook([] { known.clear(); });
    return known[key] = {take({}, 1), take(ackermann_step({}, rho, baseline), 2)};
  }

  /// The grey levels as a camera gives them.
  template <class Layout = Kokkos::LayoutRight>
  static TrackerPicture<std::uint8_t, Layout> rounded(Picture const& image) {
    TrackerPicture<std::uint8_t, Layout> const bytes("carroll_test::bytes", image.extent(0),
                                                     image.extent(1));
    auto const from = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), image);
    auto const to = Kokkos::create_mirror_view(bytes);
    for (std::size_t v = 0; v < image.extent(0); ++v)
      for (std::size_t u = 0; u < image.extent(1); ++u)
        to(v, u) = static_cast<std::uint8_t>(std::lround(std::clamp(from(v, u), 0.0F, 255.0F)));
    carroll::test::deep_copy(bytes, to);
    return bytes;
  }
};

/// A motion and depths on the device, and how far they are from the truth.
struct TrackedState {
  using Exec = Kokkos::DefaultExecutionSpace;
  Kokkos::View<double*, Exec> motion;
  Kokkos::View<double*, Exec> depth;

  /// A start: no turn, and depths that are `wrong` times, or a `wrong`-th of, the true ones.
  TrackedState(TrackerProblem const& problem, TrackerMotion kind, double wrong)
      : motion("carroll_test::motion", kind == TrackerMotion::ackermann ? 1 : 12),
        depth("carroll_test::depth", problem.depths.size()) {
    auto const m = Kokkos::create_mirror_view(motion);
    carroll::test::deep_copy(m, 0.0);
    if (kind == TrackerMotion::se3) m(0) = m(5) = m(10) = m(3) = 1;
    auto const z = Kokkos::create_mirror_view(depth);
    std::mt19937 generator(7);
    for (std::size_t i = 0; i < problem.depths.size(); ++i)
      z(i) = problem.depths[i] * (generator() % 2 == 0 ? wrong : 1 / wrong);
    carroll::test::deep_copy(motion, m);
    carroll::test::deep_copy(depth, z);
  }

  [[nodiscard]] auto view() const { return DirectTrackerState{motion, depth}; }
  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> all;
    for (auto const& view : {motion, depth}) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
      all.insert(all.end(), host.data(), host.data() + host.size());
    }
    return all;
  }

  /// Degrees between the true and the tracked turn about the vertical.
  [[nodiscard]] double heading_error(TrackerProblem const& problem) const {
    auto const m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), motion);
    double const turn = m.extent(0) == 1 ? 2 * std::asin(m(0) / 2) : std::atan2(m(4), m(0));
    return std::abs(turn - 2 * std::asin(problem.rho / 2)) * 180 / 3.14159265358979324;
  }
  /// Of |ζ/ζ_true - 1|, after the baseline is made 1: the median, or another quantile.
  [[nodiscard]] double depth_error(TrackerProblem const& problem, double quantile = 0.5) const {
    auto const m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), motion);
    auto const z = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), depth);
    double const baseline = m.extent(0) == 1 ? 1 : std::hypot(m(3), m(7), m(11));
    std::vector<double> errors;
    for (std::size_t i = 0; i < problem.depths.size(); ++i)
      errors.push_back(std::abs(z(i) * baseline / problem.depths[i] - 1));
    std::sort(errors.begin(), errors.end());
    return errors[static_cast<std::size_t>(quantile * static_cast<double>(errors.size() - 1))];
  }
};

}  // namespace carroll::test
