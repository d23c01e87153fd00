// SPDX-License-Identifier: BSD-3-Clause
// The search over depths: no worse than without, and no success where pictures show nothing.
#include <gtest/gtest.h>

#include "support/copy.hpp"
#include "support/tracker/problem.hpp"
#include "unit/tracker/small_problems.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;

Camera<double> wide_pinhole() {
  return Camera<double>::unified(512, 384, 250, 250, 255.5, 191.5, 0);
}

void know_nothing_of(TrackedState const& state) {
  auto const m = Kokkos::create_mirror_view(state.motion);
  carroll::test::deep_copy(m, 0.0);
  m(0) = m(5) = m(10) = 1;
  carroll::test::deep_copy(state.motion, m);
  carroll::test::deep_copy(state.depth, 1.0 / 30);
}

double depth_error_of(TrackerProblem const& problem, bool search_depths, bool& searched) {
  TrackedState const state(problem, TrackerMotion::se3, 1);
  know_nothing_of(state);
  auto const info = track(problem, state,
                          {.motion = TrackerMotion::se3,
                           .iterations = 60,
                           .search = true,
                           .search_depths = search_depths});
  EXPECT_LE(info.cost, info.initial_cost);
  searched = info.searched_depths;
  return state.depth_error(problem);
}

TEST(DirectTrackerDepthSearch, IsNoWorseThanWithout) {
  TrackerProblem const problem(wide_pinhole(), 8, 60, 0.1, 0.6, 1);
  bool without = false, with = false;
  double const before = depth_error_of(problem, false, without);
  double const after = depth_error_of(problem, true, with);
  EXPECT_FALSE(without);
  EXPECT_TRUE(with);
  EXPECT_LE(after, before);
}

TEST(DirectTrackerDepthSearch, PicturesOfNothingAreNoSuccess) {
  for (float const grey : {0.0F, 128.0F}) {
    TrackerProblem problem(wide_pinhole(), 4, 40, 0.1, 0.5, 0);
    TrackerProblem::Picture const flat("carroll_test::flat", 384, 512);
    carroll::test::deep_copy(flat, grey);
    problem.current = flat;
    TrackedState const state(problem, TrackerMotion::se3, 1);
    know_nothing_of(state);
    auto const info = track(problem, state, {.motion = TrackerMotion::se3, .search = true});
    EXPECT_NE(info.status, Status::success) << to_string(info.end);
  }
}

}  // namespace
