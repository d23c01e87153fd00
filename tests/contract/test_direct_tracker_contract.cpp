// SPDX-License-Identifier: BSD-3-Clause
// What the direct tracker promises to callers with several instances: fences, instance,
// allocations, labels, and the same bits everywhere.
#include <gtest/gtest.h>

#include <memory>

#include "documented_calls.hpp"
#include "new_instance.hpp"
#include "support/tracker/problem.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;

TrackerProblem const& room() {
  static std::unique_ptr<TrackerProblem const> problem;  // that ends before Kokkos does
  if (!problem) {
    problem = std::make_unique<TrackerProblem const>(Camera<double>::equirectangular(256, 128), 3,
                                                     40, 0.1, 0.5, 1);
    Kokkos::push_finalize_hook([] { problem.reset(); });
  }
  return *problem;
}

struct Problem {
  Exec exec = new_instance_of<Exec>();
  DirectTrackerOptions options;
  TrackedState state;
  Kokkos::View<DirectTrackerInfo, Exec> info{"carroll_test::info"};
  DirectTrackerWorkspace<Exec> workspace;

  explicit Problem(DirectTrackerOptions const& wanted)
      : options(wanted),
        state(room(), wanted.motion, 1.1),
        workspace(direct_tracker_workspace(exec, room().camera, room().mesh, wanted)) {
    set_reference_async(exec, room().reference, workspace);
    Kokkos::fence();
  }
  void reference() { set_reference_async(exec, room().reference, workspace); }
  void with_workspace() { (void)track_frame(exec, room().current, state.view(), workspace); }
  void async() { track_frame_async(exec, room().current, state.view(), info, workspace); }
};

/// The documentation of direct_tracker.hpp, as a table.
constexpr DocumentedCall<Problem> calls[] = {
    {"set_reference_async", &Problem::reference, 0, false},
    {"track_frame with a workspace", &Problem::with_workspace, 1, false},
    {"track_frame_async", &Problem::async, 0, false},
};

class DirectTrackerContract : public ::testing::TestWithParam<TrackerMotion> {};

TEST_P(DirectTrackerContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  Problem problem({.motion = GetParam()});
  expect_documented(problem, calls, "carroll::");
}

/// With OpenMP the other instance has one thread: the same bits also for every number of them.
TEST_P(DirectTrackerContract, SameBitsOnEveryInstance) {
  DirectTrackerOptions const options{.motion = GetParam()};
  TrackedState const expected(room(), GetParam(), 1.1), other(room(), GetParam(), 1.1);
  (void)track_frame(Exec(), room().camera, room().reference, room().current, room().mesh,
                    expected.view(), options);
  Problem problem(options);
  (void)track_frame(problem.exec, room().current, other.view(), problem.workspace);
  EXPECT_EQ(other.numbers(), expected.numbers());
}

INSTANTIATE_TEST_SUITE_P(Motions, DirectTrackerContract,
                         ::testing::Values(TrackerMotion::ackermann, TrackerMotion::se3));

}  // namespace
