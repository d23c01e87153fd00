// SPDX-License-Identifier: BSD-3-Clause
// What the pseudoinverse promises to callers with several instances: fences, instance, allocations,
// labels, and the same bits everywhere.
#include <gtest/gtest.h>

#include "documented_calls.hpp"
#include "new_instance.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseInfo;
using carroll::PseudoinverseMethod;
using Left = Kokkos::LayoutLeft;

struct Problem {
  Exec exec = new_instance_of<Exec>();
  ArrowProblem<double> host;
  DeviceArrow<double, Left> device;
  Kokkos::View<double*, Memory> y, xi;
  Kokkos::View<double**, Memory> inverse;
  Kokkos::View<PseudoinverseInfo<double>, Memory> info{"carroll_test::info"};
  carroll::PseudoinverseWorkspace<Exec, double> workspace;

  static ArrowProblem<double> made(int k) {
    Random random(20);
    return random_arrow<double>(random, 2500, k, 30);
  }
  explicit Problem(int k)
      : host(made(k)),
        device(host),
        y("carroll_test::y", k),
        xi("carroll_test::xi", 30),
        inverse("carroll_test::inverse", k + 30, 2500),
        workspace(carroll::pseudoinverse_workspace<double>(
            exec, {.rows = 2500, .motions = k, .depths = 30, .dense = true})) {
    Kokkos::fence();
  }
  auto x() const { return carroll::ArrowSolution{y, xi}; }

  void with_workspace() {
    (void)carroll::apply_pseudoinverse(exec, device.jacobian(), device.rhs.view(), x(), workspace);
  }
  void async() {
    carroll::apply_pseudoinverse_async(exec, device.jacobian(), device.rhs.view(), x(), info,
                                       workspace);
  }
  void plain() {
    (void)carroll::apply_pseudoinverse(exec, device.jacobian(), device.rhs.view(), x());
  }
  void dense_with_workspace() {
    (void)carroll::pseudoinverse(exec, device.jacobian(), inverse, workspace);
  }
  void dense_async() {
    carroll::pseudoinverse_async(exec, device.jacobian(), inverse, info, workspace);
  }
  void dense_plain() { (void)carroll::pseudoinverse(exec, device.jacobian(), inverse); }
};

/// The documentation of pseudoinverse.hpp, as a table, where the step and A⁺ take so many kernels.
template <int Step, int Dense>
constexpr DocumentedCall<Problem> calls[] = {
    {"apply_pseudoinverse with a workspace", &Problem::with_workspace, 1, false, Step},
    {"apply_pseudoinverse_async", &Problem::async, 0, false, Step},
    {"apply_pseudoinverse", &Problem::plain, 1, true, Step},
    {"pseudoinverse with a workspace", &Problem::dense_with_workspace, 1, false, Dense},
    {"pseudoinverse_async", &Problem::dense_async, 0, false, Dense},
    {"pseudoinverse", &Problem::dense_plain, 1, true, Dense},
};

class PseudoinverseContract : public ::testing::TestWithParam<int> {};

TEST_P(PseudoinverseContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  Problem problem(GetParam());
  constexpr char const* prefix = "carroll::pseudoinverse";
  constexpr int single_dense = carroll::detail::lanes<Exec> == 1 ? 3 : 1;
  if (GetParam() == 1)
    expect_documented(problem, calls<1, single_dense>, prefix);
  else
    expect_documented(problem, calls<2, 4>, prefix);
}

/// With OpenMP the other instance has one thread: the same bits also for every number of them.
TEST_P(PseudoinverseContract, SameBitsOnEveryInstance) {
  for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                            PseudoinverseMethod::normal_equations}) {
    Random random(21);
    auto const problem = random_arrow<double>(random, 70'000, GetParam(), 60'000);
    auto const expected = run_step(problem, {.method = method});
    auto const result = run_step(problem, {.method = method}, new_instance_of<Exec>());
    EXPECT_TRUE(same_bits(result.motion, expected.motion));
    EXPECT_TRUE(same_bits(result.depth, expected.depth));
    EXPECT_TRUE(same_bits(result.covariance, expected.covariance));
    EXPECT_TRUE(same_bits(result.variances, expected.variances));
  }
}

INSTANTIATE_TEST_SUITE_P(MotionColumns, PseudoinverseContract, ::testing::Values(1, 4, 6));

}  // namespace
