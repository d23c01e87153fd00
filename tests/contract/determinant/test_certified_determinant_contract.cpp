// SPDX-License-Identifier: BSD-3-Clause
// What certified_determinant promises to callers with several instances: fences, instance,
// allocations, labels, and the same bits everywhere.
#include <gtest/gtest.h>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/team.hpp>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "support/determinant/certified_drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace {

using namespace carroll::test;
using Info = carroll::CertifiedDeterminantInfo<double>;
using Right = Kokkos::LayoutRight;

HostMatrix<double> random_matrix(int n, std::uint64_t seed) {
  return make_matrix<double>(MatrixType::random, n, n, seed);
}

/// One matrix and a batch of three, with all that a call needs.
struct Problem {
  Exec exec = new_instance_of<Exec>();
  GuardedView<double, 2, Right> A;
  GuardedView<double, 3, Right> A3;
  Kokkos::View<Info, Memory> info{"carroll_test::info"};
  Kokkos::View<Info*, Memory> infos{"carroll_test::infos", 3};
  carroll::CertifiedDeterminantWorkspace<Exec, double> workspace;
  carroll::CertifiedDeterminantWorkspace<Exec, double> batch_workspace;

  explicit Problem(int n)
      : A(guarded_from<double, Right>(random_matrix(n, 1))),
        A3({3, static_cast<std::size_t>(n), static_cast<std::size_t>(n)}),
        workspace(carroll::certified_determinant_workspace<double>(exec, {.batch = 1, .n = n})),
        batch_workspace(
            carroll::certified_determinant_workspace<double>(exec, {.batch = 3, .n = n})) {
    auto const matrix = random_matrix(n, 2);
    A3.for_each_index([&](std::array<std::size_t, 3> at) {
      A3(at) = matrix(static_cast<int>(at[1]), static_cast<int>(at[2]));
    });
    A3.to_device();
    Kokkos::fence();
  }

  void with_workspace() { (void)carroll::certified_determinant(exec, A.view(), workspace); }
  void batch_with_workspace() {
    (void)carroll::certified_determinant(exec, A3.view(), batch_workspace);
  }
  void async() { carroll::certified_determinant_async(exec, A.view(), info, workspace); }
  void batch_async() {
    carroll::certified_determinant_async(exec, A3.view(), infos, batch_workspace);
  }
  void plain() { (void)carroll::certified_determinant(exec, A.view()); }
  void batch_plain() { (void)carroll::certified_determinant(exec, A3.view()); }
};

/// The documentation of certified_determinant.hpp, as a table.
constexpr DocumentedCall<Problem> calls[] = {
    {"with a workspace", &Problem::with_workspace, 1, false},
    {"a batch with a workspace", &Problem::batch_with_workspace, 1, false},
    {"async", &Problem::async, 0, false},
    {"async of a batch", &Problem::batch_async, 0, false},
    {"plain", &Problem::plain, 1, true},
    {"a batch", &Problem::batch_plain, 1, true},
};

class CertifiedContract : public ::testing::TestWithParam<int> {};

TEST_P(CertifiedContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  Problem problem(GetParam());
  expect_documented(problem, calls, "carroll::certified_determinant");
}

TEST_P(CertifiedContract, SameBitsOnEveryInstanceAndByEveryForm) {
  int const n = GetParam();
  auto const matrix = random_matrix(n, 1);
  auto const expected = run_certified(matrix);
  Problem problem(n);
  auto const same = [&](Info const& info) { return same_bits(info, expected); };
  EXPECT_TRUE(
      same(carroll::certified_determinant(problem.exec, problem.A.view(), problem.workspace)));
  EXPECT_TRUE(same(carroll::certified_determinant(problem.exec, problem.A.view())));
  problem.async();
  Info info;
  Kokkos::deep_copy(problem.exec, info, problem.info);
  problem.exec.fence();
  EXPECT_TRUE(same(info));
}

INSTANTIATE_TEST_SUITE_P(Orders, CertifiedContract, ::testing::Values(0, 3, 30, 170));

/// Teams of several sizes for the kernel whose teams are chosen by hand.
TEST(CertifiedTeams, SameBitsForEveryTeamSize) {
  using namespace carroll::detail;
  constexpr int n = 45;
  auto const matrix = random_matrix(n, 9);
  auto const expected = run_certified(matrix);
  Exec const exec;
  auto const workspace = carroll::certified_determinant_workspace<double>(exec, {.n = n});
  auto const A = guarded_from<double, Right>(matrix);
  typename decltype(A.view())::const_type const read_only = A.view();
  for (int const threads : {1, 2, 3, 4, 8}) {
    if (threads > exec.concurrency()) break;
    Kokkos::View<Info*, Memory> const infos("carroll_test::infos", 1);
    Kokkos::View<double*, Memory> const matrices("carroll_test::matrices",
                                                 CertifiedMemory::matrix_count * n * n);
    Kokkos::View<double*, Memory> const vectors("carroll_test::vectors",
                                                CertifiedMemory::vector_count * n);
    Kokkos::View<int*, Memory> const integers("carroll_test::integers",
                                              CertifiedMemory::integers_per_row * n);
    Kokkos::View<CertifiedState*, Memory> const states("carroll_test::states", 1);
    auto batch = AccessTo<carroll::CertifiedDeterminantWorkspace<Exec, double>>::batch(
        workspace, strided_batch(read_only));
    batch.infos = infos.data();
    using Kernel = CertifiedTeamKernel<Exec, double>;
    launch_teams(
        "carroll_test::team", exec,
        Kernel(batch, {matrices.data(), vectors.data(), integers.data(), states.data(), n}),
        {.count = 1, .threads = threads, .lanes = lanes<Exec>});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos);
    EXPECT_TRUE(same_bits(host(0), expected)) << threads;
  }
}

}  // namespace
