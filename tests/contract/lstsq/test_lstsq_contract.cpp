// SPDX-License-Identifier: BSD-3-Clause
// What a caller with several instances relies on: how often a call fences, where it launches, when
// it allocates, how its work is labelled, and that results do not depend on the instance.
#include <gtest/gtest.h>

#include <carroll/lstsq.hpp>
#include <cmath>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "decompositions/lstsq_instances.hpp"
#include "support/guarded_view.hpp"
#include "support/lstsq/drivers.hpp"
#include "support/random.hpp"

namespace {

using namespace carroll::test;
using Lines = Kokkos::LayoutLeft;

constexpr std::size_t long_side = 60, short_side = 40, right_sides = 3, problems = 5, few = 7;

/// One problem and a batch, with all that calls need.
struct LstsqCalls {
  Exec exec = new_instance_of<Exec>();
  GuardedView<double, 2, Lines> A{{long_side, short_side}}, B{{long_side, right_sides}},
      X{{short_side, right_sides}}, P{{short_side, long_side}};
  GuardedView<double, 3, Lines> A3{{problems, few, few}}, P3{{problems, few, few}};
  GuardedView<double, 2, Lines> B2{{problems, few}}, X2{{problems, few}};
  Kokkos::View<carroll::LstsqInfo<double>, Memory> info{"carroll_test::info"};
  Kokkos::View<carroll::LstsqInfo<double>*, Memory> infos{"carroll_test::infos", problems};
  carroll::LstsqWorkspace<Exec, double> one, many, inverse, inverses;

  LstsqCalls() {
    double value = 0;
    auto const set = [&](auto& view) {
      view.for_each_index([&](auto index) { view(index) = std::sin(value += 1.7); });
      view.to_device();
    };
    set(A);
    set(B);
    set(A3);
    set(B2);
    one = carroll::lstsq_workspace<double>(
        exec, {.rows = long_side, .cols = short_side, .rhs = right_sides});
    many = carroll::lstsq_workspace<double>(exec, {.batch = problems, .rows = few, .cols = few});
    inverse = carroll::pinv_workspace<double>(exec, {.rows = long_side, .cols = short_side});
    inverses = carroll::pinv_workspace<double>(exec, {.batch = problems, .rows = few, .cols = few});
    Kokkos::fence();
  }

  void with_workspace() { (void)carroll::lstsq(exec, A.view(), B.view(), X.view(), one); }
  void batch_with_workspace() { (void)carroll::lstsq(exec, A3.view(), B2.view(), X2.view(), many); }
  void pinv_with_workspace() { (void)carroll::pinv(exec, A.view(), P.view(), inverse); }
  void pinv_of_batch_with_workspace() { (void)carroll::pinv(exec, A3.view(), P3.view(), inverses); }
  void async() { carroll::lstsq_async(exec, A.view(), B.view(), X.view(), info, one); }
  void batch_async() { carroll::lstsq_async(exec, A3.view(), B2.view(), X2.view(), infos, many); }
  void pinv_async() { carroll::pinv_async(exec, A.view(), P.view(), info, inverse); }
  void pinv_of_batch_async() { carroll::pinv_async(exec, A3.view(), P3.view(), infos, inverses); }
  void plain() { (void)carroll::lstsq(exec, A.view(), B.view(), X.view()); }
  void pinv_of_batch_plain() { (void)carroll::pinv(exec, A3.view(), P3.view()); }
};

constexpr DocumentedCall<LstsqCalls> lstsq_calls[] = {
    {"lstsq with a workspace", &LstsqCalls::with_workspace, 1, false},
    {"lstsq of a batch with a workspace", &LstsqCalls::batch_with_workspace, 1, false},
    {"pinv with a workspace", &LstsqCalls::pinv_with_workspace, 1, false},
    {"pinv of a batch with a workspace", &LstsqCalls::pinv_of_batch_with_workspace, 1, false},
    {"lstsq_async", &LstsqCalls::async, 0, false},
    {"lstsq_async of a batch", &LstsqCalls::batch_async, 0, false},
    {"pinv_async", &LstsqCalls::pinv_async, 0, false},
    {"pinv_async of a batch", &LstsqCalls::pinv_of_batch_async, 0, false},
    {"lstsq", &LstsqCalls::plain, 1, true},
    {"pinv of a batch", &LstsqCalls::pinv_of_batch_plain, 1, true},
};

TEST(LstsqContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  LstsqCalls calls;
  expect_documented(calls, lstsq_calls, "carroll::");
}

/// Another instance; on OpenMP it has another number of threads, too.
TEST(LstsqContract, SameBitsOnEveryInstance) {
  Exec const other = new_instance_of<Exec>();
  Random random(4);
  for (int const n : {9, 64, 150}) {
    HostMatrix<double> A(n + 5, n), B(n + 5, 40);
    for (double& x : A.data) x = random.normal();
    for (double& x : B.data) x = random.normal();
    EXPECT_TRUE(same_result(run_lstsq(A, B), run_lstsq(A, B, {}, other))) << n;
    EXPECT_TRUE(same_result(run_pinv(A), run_pinv(A, {}, other))) << n;
  }
}

/// What stands in the info's View comes from the same kernels as what is returned.
TEST(LstsqContract, InfoOfAsyncIsThatOfTheCallThatWaits) {
  LstsqCalls calls;
  auto const expected = carroll::pinv(calls.exec, calls.A3.view(), calls.P3.view(), calls.inverses);
  calls.pinv_of_batch_async();
  calls.exec.fence();
  auto const told = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls.infos);
  for (std::size_t b = 0; b < problems; ++b) {
    EXPECT_EQ(told(b).status, expected[b].status);
    EXPECT_EQ(told(b).rank, expected[b].rank);
    EXPECT_EQ(told(b).rank, 2);  // of sines at equal distances
    EXPECT_EQ(told(b).sigma_max, expected[b].sigma_max);
    EXPECT_EQ(told(b).sigma_min, expected[b].sigma_min);
  }
}

}  // namespace
