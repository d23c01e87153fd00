// SPDX-License-Identifier: BSD-3-Clause
// `eigh`, `lstsq`, `pinv`, `solve` and `inverse` of complex matrices keep what those of real ones
// promise: how often a call fences, where it launches, when it allocates, how its work is labelled.
#include <gtest/gtest.h>

#include <carroll/eigh.hpp>
#include <carroll/lstsq.hpp>
#include <carroll/solve.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "decompositions/lstsq_instances.hpp"
#include "decompositions/solve_instances.hpp"
#include "eigh_instances.hpp"
#include "support/eigh/drivers.hpp"
#include "support/eigh/hermitian_matrices.hpp"
#include "support/guarded_view.hpp"
#include "support/lstsq/drivers.hpp"
#include "support/solve/drivers.hpp"

namespace {

using namespace carroll::test;
using Complex = Kokkos::complex<double>;
using ByColumns = Kokkos::LayoutLeft;

constexpr std::size_t side = 36, members = 5, little = 7, sides = 3;

/// One problem and a batch, with all that calls need.
struct ComplexCalls {
  Exec exec = new_instance_of<Exec>();
  carroll::EighOptions options;
  GuardedView<Complex, 2, ByColumns> A{{side, side}}, V{{side, side}}, B{{side, sides}},
      X{{side, sides}};
  GuardedView<double, 1, ByColumns> W{{side}};
  GuardedView<Complex, 3, ByColumns> A3{{members, little, little}}, V3{{members, little, little}};
  GuardedView<double, 2, ByColumns> W2{{members, little}};
  Kokkos::View<carroll::EighInfo<double>, Memory> eigh_info{"carroll_test::eigh_info"};
  Kokkos::View<carroll::EighInfo<double>*, Memory> eigh_infos{"carroll_test::eigh_infos", members};
  Kokkos::View<carroll::LstsqInfo<double>, Memory> lstsq_info{"carroll_test::lstsq_info"};
  Kokkos::View<carroll::LstsqInfo<double>*, Memory> lstsq_infos{"carroll_test::lstsq_infos",
                                                                members};
  carroll::EighWorkspace<Exec, Complex> pairs, many_pairs, values, ragged;
  std::vector<carroll::EighMember> list =
      carroll::eigh_members(std::vector<std::int64_t>{20, 140, 5, 20, 0});
  GuardedView<Complex, 1, ByColumns> packed_A{{20425}}, packed_V{{20425}};
  GuardedView<double, 1, ByColumns> packed_W{{185}};
  Kokkos::View<carroll::EighInfo<double>*, Memory> ragged_infos{"carroll_test::ragged_infos", 5};
  Kokkos::View<carroll::SolveInfo<double>, Memory> solve_info{"carroll_test::solve_info"};
  Kokkos::View<carroll::SolveInfo<double>*, Memory> solve_infos{"carroll_test::solve_infos",
                                                                members};
  carroll::LstsqWorkspace<Exec, Complex> solution, inverses;
  carroll::SolveWorkspace<Exec, Complex> system, many_inverses;

  explicit ComplexCalls(carroll::EighOptions const& chosen) : options(chosen) {
    double value = 0;
    auto const set = [&](auto& view, auto const& diagonal) {
      view.for_each_index([&](auto index) {
        double const re = std::sin(value += 1.7) / 200 + (diagonal(index) ? 2 : 0);
        view(index) = Complex(re, std::sin(value += 0.9) / 200);
      });
      view.to_device();
    };
    set(A, [](auto i) { return i[0] == i[1]; });
    set(A3, [](auto i) { return i[1] == i[2]; });
    set(B, [](auto) { return false; });
    set(packed_A, [&](auto i) {
      for (auto const& at : list)
        if (auto const k = static_cast<std::int64_t>(i[0]) - at.a; k >= 0 && k < at.n * at.n)
          return k % (at.n + 1) == 0;
      return false;
    });
    ragged = carroll::eigh_ragged_workspace<Complex>(exec, list, true, options);
    pairs = carroll::eigh_workspace<Complex>(exec, {.n = side}, options);
    many_pairs = carroll::eigh_workspace<Complex>(exec, {.batch = members, .n = little}, options);
    values = carroll::eigh_workspace<Complex>(exec, {.n = side, .vectors = false}, options);
    solution = carroll::lstsq_workspace<Complex>(exec, {.rows = side, .cols = side, .rhs = sides});
    inverses =
        carroll::pinv_workspace<Complex>(exec, {.batch = members, .rows = little, .cols = little});
    system = carroll::solve_workspace<Complex>(exec, {.n = side, .columns = sides});
    many_inverses = carroll::inverse_workspace<Complex>(exec, {.batch = members, .n = little});
    Kokkos::fence();
  }

  void eigh() { (void)carroll::eigh(exec, A.view(), W.view(), V.view(), pairs); }
  void eigh_async() { carroll::eigh_async(exec, A.view(), W.view(), V.view(), eigh_info, pairs); }
  void eigh_of_batch_async() {
    carroll::eigh_async(exec, A3.view(), W2.view(), V3.view(), eigh_infos, many_pairs);
  }
  void values_async() {
    carroll::symmetric_eigenvalues_async(exec, A.view(), W.view(), eigh_info, values);
  }
  void eigh_ragged() {
    (void)carroll::eigh_ragged(exec, packed_A.view(), packed_W.view(), packed_V.view(), ragged);
  }
  void eigh_ragged_async() {
    carroll::eigh_ragged_async(exec, packed_A.view(), packed_W.view(), packed_V.view(),
                               ragged_infos, ragged);
  }
  void eigh_ragged_plain() {
    (void)carroll::eigh_ragged(exec, list, packed_A.view(), packed_W.view(), packed_V.view(),
                               options);
  }
  void eigh_plain() { (void)carroll::eigh(exec, A3.view(), W2.view(), V3.view(), options); }
  void lstsq() { (void)carroll::lstsq(exec, A.view(), B.view(), X.view(), solution); }
  void lstsq_async() {
    carroll::lstsq_async(exec, A.view(), B.view(), X.view(), lstsq_info, solution);
  }
  void pinv_of_batch_async() {
    carroll::pinv_async(exec, A3.view(), V3.view(), lstsq_infos, inverses);
  }
  void pinv_plain() { (void)carroll::pinv(exec, A3.view(), V3.view()); }
  void solve() { (void)carroll::solve(exec, A.view(), B.view(), X.view(), system); }
  void solve_async() {
    carroll::solve_async(exec, A.view(), B.view(), X.view(), solve_info, system);
  }
  void inverse_of_batch_async() {
    carroll::inverse_async(exec, A3.view(), V3.view(), solve_infos, many_inverses);
  }
  void inverse_plain() { (void)carroll::inverse(exec, A3.view(), V3.view()); }
};

constexpr DocumentedCall<ComplexCalls> complex_calls[] = {
    {"eigh with a workspace", &ComplexCalls::eigh, 1, false},
    {"eigh_async", &ComplexCalls::eigh_async, 0, false},
    {"eigh_async of a batch", &ComplexCalls::eigh_of_batch_async, 0, false},
    {"symmetric_eigenvalues_async", &ComplexCalls::values_async, 0, false},
    {"eigh_ragged with a workspace", &ComplexCalls::eigh_ragged, 1, false},
    {"eigh_ragged_async", &ComplexCalls::eigh_ragged_async, 0, false},
    {"eigh_ragged", &ComplexCalls::eigh_ragged_plain, 2, true},
    {"eigh of a batch", &ComplexCalls::eigh_plain, 1, true},
    {"lstsq with a workspace", &ComplexCalls::lstsq, 1, false},
    {"lstsq_async", &ComplexCalls::lstsq_async, 0, false},
    {"pinv_async of a batch", &ComplexCalls::pinv_of_batch_async, 0, false},
    {"pinv of a batch", &ComplexCalls::pinv_plain, 1, true},
    {"solve with a workspace", &ComplexCalls::solve, 1, false},
    {"solve_async", &ComplexCalls::solve_async, 0, false},
    {"inverse_async of a batch", &ComplexCalls::inverse_of_batch_async, 0, false},
    {"inverse of a batch", &ComplexCalls::inverse_plain, 1, true},
};

std::vector<carroll::EighOptions> complex_options() {
  std::vector<carroll::EighOptions> all(3);
  all[1].path = carroll::EighPath::shifted;
  all[2].method = carroll::EighMethod::cholesky_jacobi;
  return all;
}

class ComplexContract : public ::testing::TestWithParam<carroll::EighOptions> {};

TEST_P(ComplexContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  ComplexCalls calls(GetParam());
  expect_documented(calls, complex_calls, "carroll::");
}

/// Another instance; on OpenMP it has another number of threads, too.
TEST_P(ComplexContract, SameBitsOnEveryInstance) {
  Exec const other = new_instance_of<Exec>();
  Random random(4);
  EighCall call;
  call.options = GetParam();
  for (int const n : {9, 60}) {
    auto const A = scaled_hermitian<double>(random, n, 10, 3).A;
    EXPECT_TRUE(same_result(run_eigh(A, call), run_eigh(A, call, other))) << n;
    EXPECT_TRUE(same_result(run_pinv(A), run_pinv(A, {}, other))) << n;
    EXPECT_TRUE(same_result(run_lstsq(A, A), run_lstsq(A, A, {}, other))) << n;
    HostSystem<Complex> const square{A, A};
    EXPECT_TRUE(same_result(run_solve(square), run_solve(square, {}, other))) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ComplexContract, ::testing::ValuesIn(complex_options()));

}  // namespace
