// SPDX-License-Identifier: BSD-3-Clause
// What a caller with several instances relies on: how often a call fences, where it launches, when
// it allocates, how its work is labelled, and that results do not depend on the instance.
#include <gtest/gtest.h>

#include <array>
#include <carroll/qr.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "decompositions/qr_instances.hpp"
#include "support/field_matrix.hpp"
#include "support/guarded_view.hpp"
#include "support/qr/drivers.hpp"
#include "support/random.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using QrColumns = Kokkos::LayoutLeft;

constexpr std::size_t qr_rows = 60, qr_cols = 40, qr_members = 5, few = 7;

/// One matrix, a batch and a ragged one, with all that calls need.
template <class Value>
struct QrCalls {
  Exec exec = new_instance_of<Exec>();
  carroll::QrOptions options;
  GuardedView<Value, 2, QrColumns> A{{qr_rows, qr_cols}}, Q{{qr_rows, qr_cols}},
      R{{qr_cols, qr_cols}};
  GuardedView<int, 1, QrColumns> P{{qr_cols}};
  GuardedView<Value, 3, QrColumns> A3{{qr_members, few, few}}, Q3{{qr_members, few, few}},
      R3{{qr_members, few, few}};
  GuardedView<int, 2, QrColumns> P2{{qr_members, few}};
  std::vector<carroll::QrMember> list =
      carroll::qr_members(std::vector<std::array<std::int64_t, 2>>{{20, 10}, {90, 80}});
  GuardedView<Value, 1, QrColumns> packed_A{{7400}}, packed_Q{{7400}}, packed_R{{6500}};
  Kokkos::View<carroll::QrInfo, Memory> info{"carroll_test::info"};
  Kokkos::View<carroll::QrInfo*, Memory> infos{"carroll_test::infos", qr_members};
  Kokkos::View<carroll::QrInfo*, Memory> ragged_infos{"carroll_test::ragged_infos", 2};
  carroll::QrWorkspace<Exec, Value> one, many, triangle, pivoted, ragged;

  explicit QrCalls(carroll::QrOptions const& chosen) : options(chosen) {
    double value = 0;
    auto const set = [&](auto& view) {
      view.for_each_index([&](auto index) { view(index) = std::sin(value += 1.7); });
      view.to_device();
    };
    set(A);
    set(A3);
    set(packed_A);
    auto const make = [&](carroll::QrExtents const& extents) {
      return carroll::qr_workspace<Value>(exec, extents, options);
    };
    one = make({.rows = qr_rows, .cols = qr_cols});
    many = make({.batch = qr_members, .rows = few, .cols = few});
    triangle = make({.rows = qr_rows, .cols = qr_cols, .mode = carroll::QrMode::r});
    pivoted = make({.rows = qr_rows, .cols = qr_cols, .pivoted = true});
    ragged = carroll::qr_ragged_workspace<Value>(exec, list, carroll::QrMode::thin, false, options);
    Kokkos::fence();
  }

  void with_workspace() { (void)carroll::qr(exec, A.view(), Q.view(), R.view(), one); }
  void batch_with_workspace() { (void)carroll::qr(exec, A3.view(), Q3.view(), R3.view(), many); }
  void triangle_with_workspace() { (void)carroll::qr(exec, A.view(), none, R.view(), triangle); }
  void pivoted_with_workspace() {
    (void)carroll::pivoted_qr(exec, A.view(), Q.view(), R.view(), P.view(), pivoted);
  }
  void async() { carroll::qr_async(exec, A.view(), Q.view(), R.view(), info, one); }
  void batch_async() { carroll::qr_async(exec, A3.view(), Q3.view(), R3.view(), infos, many); }
  void pivoted_async() {
    carroll::pivoted_qr_async(exec, A.view(), Q.view(), R.view(), P.view(), info, pivoted);
  }
  void ragged_async() {
    carroll::qr_ragged_async(exec, packed_A.view(), packed_Q.view(), packed_R.view(), ragged_infos,
                             ragged);
  }
  void plain() { (void)carroll::qr(exec, A.view(), Q.view(), R.view(), options); }
  void batch_plain() {
    (void)carroll::pivoted_qr(exec, A3.view(), Q3.view(), R3.view(), P2.view(), options);
  }
};

template <class Value>
constexpr DocumentedCall<QrCalls<Value>> qr_calls[] = {
    {"qr with a workspace", &QrCalls<Value>::with_workspace, 1, false},
    {"qr of a batch with a workspace", &QrCalls<Value>::batch_with_workspace, 1, false},
    {"qr of R alone with a workspace", &QrCalls<Value>::triangle_with_workspace, 1, false},
    {"pivoted_qr with a workspace", &QrCalls<Value>::pivoted_with_workspace, 1, false},
    {"qr_async", &QrCalls<Value>::async, 0, false},
    {"qr_async of a batch", &QrCalls<Value>::batch_async, 0, false},
    {"pivoted_qr_async", &QrCalls<Value>::pivoted_async, 0, false},
    {"qr_ragged_async", &QrCalls<Value>::ragged_async, 0, false},
    {"qr", &QrCalls<Value>::plain, 1, true},
    {"pivoted_qr of a batch", &QrCalls<Value>::batch_plain, 1, true},
};

class QrContract : public ::testing::TestWithParam<carroll::QrPath> {};

TEST_P(QrContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  QrCalls<double> problem({.path = GetParam()});
  expect_documented(problem, qr_calls<double>, "carroll::");
  QrCalls<Kokkos::complex<float>> complex_problem({.path = GetParam()});
  expect_documented(complex_problem, qr_calls<Kokkos::complex<float>>, "carroll::");
}

/// Another instance; on OpenMP it has another number of threads, too.
TEST_P(QrContract, SameBitsOnEveryInstance) {
  Exec const other = new_instance_of<Exec>();
  Random random(4);
  for (int const n : {9, 64, 150})
    for (bool const pivoted : {false, true}) {
      auto const A = field::random_matrix<double>(random, n + 5, n);
      auto const B = field::random_matrix<Kokkos::complex<double>>(random, n + 5, n);
      QrCall call;
      call.options.path = GetParam();
      call.pivoted = pivoted;
      EXPECT_TRUE(same_result(run_qr(A, call), run_qr(A, call, other))) << n;
      EXPECT_TRUE(same_result(run_qr(B, call), run_qr(B, call, other))) << n;
    }
}

INSTANTIATE_TEST_SUITE_P(All, QrContract,
                         ::testing::Values(carroll::QrPath::automatic, carroll::QrPath::team,
                                           carroll::QrPath::host_block, carroll::QrPath::tiled,
                                           carroll::QrPath::slim, carroll::QrPath::tall));

}  // namespace
