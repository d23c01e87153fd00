// SPDX-License-Identifier: BSD-3-Clause
// What a caller with several instances relies on: how often a call fences, where it launches, when
// it allocates, how its work is labelled, and that results do not depend on instance, batch or
// position.
#include <gtest/gtest.h>

#include <atomic>
#include <carroll/svd.hpp>
#include <chrono>
#include <cmath>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "documented_calls.hpp"
#include "new_instance.hpp"
#include "support/guarded_view.hpp"
#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/methods.hpp"
#include "svd_instances.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using Kind = ToolsEvent::Kind;
using Left = Kokkos::LayoutLeft;

constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

Exec new_instance() {
  return new_instance_of<Exec>();
}

/// A 60×50 problem and a batch of four 9×6 ones, thin, with all that a call needs.
struct Problem {
  Exec exec;
  SvdOptions options;
  GuardedView<double, 2, Left> A =
      guarded_from<double, Left>(make_matrix<double>(MatrixType::random, 60, 50, 2));
  GuardedView<double, 2, Left> U{{60, 50}};
  GuardedView<double, 1, Left> S{{50}};
  GuardedView<double, 2, Left> V{{50, 50}};
  GuardedView<double, 3, Left> A3{{4, 9, 6}};
  GuardedView<double, 3, Left> U3{{4, 9, 6}};
  GuardedView<double, 2, Left> S2{{4, 6}};
  GuardedView<double, 3, Left> V3{{4, 6, 6}};
  Kokkos::View<SvdInfo<double>, Memory> info{"carroll_test::info"};
  Kokkos::View<SvdInfo<double>*, Memory> infos{"carroll_test::infos", 4};
  std::vector<carroll::SvdMember> members =
      carroll::svd_members(std::vector<std::pair<std::int64_t, std::int64_t>>{{20, 50}, {40, 25}});
  GuardedView<double, 1, Left> packed_A{{2000}};
  GuardedView<double, 1, Left> packed_U{{1400}};
  GuardedView<double, 1, Left> packed_S{{45}};
  GuardedView<double, 1, Left> packed_V{{1625}};
  Kokkos::View<SvdInfo<double>*, Memory> ragged_infos{"carroll_test::ragged_infos", 2};
  carroll::SvdWorkspace<Exec, double> workspace;
  carroll::SvdWorkspace<Exec, double> batch_workspace;
  carroll::SvdWorkspace<Exec, double> values_workspace;
  carroll::SvdWorkspace<Exec, double> ragged_workspace;

  Problem(Exec const& instance, SvdOptions const& chosen)
      : exec(instance),
        options(chosen),
        workspace(carroll::svd_workspace<double>(exec, {.rows = 60, .cols = 50}, options)),
        batch_workspace(
            carroll::svd_workspace<double>(exec, {.batch = 4, .rows = 9, .cols = 6}, options)),
        values_workspace(carroll::svd_workspace<double>(
            exec, {.rows = 60, .cols = 50, .u = SvdVectors::none, .v = SvdVectors::none}, options)),
        ragged_workspace(carroll::svd_ragged_workspace<double>(exec, members, SvdVectors::thin,
                                                               SvdVectors::thin, options)) {
    double value = 0;
    A3.for_each_index(
        [&](std::array<std::size_t, 3> index) { A3(index) = std::sin(value += 1.7); });
    packed_A.for_each_index(
        [&](std::array<std::size_t, 1> index) { packed_A(index) = std::cos(value += 1.3); });
    A3.to_device();
    packed_A.to_device();
    Kokkos::fence();
  }

  void call_with_workspace() {
    (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), workspace);
  }
  void call_batch_with_workspace() {
    (void)carroll::svd(exec, A3.view(), U3.view(), S2.view(), V3.view(), batch_workspace);
  }
  void call_values_with_workspace() {
    (void)carroll::singular_values(exec, A.view(), S.view(), values_workspace);
  }
  void call_async() {
    carroll::svd_async(exec, A.view(), U.view(), S.view(), V.view(), info, workspace);
  }
  void call_batch_async() {
    carroll::svd_async(exec, A3.view(), U3.view(), S2.view(), V3.view(), infos, batch_workspace);
  }
  void call_values_async() {
    carroll::singular_values_async(exec, A.view(), S.view(), info, values_workspace);
  }
  void call_ragged_async() {
    carroll::svd_ragged_async(exec, packed_A.view(), packed_U.view(), packed_S.view(),
                              packed_V.view(), ragged_infos, ragged_workspace);
  }
  void call_plain() { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), options); }
  void call_batch_plain() {
    (void)carroll::svd(exec, A3.view(), U3.view(), S2.view(), V3.view(), options);
  }
  void call_ragged_plain() {
    (void)carroll::svd_ragged(exec, members, packed_A.view(), packed_U.view(), packed_S.view(),
                              packed_V.view(), options);
  }
};

/// The documentation of svd.hpp, as a table.
constexpr DocumentedCall<Problem> calls[] = {
    {"svd with a workspace", &Problem::call_with_workspace, 1, false},
    {"svd of a batch with a workspace", &Problem::call_batch_with_workspace, 1, false},
    {"singular_values with a workspace", &Problem::call_values_with_workspace, 1, false},
    {"svd_async", &Problem::call_async, 0, false},
    {"svd_async of a batch", &Problem::call_batch_async, 0, false},
    {"singular_values_async", &Problem::call_values_async, 0, false},
    {"svd_ragged_async", &Problem::call_ragged_async, 0, false},
    {"svd", &Problem::call_plain, 1, true},
    {"svd of a batch", &Problem::call_batch_plain, 1, true},
    {"svd_ragged", &Problem::call_ragged_plain, 2, true},
};

class SvdContract : public ::testing::TestWithParam<Method> {};

TEST_P(SvdContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  Problem problem(new_instance(), GetParam().options);
  expect_documented(problem, calls, "carroll::");
}

/// Already at the first call, which may set up the backend.
TEST_P(SvdContract, KernelsRunOnTheCallersInstance) {
  Problem problem(new_instance(), GetParam().options);
  auto const instance = Kokkos::Tools::Experimental::device_id(problem.exec);
  if (!on_host) {
    ASSERT_NE(instance, Kokkos::Tools::Experimental::device_id(Exec{}));
  }
  for (DocumentedCall<Problem> const& call : calls) {
    ToolsRecorder const recorder;
    (problem.*call.function)();
    EXPECT_GE(recorder.of(Kind::kernel).size(), 1U) << call.name;
    for (ToolsEvent const& kernel : recorder.of(Kind::kernel))
      EXPECT_EQ(kernel.device_id, instance) << call.name << ": " << kernel.label;
  }
}

/// Host instances all have the same identifier, so here the default instance is kept busy instead:
/// a call that launched there, or waited for everything, would not come back before it is released.
/// Calls that free a workspace wait, because Kokkos does before it frees.
TEST_P(SvdContract, ReturnsWhileAnotherInstanceIsBusy) {
  if (!on_host) GTEST_SKIP() << "devices are checked by instance identifiers";
  using Host = Kokkos::DefaultHostExecutionSpace;  // where this runs, the default space
  Problem problem(new_instance(), GetParam().options);
  for (DocumentedCall<Problem> const& call : calls) {
    if (call.allocates) continue;
    std::atomic<bool> started = false;
    std::atomic<bool> release = false;
    std::atomic<bool> returned = false;
    std::atomic<bool> too_late = false;
    std::thread busy([&] {
      Kokkos::parallel_for("carroll_test::busy", Kokkos::RangePolicy<Host>(Host{}, 0, 1), [&](int) {
        started = true;
        while (!release) std::this_thread::yield();
      });
    });
    while (!started) std::this_thread::yield();
    std::thread watchdog([&] {
      auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (!returned && std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      too_late = !returned;
      release = true;
    });
    (problem.*call.function)();
    returned = true;
    watchdog.join();
    busy.join();
    EXPECT_FALSE(too_late) << call.name << " waited for another instance";
    if (too_late) return;
  }
}

/// Another instance; on OpenMP it has another number of threads, too.
TEST_P(SvdContract, SameBitsOnEveryInstance) {
  Exec const other = new_instance();
  for (auto [rows, cols] : {std::pair{9, 6}, {64, 50}, {50, 120}}) {
    auto const A = make_matrix<double>(MatrixType::uniform01, rows, cols, 4);
    EXPECT_TRUE(same_result(run_svd(A, full_vectors, GetParam().options),
                            run_svd(A, full_vectors, GetParam().options, other)))
        << rows << 'x' << cols;
  }
}

/// Alone, in batches of several sizes at several positions, uniform and ragged: few large matrices
/// are given several threads each, many are not.
TEST_P(SvdContract, SameBitsInEveryBatchAndPosition) {
  auto const A = make_matrix<double>(MatrixType::uniform01, 70, 52, 4);
  auto const B = make_matrix<double>(MatrixType::random, 70, 52, 5);
  auto const C = make_matrix<double>(MatrixType::random, 11, 90, 6);
  auto const& options = GetParam().options;
  auto const expected = run_svd(A, full_vectors, options);
  for (int size : {1, 2, 5})
    for (int position : {0, 1, 4}) {
      if (position >= size) continue;
      std::vector<HostMatrix<double>> batch(static_cast<std::size_t>(size), B);
      batch[static_cast<std::size_t>(position)] = A;
      auto const uniform = run_svd_batch(batch, full_vectors, options);
      EXPECT_TRUE(same_result(uniform[static_cast<std::size_t>(position)], expected))
          << "uniform batch of " << size << ", position " << position;
      for (std::size_t k = 0; k < batch.size(); ++k)
        if (static_cast<int>(k) != position && k % 2 == 1) batch[k] = C;
      auto const ragged = run_svd_ragged(batch, full_vectors, options);
      EXPECT_TRUE(same_result(ragged[static_cast<std::size_t>(position)], expected))
          << "ragged batch of " << size << ", position " << position;
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, SvdContract, ::testing::ValuesIn(all_methods()),
                         [](auto const& tested) { return std::string(tested.param.name); });

}  // namespace
