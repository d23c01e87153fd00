// SPDX-License-Identifier: BSD-3-Clause
// What a caller with several instances relies on: how often a call fences, where it launches, when
// it allocates, how its work is labelled, and that results do not depend on the instance.
#include <gtest/gtest.h>

#include <carroll/eigh.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "documented_calls.hpp"
#include "eigh_instances.hpp"
#include "new_instance.hpp"
#include "support/eigh/drivers.hpp"
#include "support/eigh/symmetric_matrices.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using Left = Kokkos::LayoutLeft;
using Info = carroll::EighInfo<double>;

constexpr std::size_t order = 40, batch = 5, small = 7;

/// One matrix, a batch and a ragged one, with all that calls need.
struct Problem {
  Exec exec = new_instance_of<Exec>();
  carroll::EighOptions options;
  GuardedView<double, 2, Left> A{{order, order}}, V{{order, order}};
  GuardedView<double, 1, Left> W{{order}};
  GuardedView<double, 3, Left> A3{{batch, small, small}}, V3{{batch, small, small}};
  GuardedView<double, 2, Left> W2{{batch, small}};
  std::vector<carroll::EighMember> members =
      carroll::eigh_members(std::vector<std::int64_t>{20, 140});
  GuardedView<double, 1, Left> packed_A{{20000}}, packed_V{{20000}}, packed_W{{160}};
  Kokkos::View<Info, Memory> info{"carroll_test::info"};
  Kokkos::View<Info*, Memory> infos{"carroll_test::infos", batch};
  Kokkos::View<Info*, Memory> ragged_infos{"carroll_test::ragged_infos", 2};
  carroll::EighWorkspace<Exec, double> one, many, values, ragged;

  explicit Problem(carroll::EighOptions const& chosen) : options(chosen) {
    double value = 0;
    auto const set = [&](auto& view, auto const& diagonal) {
      view.for_each_index([&](auto index) {
        view(index) = std::sin(value += 1.7) / 200 + (diagonal(index) ? 2 : 0);
      });
      view.to_device();
    };
    set(A, [](auto i) { return i[0] == i[1]; });
    set(A3, [](auto i) { return i[1] == i[2]; });
    set(packed_A, [](auto i) { return i[0] < 400 ? i[0] % 21 == 0 : (i[0] - 400) % 141 == 0; });
    one = carroll::eigh_workspace<double>(exec, {.n = order}, options);
    many = carroll::eigh_workspace<double>(exec, {.batch = batch, .n = small}, options);
    values = carroll::eigh_workspace<double>(exec, {.n = order, .vectors = false}, options);
    ragged = carroll::eigh_ragged_workspace<double>(exec, members, true, options);
    Kokkos::fence();
  }

  void with_workspace() { (void)carroll::eigh(exec, A.view(), W.view(), V.view(), one); }
  void batch_with_workspace() { (void)carroll::eigh(exec, A3.view(), W2.view(), V3.view(), many); }
  void values_with_workspace() {
    (void)carroll::symmetric_eigenvalues(exec, A.view(), W.view(), values);
  }
  void async() { carroll::eigh_async(exec, A.view(), W.view(), V.view(), info, one); }
  void batch_async() { carroll::eigh_async(exec, A3.view(), W2.view(), V3.view(), infos, many); }
  void values_async() {
    carroll::symmetric_eigenvalues_async(exec, A.view(), W.view(), info, values);
  }
  void ragged_async() {
    carroll::eigh_ragged_async(exec, packed_A.view(), packed_W.view(), packed_V.view(),
                               ragged_infos, ragged);
  }
  void plain() { (void)carroll::eigh(exec, A.view(), W.view(), V.view(), options); }
  void batch_plain() { (void)carroll::eigh(exec, A3.view(), W2.view(), V3.view(), options); }
};

constexpr DocumentedCall<Problem> calls[] = {
    {"eigh with a workspace", &Problem::with_workspace, 1, false},
    {"eigh of a batch with a workspace", &Problem::batch_with_workspace, 1, false},
    {"symmetric_eigenvalues with a workspace", &Problem::values_with_workspace, 1, false},
    {"eigh_async", &Problem::async, 0, false},
    {"eigh_async of a batch", &Problem::batch_async, 0, false},
    {"symmetric_eigenvalues_async", &Problem::values_async, 0, false},
    {"eigh_ragged_async", &Problem::ragged_async, 0, false},
    {"eigh", &Problem::plain, 1, true},
    {"eigh of a batch", &Problem::batch_plain, 1, true},
};

std::vector<carroll::EighOptions> all_options() {
  std::vector<carroll::EighOptions> all(4);
  all[1].path = carroll::EighPath::team;
  all[2].method = carroll::EighMethod::cholesky_jacobi;
  all[3].path = carroll::EighPath::divided;
  return all;
}

class EighContract : public ::testing::TestWithParam<carroll::EighOptions> {};

TEST_P(EighContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  Problem problem(GetParam());
  expect_documented(problem, calls, "carroll::");
}

/// Another instance; on OpenMP it has another number of threads, too.
TEST_P(EighContract, SameBitsOnEveryInstance) {
  Exec const other = new_instance_of<Exec>();
  Random random(4);
  for (int const n : {9, 64, 150}) {
    auto const A = whole_gram<double>(random, n, n);
    EighCall call;
    call.options = GetParam();
    EXPECT_TRUE(same_result(run_eigh(A, call), run_eigh(A, call, other))) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EighContract, ::testing::ValuesIn(all_options()));

}  // namespace
