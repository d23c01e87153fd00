// SPDX-License-Identifier: BSD-3-Clause
// What a caller with several instances relies on: how often a call fences, where it launches, when
// it allocates, how its work is labelled, and that results do not depend on the instance.
#include <gtest/gtest.h>

#include <carroll/complex_svd.hpp>
#include <cmath>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "decompositions/complex_svd_instances.hpp"
#include "support/complex_svd/drivers.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using Complex = Kokkos::complex<double>;
using ComplexColumns = Kokkos::LayoutLeft;

constexpr std::size_t complex_rows = 50, complex_cols = 40, complex_members = 5, complex_few = 7;

/// One matrix and a batch, with all that calls need.
struct ComplexSvdCalls {
  Exec exec = new_instance_of<Exec>();
  GuardedView<Complex, 2, ComplexColumns> A{{complex_rows, complex_cols}},
      U{{complex_rows, complex_cols}}, V{{complex_cols, complex_cols}};
  GuardedView<double, 1, ComplexColumns> S{{complex_cols}};
  GuardedView<Complex, 3, ComplexColumns> A3{{complex_members, complex_few, complex_few}},
      U3{{complex_members, complex_few, complex_few}},
      V3{{complex_members, complex_few, complex_few}};
  GuardedView<double, 2, ComplexColumns> S2{{complex_members, complex_few}};
  Kokkos::View<carroll::SvdInfo<double>, Memory> info{"carroll_test::info"};
  Kokkos::View<carroll::SvdInfo<double>*, Memory> infos{"carroll_test::infos", complex_members};
  carroll::SvdWorkspace<Exec, Complex> one, many, values;

  ComplexSvdCalls() {
    double value = 0;
    auto const set = [&](auto& view) {
      view.for_each_index([&](auto index) {
        value += 1.7;
        view(index) = Complex(std::sin(value), std::cos(value * value));
      });
      view.to_device();
    };
    set(A);
    set(A3);
    one = carroll::svd_workspace<Complex>(exec, {.rows = complex_rows, .cols = complex_cols});
    many = carroll::svd_workspace<Complex>(
        exec, {.batch = complex_members, .rows = complex_few, .cols = complex_few});
    values = carroll::svd_workspace<Complex>(exec, {.rows = complex_rows,
                                                    .cols = complex_cols,
                                                    .u = carroll::SvdVectors::none,
                                                    .v = carroll::SvdVectors::none});
    Kokkos::fence();
  }

  void with_workspace() { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), one); }
  void batch_with_workspace() {
    (void)carroll::svd(exec, A3.view(), U3.view(), S2.view(), V3.view(), many);
  }
  void values_with_workspace() { (void)carroll::singular_values(exec, A.view(), S.view(), values); }
  void async() { carroll::svd_async(exec, A.view(), U.view(), S.view(), V.view(), info, one); }
  void batch_async() {
    carroll::svd_async(exec, A3.view(), U3.view(), S2.view(), V3.view(), infos, many);
  }
  void values_async() { carroll::singular_values_async(exec, A.view(), S.view(), info, values); }
  void plain() { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view()); }
  void batch_plain() { (void)carroll::svd(exec, A3.view(), none, S2.view(), V3.view()); }
};

constexpr DocumentedCall<ComplexSvdCalls> complex_svd_calls[] = {
    {"svd with a workspace", &ComplexSvdCalls::with_workspace, 1, false},
    {"svd of a batch with a workspace", &ComplexSvdCalls::batch_with_workspace, 1, false},
    {"singular_values with a workspace", &ComplexSvdCalls::values_with_workspace, 1, false},
    {"svd_async", &ComplexSvdCalls::async, 0, false},
    {"svd_async of a batch", &ComplexSvdCalls::batch_async, 0, false},
    {"singular_values_async", &ComplexSvdCalls::values_async, 0, false},
    {"svd", &ComplexSvdCalls::plain, 1, true},
    {"svd of a batch", &ComplexSvdCalls::batch_plain, 1, true},
};

TEST(ComplexSvdContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  ComplexSvdCalls problem;
  expect_documented(problem, complex_svd_calls, "carroll::");
}

/// Another instance; on OpenMP it has another number of threads, too.
TEST(ComplexSvdContract, SameBitsOnEveryInstance) {
  Exec const other = new_instance_of<Exec>();
  Random random(4);
  for (int const n : {9, 64, 90})
    for (auto const path : {carroll::SvdPath::automatic, carroll::SvdPath::team}) {
      auto const A = random_complex<double>(random, n + 5, n);
      ComplexCall call;
      call.options.path = path;
      EXPECT_TRUE(same_result(run_complex_svd(A, call), run_complex_svd(A, call, other))) << n;
    }
}

}  // namespace
