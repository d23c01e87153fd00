// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/tracker/carried.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/carry_depths.hpp>
#include <cmath>

#include "contract/new_instance.hpp"
#include "support/guarded_view.hpp"

namespace carroll::test {

namespace {

using Numbers = std::vector<double>;

template <class Layout>
GuardedView<double, 1, Layout> guarded(Numbers const& numbers) {
  GuardedView<double, 1, Layout> view({numbers.size()});
  for (std::size_t i = 0; i < numbers.size(); ++i) view({i}) = numbers[i];
  view.to_device();
  return view;
}

template <class Layout>
Numbers numbers_of(GuardedView<double, 1, Layout>& view, std::size_t count) {
  view.to_host();
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(view({i}));
  return numbers;
}

struct Carried {
  Numbers motion, depth;
  bool guards = true;
};

/// With `start` the scale is kept, without the depths are carried.
template <class Layout>
Carried carried(Exec const& exec, SphericalMesh<float> const& mesh, Numbers const& motion,
                Numbers const& depth, Numbers const* start = nullptr) {
  auto motions = guarded<Layout>(motion), depths = guarded<Layout>(depth),
       starts = guarded<Layout>(start != nullptr ? *start : depth);
  Kokkos::fence("carroll_test: before another instance");
  DirectTrackerState const state{motions.view(), depths.view()};
  if (start != nullptr) {
    keep_scale_async(exec, starts.view(), state);
  } else {
    auto const workspace = carry_depths_workspace(exec, mesh_on<float>(exec, mesh));
    carry_depths_async(exec, state, workspace);
  }
  exec.fence();
  Carried result{numbers_of(motions, motion.size()), numbers_of(depths, depth.size())};
  result.guards = motions.guards_intact() && depths.guards_intact() && starts.guards_intact();
  return result;
}

/// Of each vertex, among those that share a triangle with it: a ray's weights, in single precision,
/// let so much of theirs in.
Numbers largest_of_neighbours(SphericalMesh<float> const& mesh, Numbers const& depth) {
  Numbers largest = depth;
  auto const at = [&](std::size_t t, std::size_t corner) {
    return static_cast<std::size_t>(mesh.triangles(t, corner));
  };
  for (std::size_t t = 0; t < mesh.triangles.extent(0); ++t)
    for (std::size_t corner : {0, 1, 2})
      for (std::size_t other : {0, 1, 2})
        largest[at(t, corner)] = std::max(largest[at(t, corner)], depth[at(t, other)]);
  return largest;
}

bool same(Carried const& a, Carried const& b) {
  return a.motion == b.motion && a.depth == b.depth;
}

}  // namespace

void check_carried(DrawnTrack const& problem, Numbers const& motion, Numbers const& depth,
                   std::function<void(std::string const&)> const& complain) {
  Exec const exec;
  Exec const other = new_instance_of<Exec>();
  auto const& mesh = problem.mesh;
  Carried const found = carried<Kokkos::LayoutRight>(exec, mesh, motion, depth);
  if (!found.guards) complain("carrying depths writes beside them");
  if (found.motion != motion) complain("carrying depths changes the motion");
  if (!std::ranges::all_of(found.depth, [](double z) { return z > 0 && std::isfinite(z); }))
    complain("carried depths are not above 0");
  if (!same(carried<Kokkos::LayoutStride>(other, mesh, motion, depth), found))
    complain("another layout and instance change carried depths");

  bool const in_space = motion.size() == 12;
  Numbers const still = in_space ? Numbers{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0} : Numbers{0};
  if (in_space) {
    Carried const stayed = carried<Kokkos::LayoutRight>(exec, mesh, still, depth);
    Numbers const largest = largest_of_neighbours(mesh, depth);
    std::ptrdiff_t moved = 0;
    for (std::size_t i = 0; i < depth.size(); ++i)
      moved += !(std::abs(stayed.depth[i] - depth[i]) < 1e-3 * depth[i] + 1e-5 * largest[i]);
    // Needles, of which rounding decides, are few.
    if (10 * moved > std::ssize(depth))
      complain(std::to_string(moved) + " of " + std::to_string(depth.size()) +
               " depths move with a camera that stands still");

    Carried const kept = carried<Kokkos::LayoutRight>(exec, mesh, motion, depth, &problem.depth);
    Carried const again = carried<Kokkos::LayoutStride>(other, mesh, motion, depth, &problem.depth);
    if (!kept.guards) complain("keeping the scale writes beside its outputs");
    if (!same(kept, again)) complain("another layout and instance change what keeps the scale");
    std::ptrdiff_t larger = 0, smaller = 0;
    for (std::size_t i = 0; i < depth.size(); ++i) {
      double const ratio = kept.depth[i] / problem.depth[i];
      larger += ratio > 1 + 1e-5;
      smaller += ratio < 1 - 1e-5;
    }
    if (2 * larger > std::ssize(depth) || 2 * smaller > std::ssize(depth))
      complain("with the scale kept " + std::to_string(larger) + " depths are larger and " +
               std::to_string(smaller) + " smaller, of " + std::to_string(depth.size()));
  }
}

}  // namespace carroll::test
