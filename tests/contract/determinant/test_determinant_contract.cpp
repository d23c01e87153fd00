// SPDX-License-Identifier: BSD-3-Clause
// What determinant promises to callers with several instances: fences, instance, allocations,
// labels, and the same bits everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/determinant.hpp>
#include <string>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "determinant_instances.hpp"
#include "support/determinant/drivers.hpp"
#include "support/determinant/matrices.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::DeterminantMethod;
using carroll::DeterminantOptions;
using Right = Kokkos::LayoutRight;

/// One method and order: between them they take every path.
struct Tested {
  DeterminantMethod method;
  int n;
};

/// One matrix and a batch of four, with all that a call needs.
struct Problem {
  Exec exec = new_instance_of<Exec>();
  DeterminantOptions options;
  GuardedView<double, 2, Right> A;
  GuardedView<double, 3, Right> A3;
  Kokkos::View<DeterminantInfo<double>, Memory> info{"carroll_test::info"};
  Kokkos::View<DeterminantInfo<double>*, Memory> infos{"carroll_test::infos", 4};
  carroll::DeterminantWorkspace<Exec, double> workspace;
  carroll::DeterminantWorkspace<Exec, double> batch_workspace;

  explicit Problem(Tested const& tested)
      : options{tested.method},
        A(guarded_from<double, Right>(random_square<double>(tested.n, 1))),
        A3(guarded_batch<double, Right>({4, random_square<double>(tested.n, 2)}, tested.n)),
        workspace(carroll::determinant_workspace<double>(
            exec, {.batch = 1, .n = tested.n, .keep = true}, options)),
        batch_workspace(carroll::determinant_workspace<double>(
            exec, {.batch = 4, .n = tested.n, .keep = true}, options)) {
    Kokkos::fence();
  }

  void with_workspace() { (void)carroll::determinant(exec, A.view(), workspace); }
  void kept_with_workspace() { (void)carroll::determinant_of(exec, A.view(), workspace); }
  void batch_with_workspace() { (void)carroll::determinant(exec, A3.view(), batch_workspace); }
  void async() { carroll::determinant_async(exec, A.view(), info, workspace); }
  void kept_async() { carroll::determinant_of_async(exec, A.view(), info, workspace); }
  void batch_async() { carroll::determinant_of_async(exec, A3.view(), infos, batch_workspace); }
  void plain() { (void)carroll::determinant(exec, A.view(), options); }
  void kept_plain() { (void)carroll::determinant_of(exec, A.view(), options); }
  void batch_plain() { (void)carroll::determinant_of(exec, A3.view(), options); }
};

/// The documentation of determinant.hpp, as a table. Calls that keep A come first.
constexpr DocumentedCall<Problem> calls[] = {
    {"determinant_of with a workspace", &Problem::kept_with_workspace, 1, false},
    {"determinant_of_async", &Problem::kept_async, 0, false},
    {"determinant_of_async of a batch", &Problem::batch_async, 0, false},
    {"determinant_of", &Problem::kept_plain, 1, true},
    {"determinant_of of a batch", &Problem::batch_plain, 1, true},
    {"determinant with a workspace", &Problem::with_workspace, 1, false},
    {"determinant of a batch with a workspace", &Problem::batch_with_workspace, 1, false},
    {"determinant_async", &Problem::async, 0, false},
    {"determinant", &Problem::plain, 1, true},
};

class DeterminantContract : public ::testing::TestWithParam<Tested> {};

TEST_P(DeterminantContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  Problem problem(GetParam());
  expect_documented(problem, calls, "carroll::determinant");
}

TEST_P(DeterminantContract, SameBitsOnEveryInstanceAndByEveryForm) {
  auto const [method, n] = GetParam();
  auto const matrix = random_square<double>(n, 4);
  auto const expected = run_determinant(matrix, {method});
  Problem problem({method, n});
  auto A = guarded_from<double, Right>(matrix);
  EXPECT_TRUE(
      same_bits(carroll::determinant_of(problem.exec, A.view(), problem.workspace), expected));
  carroll::determinant_of_async(problem.exec, A.view(), problem.info, problem.workspace);
  DeterminantInfo<double> info;
  Kokkos::deep_copy(problem.exec, info, problem.info);
  problem.exec.fence();
  EXPECT_TRUE(same_bits(info, expected));
  EXPECT_TRUE(same_bits(carroll::determinant(problem.exec, A.view(), {method}), expected));
}

INSTANTIATE_TEST_SUITE_P(
    Paths, DeterminantContract,
    ::testing::Values(
        Tested{DeterminantMethod::blocked, 0}, Tested{DeterminantMethod::blocked, 3},
        Tested{DeterminantMethod::blocked, 30}, Tested{DeterminantMethod::blocked, 80},
        Tested{DeterminantMethod::blocked, 300}, Tested{DeterminantMethod::condensation, 210},
        Tested{DeterminantMethod::salem_said, 20}, Tested{DeterminantMethod::dodgson, 20},
        Tested{DeterminantMethod::condensation_in_place, 20},
        Tested{DeterminantMethod::condensation_ping_pong, 20},
        Tested{DeterminantMethod::condensation_read_only, 20},
        Tested{DeterminantMethod::condensation_read_only_column, 20}),
    [](auto const& tested) {
      return ::testing::PrintToString(tested.param.method) + "_" + std::to_string(tested.param.n);
    });

#ifdef KOKKOS_ENABLE_OPENMP
/// One instance has one thread, the other all; chunks of work go to whoever comes first.
template <class T>
void expect_same_bits_for_threads(HostMatrix<T> const& matrix) {
  Kokkos::OpenMP const one(1), all;
  int const n = matrix.rows;
  Kokkos::View<T***, Right, Kokkos::HostSpace> const A("carroll_test::A", 5, n, n);
  for (int b = 0; b < 5; ++b)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(b, i, j) = matrix(i, j);
  auto const expected = carroll::determinant_of(one, A);
  EXPECT_EQ(expected[0].status, carroll::Status::success) << n;
  for (int repeat = 0; repeat < 3; ++repeat) {
    auto const infos = carroll::determinant_of(all, A);
    for (std::size_t b = 0; b < 5; ++b) EXPECT_TRUE(same_bits(infos[b], expected[0])) << n;
  }
}
TEST(DeterminantThreads, SameBitsForEveryNumberOfThreads) {
  for (int const n : {2, 20, 100, 300, 700}) {
    expect_same_bits_for_threads(random_square<float>(n, 12));
    expect_same_bits_for_threads(random_square<double>(n, 12));
  }
}
/// Entries grow by a factor of two in every step, so that rows are scaled again and again.
TEST(DeterminantThreads, SameBitsWhereRowsGrow) {
  int const n = 800;
  auto const growing = wilkinson(n, true);
  HostMatrix<float> rounded(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) rounded(i, j) = static_cast<float>(growing(i, j));
  expect_same_bits_for_threads(rounded);
}
#endif

/// Teams of every size that the backend allows, for the kernels whose teams are chosen by hand.
TEST(DeterminantTeams, SameBitsForEveryTeamSize) {
  using namespace carroll::detail;
  constexpr int n = 70;
  auto const matrix = random_square<double>(n, 9);
  auto const expected = run_determinant(matrix, {DeterminantMethod::condensation});
  Exec const exec;
  for (int const threads : {1, 2, 3, 4, 7, 16}) {
    auto A = guarded_from<double, Right>(matrix);
    auto workspace = carroll::determinant_workspace<double>(exec, {.batch = 1, .n = n},
                                                            {DeterminantMethod::condensation});
    typename decltype(A)::ViewType::const_type const read_only = A.view();
    auto batch = AccessTo<carroll::DeterminantWorkspace<Exec, double>>::batch(
        workspace, strided_batch(read_only), A.view().data());
    Kokkos::View<DeterminantInfo<double>*, Memory> const infos("carroll_test::infos", 1);
    batch.infos = infos.data();
    launch_fitting_teams("carroll_test::condensation", exec,
                         DeterminantInPlaceKernel<Exec, double, Condensation>{batch}, {1, threads});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos);
    EXPECT_TRUE(same_bits(host(0), expected)) << threads;
  }
}

}  // namespace
