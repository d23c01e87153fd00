// SPDX-License-Identifier: BSD-3-Clause
// What a caller with several instances relies on: how often a call fences, where it launches, when
// it allocates, how its work is labelled, and that results do not depend on the instance.
#include <gtest/gtest.h>

#include <carroll/solve.hpp>
#include <cmath>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "decompositions/solve_instances.hpp"
#include "support/guarded_view.hpp"
#include "support/random.hpp"
#include "support/solve/drivers.hpp"

namespace {

using namespace carroll::test;
using SolveColumns = Kokkos::LayoutLeft;

constexpr std::size_t solve_order = 60, solve_sides = 3, solve_members = 5, small_order = 7;

/// One system and a batch, with all that calls need.
struct SolveCalls {
  Exec exec = new_instance_of<Exec>();
  carroll::SolveOptions options;
  GuardedView<double, 2, SolveColumns> A{{solve_order, solve_order}}, B{{solve_order, solve_sides}},
      X{{solve_order, solve_sides}}, inverse{{solve_order, solve_order}};
  GuardedView<double, 3, SolveColumns> A3{{solve_members, small_order, small_order}},
      B3{{solve_members, small_order, solve_sides}}, X3{{solve_members, small_order, solve_sides}},
      inverse3{{solve_members, small_order, small_order}};
  Kokkos::View<carroll::SolveInfo<double>, Memory> info{"carroll_test::info"};
  Kokkos::View<carroll::SolveInfo<double>*, Memory> infos{"carroll_test::infos", solve_members};
  carroll::SolveWorkspace<Exec, double> one, many, inverts_one, inverts_many;

  explicit SolveCalls(carroll::SolveOptions const& chosen) : options(chosen) {
    double value = 0;
    auto const set = [&](auto& view) {
      view.for_each_index([&](auto index) { view(index) = std::sin(value += 1.7); });
      view.to_device();
    };
    set(A);
    set(B);
    set(A3);
    set(B3);
    carroll::SolveExtents const single{.n = solve_order, .columns = solve_sides};
    carroll::SolveExtents const batch{
        .batch = solve_members, .n = small_order, .columns = solve_sides};
    one = carroll::solve_workspace<double>(exec, single, options);
    many = carroll::solve_workspace<double>(exec, batch, options);
    inverts_one = carroll::inverse_workspace<double>(exec, single, options);
    inverts_many = carroll::inverse_workspace<double>(exec, batch, options);
    Kokkos::fence();
  }

  void with_workspace() { (void)carroll::solve(exec, A.view(), B.view(), X.view(), one); }
  void batch_with_workspace() { (void)carroll::solve(exec, A3.view(), B3.view(), X3.view(), many); }
  void inverse_with_workspace() {
    (void)carroll::inverse(exec, A.view(), inverse.view(), inverts_one);
  }
  void async() { carroll::solve_async(exec, A.view(), B.view(), X.view(), info, one); }
  void batch_async() { carroll::solve_async(exec, A3.view(), B3.view(), X3.view(), infos, many); }
  void inverse_async() {
    carroll::inverse_async(exec, A.view(), inverse.view(), info, inverts_one);
  }
  void batch_inverse_async() {
    carroll::inverse_async(exec, A3.view(), inverse3.view(), infos, inverts_many);
  }
  void plain() { (void)carroll::solve(exec, A.view(), B.view(), X.view(), options); }
  void batch_plain() { (void)carroll::inverse(exec, A3.view(), inverse3.view(), options); }
};

constexpr DocumentedCall<SolveCalls> solve_calls[] = {
    {"solve with a workspace", &SolveCalls::with_workspace, 1, false},
    {"solve of a batch with a workspace", &SolveCalls::batch_with_workspace, 1, false},
    {"inverse with a workspace", &SolveCalls::inverse_with_workspace, 1, false},
    {"solve_async", &SolveCalls::async, 0, false},
    {"solve_async of a batch", &SolveCalls::batch_async, 0, false},
    {"inverse_async", &SolveCalls::inverse_async, 0, false},
    {"inverse_async of a batch", &SolveCalls::batch_inverse_async, 0, false},
    {"solve", &SolveCalls::plain, 1, true},
    {"inverse of a batch", &SolveCalls::batch_plain, 1, true},
};

class SolveContract : public ::testing::TestWithParam<carroll::SolvePath> {};

TEST_P(SolveContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  SolveCalls problem({.path = GetParam()});
  expect_documented(problem, solve_calls, "carroll::");
}

/// Another instance; on OpenMP it has another number of threads, too.
TEST_P(SolveContract, SameBitsOnEveryInstance) {
  Exec const other = new_instance_of<Exec>();
  Random random(4);
  for (int const n : {9, 64, 150})
    for (bool const inverts : {false, true}) {
      HostSystem<double> system{HostMatrix<double>(n, n), HostMatrix<double>(n, 3)};
      for (double& x : system.A.data) x = random.normal();
      for (double& x : system.B.data) x = random.normal();
      SolveCall call;
      call.options.path = GetParam();
      call.inverse = inverts;
      EXPECT_TRUE(same_result(run_solve(system, call), run_solve(system, call, other))) << n;
    }
}

INSTANTIATE_TEST_SUITE_P(All, SolveContract,
                         ::testing::Values(carroll::SolvePath::automatic, carroll::SolvePath::team,
                                           carroll::SolvePath::tiled));

}  // namespace
