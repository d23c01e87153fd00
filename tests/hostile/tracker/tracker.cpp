// SPDX-License-Identifier: BSD-3-Clause
// Direct tracking of pictures that nobody chose: small rooms seen by random cameras that move, and
// pictures that have nothing to do with each other, or are no pictures at all.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/spherical_mesh.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "contract/new_instance.hpp"
#include "direct_tracker_instances.hpp"
#include "hostile/round.hpp"
#include "hostile/tracker/carried.hpp"
#include "hostile/tracker/drawn_masks.hpp"
#include "hostile/tracker/drawn_tracks.hpp"
#include "hostile/tracker/windowed.hpp"
#include "support/guarded_view.hpp"
#include "support/tracker/problem.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_tracker";
std::string_view const hostile_about =
    "Direct tracking of random small pictures: the same bits however they lie in memory and "
    "whoever "
    "tracks them, alone or in a window, whatever is masked, nothing but numbers with success, "
    "depths "
    "that can be carried on, and the truth where it can be seen.";
std::string_view const hostile_kinds = "easy,any,special,masks";

namespace {

using std::numbers::pi;
constexpr int passes_of_search = 175, passes_of_depths = 36;

struct Result {
  DirectTrackerInfo info;
  std::vector<double> motion, depth;
  std::vector<DirectTrackerIteration> log;
  bool guards = true;
};

using carroll::test::same;
bool same(DirectTrackerInfo const& a, DirectTrackerInfo const& b) {
  return a.status == b.status && a.end == b.end && a.iterations == b.iterations &&
         a.valid_samples == b.valid_samples && same(a.initial_cost, b.initial_cost) &&
         same(a.cost, b.cost) && same(a.gain, b.gain) && same(a.offset, b.offset) &&
         a.textured_triangles == b.textured_triangles && a.matched_triangles == b.matched_triangles;
}
bool same(DirectTrackerIteration const& a, DirectTrackerIteration const& b) {
  return a.level == b.level && a.accepted == b.accepted && a.valid_samples == b.valid_samples &&
         a.solver_iterations == b.solver_iterations && same(a.cost, b.cost) &&
         same(a.gradient, b.gradient) && same(a.damping, b.damping) && same(a.step, b.step);
}
/// What differs, or nothing.
std::string difference(Result const& a, Result const& b) {
  if (!same(a.info, b.info)) return "the info";
  if (!same(a.motion, b.motion)) return "the motion";
  if (!same(a.depth, b.depth)) return "the depths";
  if (!std::ranges::equal(a.log, b.log, [](auto const& x, auto const& y) { return same(x, y); }))
    return "the log";
  return "";
}

template <class Layout>
GuardedView<float, 2, Layout> guarded_picture(Pair const& pair, std::vector<float> const& pixels) {
  GuardedView<float, 2, Layout> view(
      {static_cast<std::size_t>(pair.height), static_cast<std::size_t>(pair.width)});
  view.for_each_index([&](std::array<std::size_t, 2> index) {
    view(index) = pixels[index[0] * static_cast<std::size_t>(pair.width) + index[1]];
  });
  view.to_device();
  return view;
}

template <class Layout>
std::optional<GuardedView<float, 2, Layout>> guarded_mask(std::vector<float> const& mask,
                                                          DrawnTrack const& problem) {
  if (mask.empty()) return std::nullopt;
  return guarded_picture<Layout>(problem.pictures, mask);
}

template <class Layout>
GuardedView<double, 1, Layout> guarded_numbers(std::vector<double> const& numbers) {
  GuardedView<double, 1, Layout> view({numbers.size()});
  for (std::size_t i = 0; i < numbers.size(); ++i) view({i}) = numbers[i];
  view.to_device();
  return view;
}

/// What is in it, NaN as well.
template <class Layout>
std::vector<std::uint32_t> to_bits(GuardedView<float, 2, Layout> const& view) {
  std::vector<std::uint32_t> bits;
  view.for_each_index([&](std::array<std::size_t, 2> index) {
    bits.push_back(Kokkos::bit_cast<std::uint32_t>(view(index)));
  });
  return bits;
}

/// Tracks, with everything in guarded memory of that layout.
template <class Layout>
Result track(Exec const& exec, DrawnTrack const& problem, DirectTrackerWorkspace<Exec>& workspace) {
  using Line =
      std::conditional_t<std::is_same_v<Layout, Kokkos::LayoutStride>, Layout, Kokkos::LayoutRight>;
  auto reference = guarded_picture<Layout>(problem.pictures, problem.pictures.reference);
  auto current = guarded_picture<Layout>(problem.pictures, problem.pictures.current);
  auto motion = guarded_numbers<Line>(problem.motion);
  auto depth = guarded_numbers<Line>(problem.depth);
  auto const reference_mask = guarded_mask<Layout>(problem.pictures.reference_mask, problem);
  auto const current_mask = guarded_mask<Layout>(problem.pictures.current_mask, problem);
  Kokkos::fence("carroll_test: before another instance");
  if (reference_mask)
    set_reference_async(exec, MaskedImage{reference.view(), reference_mask->view()}, workspace);
  else
    set_reference_async(exec, reference.view(), workspace);
  Result result;
  DirectTrackerState const state{motion.view(), depth.view()};
  result.info = current_mask ? track_frame(exec, MaskedImage{current.view(), current_mask->view()},
                                           state, workspace)
                             : track_frame(exec, current.view(), state, workspace);
  for (auto const& pass : tracker_log(exec, workspace)) result.log.push_back(pass);
  motion.to_host();
  depth.to_host();
  for (std::size_t i = 0; i < problem.motion.size(); ++i) result.motion.push_back(motion({i}));
  for (std::size_t i = 0; i < problem.depth.size(); ++i) result.depth.push_back(depth({i}));
  auto const before_reference = to_bits(reference), before_current = to_bits(current);
  reference.to_host();
  current.to_host();
  result.guards = motion.guards_intact() && depth.guards_intact() && reference.guards_intact() &&
                  current.guards_intact() && before_reference == to_bits(reference) &&
                  before_current == to_bits(current);
  return result;
}

bool all_of(std::vector<double> const& numbers, auto const& holds) {
  return std::ranges::all_of(numbers, holds);
}

/// Everything that holds whatever the pictures are.
void check_result(DrawnTrack const& problem, Result const& result, auto const& complain) {
  auto const& [info, motion, depth, log, guards] = result;
  auto const finite = [](double x) { return std::isfinite(x); };
  auto const is_nan = [](double x) { return std::isnan(x); };
  if (!guards) complain("wrote beside its outputs, or into its inputs");
  bool const good = info.end == TrackerEnd::converged || info.end == TrackerEnd::iteration_limit;
  bool const lost = info.end == TrackerEnd::non_finite;
  Status const status = good ? Status::success : lost ? Status::non_finite : Status::not_converged;
  if (info.status != status)
    complain("ended as " + std::string(to_string(info.end)) + ", which is not " +
             std::string(to_string(info.status)));
  bool const bad_pixel = has_bad_pixel(problem.pictures);
  if ((problem.bad_input || bad_pixel) && !lost) complain("took input that is not finite");
  if (good && pixels_that_count(problem.pictures) < 2) complain("is a success without a picture");
  if (lost) {
    if (!all_of(motion, is_nan) || !all_of(depth, is_nan))
      complain("is lost, and its state no NaN");
  } else {
    if (!all_of(motion, finite) || !all_of(depth, finite))
      complain("ended as " + std::string(to_string(info.end)) + " with what is no number");
    if (!all_of(depth, [](double z) { return z > 0; })) complain("has depths that are not above 0");
    if (!finite(info.cost) || !finite(info.initial_cost)) complain("has a cost that is no number");
    if (!finite(info.gain) || !finite(info.offset)) complain("has a brightness that is no number");
    if (info.matched_triangles < 0 || info.matched_triangles > info.textured_triangles ||
        info.textured_triangles > problem.mesh.triangles.extent_int(0))
      complain("counts triangles that there are not");
    if (!(info.turn_deviation >= 0) || !(info.way_deviation >= 0))
      complain("has deviations that are none");
    if (good && !finite(info.turn_deviation)) complain("is a success with an unknown turn");
  }
  if (good && !(info.cost <= info.initial_cost)) complain("has raised the cost");
  if (info.valid_samples < 0 || info.valid_samples > problem.mesh.samples.extent_int(0))
    complain("counts samples that there are not");
  bool const searches = problem.options.search;
  int const most = problem.options.iterations + (searches ? passes_of_search : 0) +
                   (searches && problem.options.search_depths ? passes_of_depths : 0);
  if (info.iterations < 0 || info.iterations > most ||
      static_cast<int>(log.size()) != info.iterations)
    complain("counts more iterations than it may make");
  if (lost) return;
  if (motion.size() == 1) {
    if (!(std::abs(motion[0]) < 2)) complain("has a curvature beyond 2");
    return;
  }
  // Still a rotation, as exactly as it was one.
  for (std::size_t i = 0; i < 3; ++i) {
    double const norm = std::hypot(motion[4 * i], motion[4 * i + 1], motion[4 * i + 2]);
    if (std::abs(norm - 1) > 1e-9)
      complain("has a rotation with a row of length " + std::to_string(norm));
  }
}

void check_truth(DrawnTrack const& problem, Result const& result, auto const& complain) {
  auto const& motion = result.motion;
  double const turn =
      motion.size() == 1 ? 2 * std::asin(motion[0] / 2) : std::atan2(motion[4], motion[0]);
  double const error = std::abs(turn - 2 * std::asin(problem.rho / 2)) * 180 / pi;
  if (result.info.status != Status::success || !(error <= 0.5)) {
    std::ostringstream text;
    text << to_string(result.info.end) << ", turned wrongly by " << error << " degrees";
    complain(text.str());
  }
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  Random& random = round.random;
  double const which = random.uniform();
  DrawnTrack problem = kind == "easy" || (kind.empty() && which < 0.1) ? easy_problem(random)
                       : kind == "any" || kind == "masks" || (kind.empty() && which < 0.6)
                           ? any_problem(random)
                           : special_problem(random);
  if (!problem.easy && (kind == "masks" || random.chance(0.4))) draw_masks(random, problem);
  auto const& options = problem.options;
  std::ostringstream where;
  where << problem.name << ", " << problem.camera.width << "x" << problem.camera.height
        << (problem.camera.model == CameraModel::equirectangular ? " equirectangular" : " unified")
        << ", chi " << problem.camera.chi << ", " << problem.mesh.vertices.extent(0)
        << " vertices, " << problem.mesh.samples.extent(0) << " samples, "
        << (options.motion == TrackerMotion::se3 ? "se3" : "ackermann")
        << (options.method == TrackerMethod::esm ? ", esm" : ", gauss_newton") << ", levels "
        << options.levels << ", iterations " << options.iterations << ", huber " << options.huber
        << ", damping " << options.damping << ", smoothness " << options.smoothness << " "
        << options.smoothness_scale << ", levels from " << options.black << " to " << options.white
        << (options.search ? ", search" : "") << (options.search_depths ? ", of depths" : "")
        << (options.known_depths ? ", known depths" : "")
        << (options.brightness ? "" : ", no brightness");
  auto const complain = [&](std::string const& text) { round.wrong(where.str() + ": " + text); };
  round.checked(1);

  Exec const exec;
  Exec const other = new_instance_of<Exec>();
  auto const mesh = mesh_on<float>(exec, problem.mesh);
  DirectTrackerWorkspace<Exec> workspace;
  try {
    workspace = direct_tracker_workspace(exec, problem.camera, mesh, options);
  } catch (std::invalid_argument const& error) {
    // Only pictures that cannot be halved so often are refused.
    if (std::string(error.what()).find("can be halved only") == std::string::npos)
      complain(error.what());
    return;
  }
  Result const result = track<Kokkos::LayoutRight>(exec, problem, workspace);
  check_result(problem, result, complain);
  if (problem.easy) check_truth(problem, result, complain);

  // What is masked may be anything, and a mask of all is none.
  problem.pictures = with_other_garbage(random, problem.pictures);
  if (random.chance(0.2)) {
    for (auto* const mask : {&problem.pictures.reference_mask, &problem.pictures.current_mask})
      if (std::ranges::count(*mask, 0.0F) == 0) mask->assign(problem.pictures.current.size(), 1);
  }
  // Another layout, another instance (with OpenMP of one thread), the workspace used before.
  Result const again = random.chance(0.5) ? track<Kokkos::LayoutStride>(other, problem, workspace)
                                          : track<Kokkos::LayoutLeft>(other, problem, workspace);
  if (auto const what = difference(result, again); !what.empty())
    complain("another layout, instance and use of the workspace change " + what);
  if (random.chance(0.3)) {
    // What went before, even NaN, leaves no trace.
    DrawnTrack bad = problem;
    bad.pictures.current[0] = std::numeric_limits<float>::quiet_NaN();
    bad.pictures.current_mask.clear();
    (void)track<Kokkos::LayoutRight>(exec, bad, workspace);
    Result const after = track<Kokkos::LayoutRight>(exec, problem, workspace);
    if (auto const what = difference(result, after); !what.empty())
      complain("a frame of NaN before it changes " + what);
  }
  if (result.info.status == Status::success && problem.name.find("special") != 0)
    check_carried(problem, result.motion, result.depth, complain);
  if (options.motion == TrackerMotion::se3 && random.chance(0.5))
    check_windowed(random, problem, workspace, result.motion, result.depth, complain);
}

}  // namespace carroll::test
