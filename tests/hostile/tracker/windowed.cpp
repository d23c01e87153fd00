// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/tracker/windowed.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/tracker_window.hpp>
#include <cmath>
#include <limits>

#include "contract/new_instance.hpp"
#include "direct_tracker_instances.hpp"
#include "support/guarded_view.hpp"

namespace carroll::test {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Numbers = std::vector<double>;

struct DrawnWindow {
  TrackerWindowOptions options;
  std::vector<std::vector<float>> images, masks;  ///< of each frame; masks may be empty
  Numbers motions, depth;
};

struct Windowed {
  DirectTrackerInfo info;
  Numbers motions, depth;
  bool guards = true;
};

DrawnWindow drawn(Random& random, DrawnTrack const& problem, Numbers const& motion,
                  Numbers const& depth) {
  DrawnWindow window;
  window.options = {
      .frames = 1 + random.index(3), .levels = 1 + random.index(3), .passes = 2 + random.index(5)};
  window.depth = depth;
  for (int f = 0; f < window.options.frames; ++f) {
    bool const current = f == 0 || random.chance(0.5);
    window.images.push_back(current ? problem.pictures.current : problem.pictures.reference);
    window.masks.push_back(current ? problem.pictures.current_mask
                                   : problem.pictures.reference_mask);
    std::array<double, 12> pose = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (current && random.chance(0.9)) std::ranges::copy(motion, pose.begin());
    if (random.chance(0.1)) pose[3] += 2 * random.symmetric();
    window.motions.insert(window.motions.end(), pose.begin(), pose.end());
    if (random.chance(0.05)) std::ranges::fill(window.images.back(), 255.0F);
  }
  if (random.chance(0.05))
    window
        .motions[static_cast<std::size_t>(random.index(static_cast<int>(window.motions.size())))] =
        std::numeric_limits<double>::quiet_NaN();
  return window;
}

template <class Layout>
GuardedView<float, 2, Layout> picture(DrawnTrack const& problem, std::vector<float> const& pixels) {
  auto const width = static_cast<std::size_t>(problem.pictures.width);
  GuardedView<float, 2, Layout> view({static_cast<std::size_t>(problem.pictures.height), width});
  view.for_each_index(
      [&](std::array<std::size_t, 2> index) { view(index) = pixels[index[0] * width + index[1]]; });
  view.to_device();
  return view;
}

/// Tracks, with everything in guarded memory of that layout.
template <class Layout>
Windowed track(Exec const& exec, DrawnTrack const& problem, DrawnWindow const& drawn,
               DirectTrackerWorkspace<Exec> const& tracker) {
  auto const frames = static_cast<std::size_t>(drawn.options.frames);
  GuardedView<double, 2, Layout> motions({frames, 12});
  motions.for_each_index(
      [&](std::array<std::size_t, 2> at) { motions(at) = drawn.motions[12 * at[0] + at[1]]; });
  motions.to_device();
  using Line =
      std::conditional_t<std::is_same_v<Layout, Kokkos::LayoutStride>, Layout, Kokkos::LayoutRight>;
  GuardedView<double, 1, Line> depth({drawn.depth.size()});
  for (std::size_t i = 0; i < drawn.depth.size(); ++i) depth({i}) = drawn.depth[i];
  depth.to_device();
  auto window = tracker_window_workspace(exec, tracker, drawn.options);
  for (std::size_t f = 0; f < frames; ++f) {
    auto const image = picture<Layout>(problem, drawn.images[f]);
    Kokkos::fence("carroll_test: before another instance");
    if (drawn.masks[f].empty()) {
      set_window_frame_async(exec, static_cast<int>(f), image.view(), window);
    } else {
      auto const mask = picture<Layout>(problem, drawn.masks[f]);
      Kokkos::fence("carroll_test: before another instance");
      set_window_frame_async(exec, static_cast<int>(f), MaskedImage{image.view(), mask.view()},
                             window);
      exec.fence("carroll_test: the mask may go");
    }
    exec.fence("carroll_test: the image may go");
  }
  Windowed result;
  result.info = track_window(exec, TrackerWindowState{motions.view(), depth.view()}, window);
  motions.to_host();
  depth.to_host();
  for (std::size_t f = 0; f < frames; ++f)
    for (std::size_t i = 0; i < 12; ++i) result.motions.push_back(motions({f, i}));
  for (std::size_t i = 0; i < drawn.depth.size(); ++i) result.depth.push_back(depth({i}));
  result.guards = motions.guards_intact() && depth.guards_intact();
  return result;
}

void check(DrawnWindow const& window, Windowed const& result,
           std::function<void(std::string const&)> const& complain) {
  auto const& info = result.info;
  std::string const end = "a window that ended as " + std::string(to_string(info.end));
  if (!result.guards) complain("a window wrote beside its outputs");
  auto const all = [&](auto const& holds) {
    return std::ranges::all_of(result.motions, holds) && std::ranges::all_of(result.depth, holds);
  };
  if (info.end == TrackerEnd::non_finite) {
    if (info.status != Status::non_finite || !all([](double x) { return std::isnan(x); }))
      complain(end + " is no NaN");
    return;
  }
  if (!std::ranges::all_of(window.motions, [](double x) { return std::isfinite(x); }))
    complain(end + " took a motion that is not finite");
  if (!all([](double x) { return std::isfinite(x); })) complain(end + " has what is no number");
  if (!std::ranges::all_of(result.depth, [](double z) { return z > 0; }))
    complain(end + " has depths that are not above 0");
  if (info.status == Status::success && !(info.cost <= info.initial_cost))
    complain(end + " has raised the cost");
  if (info.end == TrackerEnd::diverged && !(info.cost == info.initial_cost))
    complain(end + " is not where it began");
  int const most = 2 + window.options.levels * window.options.passes;
  if (info.iterations < 0 || info.iterations > most)
    complain(end + " counts more passes than it may make");
  for (std::size_t row = 0; row < result.motions.size(); row += 4) {
    double const before =
        std::hypot(window.motions[row], window.motions[row + 1], window.motions[row + 2]);
    double const after =
        std::hypot(result.motions[row], result.motions[row + 1], result.motions[row + 2]);
    if (std::abs(before - 1) < 1e-10 && std::abs(after - 1) > 1e-9)
      complain(end + " has a rotation with a row of length " + std::to_string(after));
  }
}

}  // namespace

void check_windowed(Random& random, DrawnTrack const& problem,
                    DirectTrackerWorkspace<Exec> const& tracker, Numbers const& motion,
                    Numbers const& depth, std::function<void(std::string const&)> const& complain) {
  DrawnWindow const window = drawn(random, problem, motion, depth);
  Exec const other = new_instance_of<Exec>();
  Windowed const result = track<Kokkos::LayoutRight>(Exec(), problem, window, tracker);
  check(window, result, complain);
  Windowed const again = random.chance(0.5)
                             ? track<Kokkos::LayoutStride>(other, problem, window, tracker)
                             : track<Kokkos::LayoutLeft>(other, problem, window, tracker);
  if (!same(result.motions, again.motions) || !same(result.depth, again.depth) ||
      result.info.end != again.info.end || result.info.cost != again.info.cost)
    complain("another layout and instance change a window");
}

}  // namespace carroll::test
