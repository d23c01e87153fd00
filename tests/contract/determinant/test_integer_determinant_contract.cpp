// SPDX-License-Identifier: BSD-3-Clause
// What integer_determinant promises to callers with several instances: fences, instance, labels,
// and the same result everywhere.
#include <gtest/gtest.h>

#include <carroll/integer_determinant.hpp>
#include <string>

#include "contract/new_instance.hpp"
#include "contract/tools_recorder.hpp"
#include "support/copy.hpp"
#include "support/determinant/integer_matrices.hpp"

namespace {

using namespace carroll::test;
using Kind = ToolsEvent::Kind;

bool is_ours(ToolsEvent const& event) {
  return event.label.rfind("carroll::", 0) == 0;
}

TEST(IntegerDeterminantContract, FencesInstanceAndLabels) {
  Exec const exec = new_instance_of<Exec>();
  Kokkos::View<std::int64_t**, Memory> const A("carroll_test::A", 40, 40);
  auto const entries = Kokkos::create_mirror_view(A);
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j) entries(i, j) = j > i ? 3 : i == j;
  carroll::test::deep_copy(A, entries);
  Kokkos::fence();
  auto const instance = Kokkos::Tools::Experimental::device_id(exec);
  for (int early : {0, 3}) {
    carroll::IntegerDeterminantOptions const options{.early_termination = early};
    (void)carroll::integer_determinant(exec, A, options);  // first launches may set up the backend
    Kokkos::fence();
    ToolsRecorder const recorder;
    (void)carroll::integer_determinant(exec, A, options);
    int fences = 0;
    for (ToolsEvent const& fence : recorder.of(Kind::fence)) {
      // Memory is freed at the end, and Kokkos fences all of a memory space before it frees.
      if (!is_ours(fence)) continue;
      ++fences;
      EXPECT_EQ(fence.device_id, instance) << fence.label;
    }
    EXPECT_EQ(fences, 2);  // the first batch settles that it is 1
    EXPECT_EQ(recorder.of(Kind::kernel).size(), 2U);
    for (ToolsEvent const& kernel : recorder.of(Kind::kernel)) {
      EXPECT_EQ(kernel.device_id, instance) << kernel.label;
      EXPECT_TRUE(is_ours(kernel)) << kernel.label;
    }
    EXPECT_TRUE(recorder.of(Kind::copy).empty());
    for (ToolsEvent const& allocation : recorder.of(Kind::allocation)) {
      EXPECT_TRUE(is_ours(allocation)) << allocation.label;
    }
  }
}

TEST(IntegerDeterminantContract, SameResultOnEveryInstance) {
  Exec const other = new_instance_of<Exec>();
  for (int n : {1, 5, 33, 70})
    for (int early : {0, 2}) {
      carroll::IntegerDeterminantOptions const options{.early_termination = early};
      // Of rank n, and with a determinant far below the bound.
      auto const A = random_integers(n, 40, 11);
      auto const ones = make_integers(n, [](int i, int j) { return i == j ? 2 : 1; });
      for (IntegerMatrix const& matrix : {A, ones}) {
        auto const expected = run_integer_determinant(matrix, options);
        auto const result = run_integer_determinant(matrix, options, other);
        EXPECT_EQ(result.sign, expected.sign);
        EXPECT_EQ(result.limbs, expected.limbs);
        EXPECT_EQ(result.primes, expected.primes);
        EXPECT_EQ(result.proven, expected.proven);
      }
    }
}

}  // namespace
