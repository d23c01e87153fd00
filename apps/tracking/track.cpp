// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/track.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/direct_tracker.hpp>
#include <carroll/spherical_mesh.hpp>
#include <cmath>
#include <limits>

#include "tracking/pictures/dense.hpp"
#include "tracking/pictures/lens_pictures.hpp"
#include "tracking/pictures/track_pictures.hpp"
#include "tracking/start/start_depths.hpp"
#include "tracking/window.hpp"

namespace carroll::tool {

namespace {

using ExecSpace = Kokkos::DefaultExecutionSpace;
/// Where the camera of the current picture is, in the axes of the reference, in baselines.
struct Motion {
  std::array<std::array<double, 3>, 3> rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::array<double, 3> translation = {0, 0, 0};
};

Motion of_rho(double rho) {
  double const half = std::asin(rho / 2);
  double const c = std::cos(2 * half), s = std::sin(2 * half);
  return {{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}, {std::cos(half), std::sin(half), 0}};
}

Motion of_state(std::vector<double> const& state) {
  if (state.size() == 1) return of_rho(state[0]);
  Motion motion;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) motion.rotation[i][j] = state[4 * i + j];
    motion.translation[i] = state[4 * i + 3];
  }
  return motion;
}

std::uint8_t grey_at(GreyPicture const& picture, LensPictures const& pictures,
                     detail::Vec3<double> const& ray) {
  auto const pixel = pictures.pixel_of(ray);
  float const grey = pixel ? picture.grey[static_cast<std::size_t>(*pixel)] : 0.0F;
  return static_cast<std::uint8_t>(std::lround(std::clamp(grey, 0.0F, 255.0F)));
}

template <class Value>
Kokkos::View<Value*, ExecSpace> to_device(ExecSpace const& exec, char const* label,
                                          std::vector<double> const& values) {
  auto const device =
      detail::allocate<Kokkos::View<Value*, ExecSpace>>(exec, label, std::ssize(values));
  auto const host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<Value>(values[i]);
  detail::copy_view(exec, device, host);
  exec.fence("carroll::tool: mirror may go");
  return device;
}

template <class View>
std::vector<double> to_host(View const& device) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
  std::vector<double> values;
  for (std::size_t i = 0; i < host.extent(0); ++i) values.push_back(static_cast<double>(host(i)));
  return values;
}

/// The current picture with NaN where it is not to be looked at.
GreyPicture without_masked(TrackInput const& input) {
  GreyPicture picture = input.current;
  for (std::size_t i = 0; i < picture.grey.size(); ++i)
    if (input.current_mask->grey[i] == 0) picture.grey[i] = std::numeric_limits<float>::quiet_NaN();
  return picture;
}

SphericalMesh<double> mesh_of(ExecSpace const& exec, TrackInput const& input,
                              TrackWishes const& wishes, LensPictures const& pictures,
                              Pixels const& reference) {
  SphericalMeshOptions const options{.vertices = wishes.vertices, .samples = wishes.samples};
  if (!input.mask) return spherical_mesh(exec, reference, pictures.camera(), options);
  auto const mask = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), pictures.mask_on_device("carroll::tool::mask", *input.mask));
  return spherical_mesh(exec, reference, pictures.camera(), options, mask);
}

/// In space the scale is free: where the way is known and there is one, it becomes 1.
void set_scale(std::vector<double>& motion, std::vector<double>& inverse_depth,
               std::vector<Pose>& witnesses) {
  double const way = std::hypot(motion[3], motion[7], motion[11]);
  if (!(way > 0)) return;
  for (std::size_t const i : {3, 7, 11}) motion[i] /= way;
  for (double& zeta : inverse_depth) zeta *= way;
  for (Pose& pose : witnesses)
    for (double& x : pose.translation) x /= way;
}

void describe_motion(TrackSummary& summary, std::vector<double> const& state, double baseline) {
  Motion const motion = of_state(state);
  if (state.size() == 1) summary.rho = state[0];
  summary.rotation = motion.rotation;
  for (std::size_t i = 0; i < 3; ++i) summary.translation[i] = baseline * motion.translation[i];
  summary.heading_degrees = heading_degrees(motion.rotation);
}

template <class Real>
TrackOutput track_in(TrackInput const& input, TrackWishes const& wishes, Progress& progress) {
  ExecSpace const exec;
  Kokkos::Timer timer;
  LensPictures const pictures(input.camera);
  Camera<double> const& camera = pictures.camera();
  auto const reference = pictures.on_device("carroll::tool::reference", input.reference);
  auto const current = pictures.on_device("carroll::tool::current", input.current);
  Pixels const mask = input.current_mask ? pictures.mask_on_device("carroll::tool::current_mask",
                                                                   *input.current_mask)
                                         : Pixels();
  progress.phase(wishes.phase_prefix + "triangulating " + std::to_string(wishes.vertices) +
                 " features");
  auto const mesh = mesh_of(exec, input, wishes, pictures, reference);
  std::vector<double> const start = start_depths(input, pictures, mesh);

  DirectTrackerOptions options;
  options.motion = wishes.se3 ? TrackerMotion::se3 : TrackerMotion::ackermann;
  options.method = wishes.esm ? TrackerMethod::esm : TrackerMethod::gauss_newton;
  options.iterations = wishes.iterations;
  options.black = 0;
  options.white = static_cast<double>(input.current.white);
  options.search = input.start_motion.empty();
  options.search_depths = wishes.search_depths;
  // Depths of a file alone may be anybody's guess, such as one for all pixels: those ended 60° off.
  options.known_depths = input.start_ranges.has_value() && !input.start_motion.empty();
  auto workspace = direct_tracker_workspace(exec, camera, mesh_on<Real>(exec, mesh), options);
  set_reference_async(exec, reference, workspace);
  std::vector<double> first = input.start_motion;
  if (first.empty())
    first = wishes.se3 ? std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}
                       : std::vector<double>{0};
  auto const motion = to_device<double>(exec, "carroll::tool::motion", first);
  auto const inverse_depth = to_device<Real>(exec, "carroll::tool::inverse_depth", start);
  exec.fence("carroll::tool: start of the clock");
  TrackOutput output;
  TrackSummary& summary = output.summary;
  summary.setup_seconds = timer.seconds();

  progress.phase(wishes.phase_prefix + "tracking " + std::to_string(wishes.samples) + " samples");
  timer.reset();
  DirectTrackerState const tracked{motion, inverse_depth};
  auto const info = input.current_mask
                        ? track_frame(exec, MaskedImage{current, mask}, tracked, workspace)
                        : track_frame(exec, current, tracked, workspace);
  summary.seconds = timer.seconds();
  summary.status = to_string(info.status);
  summary.end = to_string(info.end);
  summary.backend = ExecSpace::name();
  summary.vertices = mesh.vertices.extent_int(0);
  summary.triangles = mesh.triangles.extent_int(0);
  summary.samples = mesh.samples.extent_int(0);
  summary.valid_samples = info.valid_samples;
  summary.initial_cost = info.initial_cost;
  summary.cost = info.cost;
  summary.textured_triangles = info.textured_triangles;
  summary.matched_triangles = info.matched_triangles;
  summary.searched_depths = info.searched_depths;
  summary.gain = info.gain;
  summary.offset = info.offset;
  summary.turn_deviation = info.turn_deviation;
  summary.way_deviation = info.way_deviation;
  for (auto const& pass : tracker_log(exec, workspace))
    summary.iterations.push_back({pass.level, pass.accepted != 0, pass.valid_samples,
                                  pass.solver_iterations, pass.cost, pass.damping});
  if (!input.witnesses.empty() && info.status == Status::success) {
    progress.phase(wishes.phase_prefix + "looking back");
    output.witnesses =
        track_witnesses(exec, input, pictures, MaskedPixels{current, mask}, workspace, tracked);
  }
  std::vector<double> state = to_host(motion), inverse = to_host(inverse_depth);
  if (wishes.se3 && input.baseline_known) set_scale(state, inverse, output.witnesses);
  describe_motion(summary, state, input.baseline);

  output.vertices = {summary.vertices, 3, {}};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < mesh.vertices.extent_int(0); ++i)
      output.vertices.values.push_back(mesh.vertices(i, k));
  for (double const zeta : inverse) output.depth.push_back(input.baseline / zeta);
  for (double const zeta : start) output.start.push_back(input.baseline / zeta);
  for (int t = 0; t < mesh.triangles.extent_int(0); ++t)
    output.triangles.push_back({mesh.triangles(t, 0), mesh.triangles(t, 1), mesh.triangles(t, 2)});
  for (int i = 0; i < mesh.vertices.extent_int(0); ++i)
    output.grey.push_back(grey_at(input.reference, pictures, detail::row_of(mesh.vertices, i)));
  if (wishes.pictures && info.status != Status::non_finite) {
    progress.phase("drawing depth and residual");
    auto const shown = input.current_mask
                           ? pictures.on_device("carroll::tool::current", without_masked(input))
                           : current;
    TrackPictures const drawn(mesh, camera, reference, shown);
    Motion const before = of_state(first), after = of_state(state);
    output.depth_picture = drawn.depth(inverse);
    output.residual_picture = drawn.residuals({before.rotation, before.translation, start},
                                              {after.rotation, after.translation, inverse});
  }
  if (wishes.dense && info.status != Status::non_finite) {
    progress.phase("depths of all pixels");
    output.dense = dense_depths_of(pictures, mesh, inverse, input.baseline, wishes.depth_scale);
  }
  return output;
}

}  // namespace

TrackOutput track(TrackInput const& input, TrackWishes const& wishes, Progress& progress) {
  return wishes.precision == Precision::single_precision
             ? track_in<float>(input, wishes, progress)
             : track_in<double>(input, wishes, progress);
}

}  // namespace carroll::tool
