// SPDX-License-Identifier: BSD-3-Clause
// What determinants of ragged batches and of DualViews promise: fences, instance, allocations,
// labels, launches, and the same bits on every instance.
#include <gtest/gtest.h>

#include <carroll/determinant_dual.hpp>
#include <cstdint>
#include <set>
#include <utility>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "determinant_instances.hpp"
#include "support/copy.hpp"
#include "support/determinant/ragged_matrices.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;

struct RaggedProblem {
  Exec exec = new_instance_of<Exec>();
  RaggedMatrices<double> ragged{{2, 40, 300, 3, 33, 7, 300, 35, 1, 0}, 3};
  Kokkos::View<DeterminantInfo<double>*, Memory> infos{"carroll_test::infos", 10};
  carroll::DeterminantRaggedWorkspace<Exec, double> workspace =
      carroll::determinant_ragged_workspace<double>(exec, ragged.members, true);

  RaggedProblem() { Kokkos::fence(); }

  [[nodiscard]] auto A() const { return ragged.A.view(); }
  void with_workspace() { (void)carroll::determinant_ragged(exec, A(), workspace); }
  void kept_with_workspace() { (void)carroll::determinant_of_ragged(exec, A(), workspace); }
  void async() { carroll::determinant_ragged_async(exec, A(), infos, workspace); }
  void kept_async() { carroll::determinant_of_ragged_async(exec, A(), infos, workspace); }
  void plain() { (void)carroll::determinant_ragged(exec, ragged.members, A()); }
  void kept_plain() { (void)carroll::determinant_of_ragged(exec, ragged.members, A()); }
};

/// The documentation of determinant_ragged.hpp, as a table.
constexpr DocumentedCall<RaggedProblem> ragged_calls[] = {
    {"determinant_of_ragged with a workspace", &RaggedProblem::kept_with_workspace, 1, false},
    {"determinant_of_ragged_async", &RaggedProblem::kept_async, 0, false},
    {"determinant_of_ragged", &RaggedProblem::kept_plain, 2, true},
    {"determinant_ragged with a workspace", &RaggedProblem::with_workspace, 1, false},
    {"determinant_ragged_async", &RaggedProblem::async, 0, false},
    {"determinant_ragged", &RaggedProblem::plain, 2, true},
};

TEST(DeterminantRaggedContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  RaggedProblem problem;
  expect_documented(problem, ragged_calls, "carroll::determinant", 4);
}

TEST(DeterminantRaggedContract, SameBitsOnEveryInstanceAndByEveryForm) {
  RaggedProblem problem;
  auto const expected = carroll::determinant_of_ragged(Exec(), problem.ragged.members, problem.A());
  auto const check = [&] {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.infos);
    for (std::size_t b = 0; b < expected.size(); ++b)
      EXPECT_TRUE(same_bits(host(b), expected[b])) << b;
  };
  problem.kept_async();
  problem.exec.fence();
  check();
  problem.async();
  problem.exec.fence();
  check();
}

/// As many launches for a thousand matrices of orders below 33 as there are size classes.
TEST(DeterminantRaggedContract, LaunchesOncePerSizeClass) {
  std::vector<int> orders;
  for (int k = 0; k < 1000; ++k) orders.push_back(k % 33);
  RaggedMatrices<double> const ragged(orders, 1);
  Exec const exec;
  auto workspace = carroll::determinant_ragged_workspace<double>(exec, ragged.members, true);
  Kokkos::View<DeterminantInfo<double>*, Memory> const infos("carroll_test::infos", 1000);
  Kokkos::fence();
  ToolsRecorder const recorder;
  carroll::determinant_of_ragged_async(exec, ragged.A.view(), infos, workspace);
  Kokkos::fence();
  using carroll::detail::DeterminantDevice;
  auto const device = DeterminantDevice::of<Exec, double>(carroll::detail::processors(Exec()));
  std::set<std::pair<int, std::int64_t>> classes;
  for (int const n : orders)
    classes.insert(carroll::detail::determinant_size_class<double>({}, n, device));
  EXPECT_LE(classes.size(), 33U);
  EXPECT_EQ(recorder.of(ToolsEvent::Kind::kernel).size(), classes.size());
}

struct DualProblem {
  Exec exec = new_instance_of<Exec>();
  Kokkos::DualView<double**, Exec> A{"carroll_test::A", 40, 40};
  carroll::DeterminantDualWorkspace<Exec, double> workspace =
      carroll::determinant_dual_workspace<double>(exec, {.batch = 1, .n = 40, .keep = true});

  DualProblem() {
    carroll::test::deep_copy(A.view_device(), 2.0);
    A.modify_device();
    Kokkos::fence();
  }

  void with_workspace() { (void)carroll::determinant(exec, A, workspace); }
  void kept_with_workspace() { (void)carroll::determinant_of(exec, A, workspace); }
  void plain() { (void)carroll::determinant(exec, A); }
  void kept_plain() { (void)carroll::determinant_of(exec, A); }
};

/// The documentation of determinant_dual.hpp, as a table.
constexpr DocumentedCall<DualProblem> dual_calls[] = {
    {"determinant_of with a workspace", &DualProblem::kept_with_workspace, 1, false},
    {"determinant_of", &DualProblem::kept_plain, 1, true},
    {"determinant with a workspace", &DualProblem::with_workspace, 1, false},
    {"determinant", &DualProblem::plain, 1, true},
};

TEST(DeterminantDualContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  DualProblem problem;
  expect_documented(problem, dual_calls, "carroll::determinant");
}

}  // namespace
