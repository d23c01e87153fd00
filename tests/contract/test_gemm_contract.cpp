// SPDX-License-Identifier: BSD-3-Clause
// What gemm promises to callers with several instances: fences, instance, labels, and that nothing
// is allocated with a workspace.
#include <gtest/gtest.h>

#include <carroll/gemm.hpp>
#include <string>

#include "gemm_instances.hpp"
#include "new_instance.hpp"
#include "support/guarded_view.hpp"
#include "tools_recorder.hpp"

namespace {

using namespace carroll::test;
using Kind = ToolsEvent::Kind;

/// Fences, and that all is on the instance.
int checked_fences(ToolsRecorder const& recorder, Exec const& exec) {
  auto const instance = Kokkos::Tools::Experimental::device_id(exec);
  int fences = 0;
  for (ToolsEvent const& fence : recorder.of(Kind::fence)) {
    if (fence.label.rfind("carroll::", 0) != 0) continue;  // Kokkos', where memory is freed
    ++fences;
    EXPECT_EQ(fence.device_id, instance) << fence.label;
  }
  EXPECT_FALSE(recorder.of(Kind::kernel).empty());
  for (ToolsEvent const& kernel : recorder.of(Kind::kernel)) {
    EXPECT_EQ(kernel.device_id, instance) << kernel.label;
    EXPECT_EQ(kernel.label.rfind("carroll::gemm::", 0), 0U) << kernel.label;
  }
  EXPECT_TRUE(recorder.of(Kind::copy).empty());
  return fences;
}

TEST(GemmContract, FencesInstanceLabelsAndAllocations) {
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Memory>;
  Exec const exec = new_instance_of<Exec>();
  Matrix const A("carroll_test::A", 70, 2000), B("carroll_test::B", 2000, 9),
      C("carroll_test::C", 70, 9);
  for (auto const method :
       {carroll::GemmMethod::blocked, carroll::GemmMethod::naive, carroll::GemmMethod::tiled}) {
    carroll::GemmOptions const options{.method = method};
    auto const workspace =
        carroll::gemm_workspace<double>(exec, {.rows = 70, .cols = 9, .terms = 2000}, options);
    carroll::gemm_async(exec, 1, A, B, 0, C, workspace);  // first launches may set up the backend
    Kokkos::fence();
    {
      ToolsRecorder const recorder;
      carroll::gemm_async(exec, 1, A, B, 0, C, workspace);
      EXPECT_EQ(recorder.of(Kind::fence).size(), 0U);
      EXPECT_EQ(recorder.of(Kind::allocation).size(), 0U);
      EXPECT_EQ(checked_fences(recorder, exec), 0);
    }
    {
      ToolsRecorder const recorder;
      carroll::gemm(exec, 1, A, B, 0, C, workspace);
      EXPECT_EQ(recorder.of(Kind::allocation).size(), 0U);
      EXPECT_EQ(checked_fences(recorder, exec), 1);
    }
    ToolsRecorder const recorder;
    carroll::gemm(exec, 1, A, B, 0, C, options);
    EXPECT_EQ(checked_fences(recorder, exec), 1);
    for (ToolsEvent const& allocation : recorder.of(Kind::allocation))
      EXPECT_EQ(allocation.label.rfind("carroll::gemm", 0), 0U) << allocation.label;
  }
}

}  // namespace
