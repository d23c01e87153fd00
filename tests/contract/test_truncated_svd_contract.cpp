// SPDX-License-Identifier: BSD-3-Clause
// What truncated_svd promises to callers with several instances: fences, instance, allocations,
// labels, and the same bits everywhere.
#include <gtest/gtest.h>

#include <carroll/truncated_svd.hpp>
#include <string>

#include "documented_calls.hpp"
#include "new_instance.hpp"
#include "support/guarded_view.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/truncated_drivers.hpp"
#include "truncated_svd_instances.hpp"

namespace {

using namespace carroll::test;
using Left = Kokkos::LayoutLeft;

/// A 120×100 problem of rank 6, for which the decaying spectrum needs no second look.
struct TruncatedProblem {
  Exec exec = new_instance_of<Exec>();
  TruncatedSvdOptions options;
  GuardedView<double, 2, Left> A =
      guarded_from<double, Left>(make_matrix<double>(MatrixType::dense_geometric, 120, 100, 2));
  GuardedView<double, 2, Left> U{{120, 6}};
  GuardedView<double, 1, Left> S{{6}};
  GuardedView<double, 2, Left> V{{100, 6}};
  Kokkos::View<TruncatedSvdInfo<double>, Memory> info{"carroll_test::info"};
  carroll::TruncatedSvdWorkspace<Exec, double> workspace;

  explicit TruncatedProblem(TruncatedSvdPath path) : options{.path = path, .power_steps = 12} {
    workspace = carroll::truncated_svd_workspace<double>(
        exec, {.rows = 120, .cols = 100, .rank = 6}, options);
    Kokkos::fence();
  }

  void call_plain() {
    (void)carroll::truncated_svd(exec, A.view(), U.view(), S.view(), V.view(), options);
  }
  void call_with_workspace() {
    (void)carroll::truncated_svd(exec, A.view(), U.view(), S.view(), V.view(), workspace);
  }
  void call_async() {
    carroll::truncated_svd_async(exec, A.view(), U.view(), S.view(), V.view(), info, workspace);
  }
};

/// The documentation of truncated_svd.hpp, as a table.
constexpr DocumentedCall<TruncatedProblem> truncated_calls[] = {
    {"truncated_svd", &TruncatedProblem::call_plain, 1, true},
    {"truncated_svd with a workspace", &TruncatedProblem::call_with_workspace, 1, false},
    {"truncated_svd_async", &TruncatedProblem::call_async, 0, false},
};

class TruncatedSvdContract : public ::testing::TestWithParam<TruncatedSvdPath> {};

TEST_P(TruncatedSvdContract, FencesAllocationsInstancesAndLabels) {
  TruncatedProblem problem(GetParam());
  expect_documented(problem, truncated_calls, "carroll::", 10);
}

TEST_P(TruncatedSvdContract, SameBitsOnEveryInstance) {
  Exec const other = new_instance_of<Exec>();
  for (auto [rows, cols] : {std::pair{120, 90}, {90, 120}, {9, 6}}) {
    auto const A = make_matrix<double>(MatrixType::uniform01, rows, cols, 4);
    TruncatedSvdOptions const options{.path = GetParam()};
    EXPECT_TRUE(
        same_result(run_truncated_svd(A, 5, options), run_truncated_svd(A, 5, options, other)))
        << rows << 'x' << cols;
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, TruncatedSvdContract,
                         ::testing::Values(TruncatedSvdPath::randomized, TruncatedSvdPath::full),
                         [](auto const& tested) {
                           return std::string(
                               tested.param == TruncatedSvdPath::full ? "full" : "randomized");
                         });

}  // namespace
