// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/tracker/drawn_tracks.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/spherical_mesh.hpp>
#include <carroll/synthetic_scene.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <sstream>

#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/tracker/problem.hpp"

namespace carroll::test {

namespace {

using std::numbers::pi;
constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

Camera<double> random_camera(Random& random) {
  int const width = 2 * (24 + random.index(32)), height = 2 * (16 + random.index(20));
  if (random.chance(0.5)) return Camera<double>::equirectangular(width, height);
  bool const pinhole = random.chance(0.5);
  double const f = width * (0.3 + 0.7 * random.uniform());
  return Camera<double>::unified(width, height, f, f, (width - 1) / 2.0, (height - 1) / 2.0,
                                 pinhole ? 0 : 1.2 * random.uniform());
}

using Picture = TrackerPicture<float>;

std::vector<float> to_host(Picture const& picture) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), picture);
  return {host.data(), host.data() + host.size()};
}

/// Rooms are textured once.
SyntheticScene<Exec> const& room(int which) {
  static std::map<int, SyntheticScene<Exec>> known;
  if (known.empty()) Kokkos::push_finalize_hook([] { known.clear(); });
  auto const it = known.find(which);
  if (it != known.end()) return it->second;
  auto patches = which % 2 == 0 ? box_room() : street_canyon();
  for (ScenePatch& patch : patches) patch.contrast = 35;
  return known[which] = synthetic_scene(Exec(), patches, static_cast<std::uint64_t>(which), 8);
}

CameraPose turned(double angle, double x, double y) {
  CameraPose pose;
  double const c = std::cos(angle), s = std::sin(angle);
  pose.rotation = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
  pose.position = {x, y, 0};
  return pose;
}

std::vector<float> seen(Random& random, Camera<double> const& camera, CameraPose const& pose,
                        int which, double noise) {
  auto const h = static_cast<std::size_t>(camera.height),
             w = static_cast<std::size_t>(camera.width);
  Picture const image("carroll_test::image", h, w), range("carroll_test::range", h, w);
  render_scene(Exec(), room(which), camera, pose, image, range);
  if (noise > 0)
    add_noise(Exec(), image, noise, static_cast<std::uint64_t>(random.index(1 << 30)), 1);
  Exec().fence();
  return to_host(image);
}

DirectTrackerOptions random_options(Random& random) {
  DirectTrackerOptions options;
  options.motion = random.chance(0.5) ? TrackerMotion::ackermann : TrackerMotion::se3;
  options.method = random.chance(0.5) ? TrackerMethod::esm : TrackerMethod::gauss_newton;
  options.levels = random.chance(0.6) ? 0 : 1 + random.index(3);
  options.iterations = 2 * std::max(1, options.levels) + random.index(20);
  if (random.chance(0.3)) options.huber = random.chance(0.3) ? 0 : 1 + 30 * random.uniform();
  if (random.chance(0.3)) options.damping = random.chance(0.5) ? 0 : 1e4 * random.uniform();
  if (random.chance(0.3)) options.smoothness = random.chance(0.5) ? 0 : 1e5 * random.uniform();
  if (random.chance(0.3)) options.smoothness_scale = random.chance(0.5) ? 0 : random.uniform();
  if (random.chance(0.2)) options.min_valid = 1.2 * random.uniform();
  if (random.chance(0.2)) options.tolerance = random.chance(0.5) ? 0 : 0.1;
  if (random.chance(0.2)) options.min_matched = 1.2 * random.uniform();
  options.brightness = random.chance(0.8);
  if (random.chance(0.3)) options.black = 0;
  if (random.chance(0.3)) options.white = 255;
  options.search = random.chance(0.3);
  options.search_depths = random.chance(0.7);
  options.known_depths = random.chance(0.3);
  if (random.chance(0.2)) options.max_log_depth_step = 2 * random.uniform() + 1e-3;
  return options;
}

std::vector<double> straight_on(TrackerMotion motion) {
  if (motion == TrackerMotion::ackermann) return {0};
  return {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0};
}

/// 1/range of the walls of the box room, in units of `baseline`.
std::vector<double> depths_in_the_box(SphericalMesh<float> const& mesh, double baseline) {
  double const low[3] = {-4.5, -3.5, -1.2}, high[3] = {5.5, 4.5, 1.8};
  std::vector<double> depths;
  for (std::size_t i = 0; i < mesh.vertices.extent(0); ++i) {
    double range = 1e300;
    for (std::size_t a = 0; a < 3; ++a) {
      auto const d = static_cast<double>(mesh.vertices(i, a));
      if (d != 0) range = std::min(range, (d > 0 ? high[a] : low[a]) / d);
    }
    depths.push_back(baseline / range);
  }
  return depths;
}

}  // namespace

/// Gauss-Newton reaches not
/// much farther than a pixel of the coarsest level, 11 degrees here: of 2416 arcs with
/// 0.2 < |ρ| < 0.3 and chords above 0.45 m it left a quarter at more than twice the cost that ESM
/// finds, in places from which more passes do not lead to the truth, and 7 of them were off by more
/// than half a degree. Below 0.15 none of 2147 was off by more than 0.2, nor was ESM up to 0.3.
DrawnTrack easy_problem(Random& random) {
  DrawnTrack problem;
  problem.easy = true;
  problem.options.motion = random.chance(0.5) ? TrackerMotion::ackermann : TrackerMotion::se3;
  problem.options.method = random.chance(0.5) ? TrackerMethod::esm : TrackerMethod::gauss_newton;
  double const sharpest = problem.options.method == TrackerMethod::esm ? 0.3 : 0.15;
  problem.camera = Camera<double>::equirectangular(256, 128);
  problem.mesh = icosphere(3, 20 + random.index(20), static_cast<unsigned>(random.index(1000)));
  double const baseline = 0.3 + 0.3 * random.uniform();
  problem.rho = sharpest * random.symmetric();
  int const which = 2 * random.index(4);
  problem.pictures = {
      256,
      128,
      seen(random, problem.camera, {}, which, 0.5),
      seen(random, problem.camera, ackermann_step({}, problem.rho, baseline), which, 0.5),
      {},
      {}};
  problem.depth = depths_in_the_box(problem.mesh, baseline);
  for (double& z : problem.depth) z *= 1 + 0.1 * random.symmetric();
  problem.motion = straight_on(problem.options.motion);
  std::ostringstream name;
  name << "easy, room " << which << ", rho " << problem.rho << ", baseline " << baseline;
  problem.name = name.str();
  return problem;
}

DrawnTrack any_problem(Random& random) {
  DrawnTrack problem;
  problem.camera = random_camera(random);
  problem.options = random_options(random);
  Camera<double> const& camera = problem.camera;
  CameraPose const first =
      turned(2 * pi * random.uniform(), 2 * random.symmetric(), 2 * random.symmetric());
  CameraPose const second = ackermann_step(first, 1.5 * random.symmetric(), random.uniform());
  int const which = random.index(8);
  double const noise = random.chance(0.5) ? 0 : 5 * random.uniform();
  problem.pictures = {camera.width,
                      camera.height,
                      seen(random, camera, first, which, noise),
                      seen(random, camera, second, which, noise),
                      {},
                      {}};
  std::string mesh_name = "icosphere";
  if (random.chance(0.5)) {
    problem.mesh =
        icosphere(1 + random.index(4), random.index(30), static_cast<unsigned>(random.index(1000)));
  } else {
    // Of the picture itself.
    mesh_name = "its own mesh";
    TrackerPicture<float> const image("carroll_test::image",
                                      static_cast<std::size_t>(camera.height),
                                      static_cast<std::size_t>(camera.width));
    auto const host = Kokkos::create_mirror_view(image);
    std::ranges::copy(problem.pictures.reference, host.data());
    carroll::test::deep_copy(image, host);
    problem.mesh = mesh_on<float>(
        Kokkos::DefaultHostExecutionSpace(),
        spherical_mesh(Exec(), image, camera,
                       {.vertices = 10 + random.index(200), .samples = random.index(4000)}));
  }
  double const start = std::pow(10, 2 * random.symmetric() - 1);
  for (std::size_t i = 0; i < problem.mesh.vertices.extent(0); ++i)
    problem.depth.push_back(start * std::exp(0.5 * random.symmetric()));
  problem.motion = straight_on(problem.options.motion);
  std::ostringstream name;
  name << "any, room " << which << ", noise " << noise << ", depth " << start << ", " << mesh_name;
  problem.name = name.str();
  return problem;
}

DrawnTrack special_problem(Random& random) {
  DrawnTrack problem = any_problem(random);
  auto &reference = problem.pictures.reference, &current = problem.pictures.current;
  auto const anywhere = [&](std::vector<float>& picture) -> float& {
    return picture[static_cast<std::size_t>(random.index(static_cast<int>(picture.size())))];
  };
  auto& one = random.chance(0.5) ? reference : current;
  auto const fill = [&](std::vector<float>& picture, auto const& grey) {
    for (float& x : picture) x = static_cast<float>(grey());
  };
  switch (random.index(12)) {
    case 0:
      problem.name = "black";
      fill(reference, [] { return 0; });
      fill(current, [] { return 0; });
      break;
    case 1:
      problem.name = "one constant";
      fill(one, [] { return 128; });
      break;
    case 2:
      problem.name = "a NaN";
      anywhere(one) = std::numeric_limits<float>::quiet_NaN();
      break;
    case 3:
      problem.name = "an infinity";
      anywhere(one) = static_cast<float>(random.sign()) * std::numeric_limits<float>::infinity();
      break;
    case 4:
      problem.name = "noise";
      fill(reference, [&] { return 255 * random.uniform(); });
      fill(current, [&] { return 255 * random.uniform(); });
      break;
    case 5: {
      double const size = std::pow(10, 38 * random.uniform());
      problem.name = "huge grey levels";
      fill(one, [&] { return size * random.symmetric(); });
      break;
    }
    case 6:
      problem.name = "tiny grey levels";
      for (float& x : reference) x *= 1e-30F;
      for (float& x : current) x *= 1e-30F;
      break;
    case 7: {
      problem.name = "a depth that is none";
      constexpr double bad[] = {0, -1, nan_, HUGE_VAL};
      problem
          .depth[static_cast<std::size_t>(random.index(static_cast<int>(problem.depth.size())))] =
          bad[random.index(4)];
      problem.bad_input = true;
      break;
    }
    case 8: {
      problem.name = "a motion that is none";
      constexpr double bad[] = {nan_, HUGE_VAL, -HUGE_VAL};
      problem
          .motion[static_cast<std::size_t>(random.index(static_cast<int>(problem.motion.size())))] =
          bad[random.index(3)];
      problem.bad_input = true;
      break;
    }
    case 9:
      problem.name = "depths of all sizes";
      for (double& z : problem.depth) z = std::pow(10, 30 * random.symmetric());
      break;
    case 10:
      problem.name = "a long motion";
      if (problem.motion.size() == 1)
        problem.motion[0] = 1.999999 * random.sign();
      else
        problem.motion[static_cast<std::size_t>(3 + 4 * random.index(3))] =
            random.sign() * std::pow(10, 30 * random.uniform());
      break;
    default:
      problem.name = "turned round";
      if (problem.motion.size() > 1) problem.motion = {-1, 0, 0, 1, 0, -1, 0, 0, 0, 0, 1, 0};
  }
  problem.name = "special, " + problem.name;
  return problem;
}

}  // namespace carroll::test
