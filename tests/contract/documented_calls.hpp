// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "tools_recorder.hpp"

namespace carroll::test {

/// What the documentation says of one call on a Problem, which holds the instance `exec`.
template <class Problem>
struct DocumentedCall {
  char const* name;
  void (Problem::*function)();
  int fences;
  bool allocates;
  std::optional<std::size_t> kernels = {};  // exactly, where the number is documented
  bool fences_or_fewer = false;             // where it depends on the time that work takes
};

/// Makes every call and compares its fences, its kernels, and whether it allocates, with the
/// documentation; everything has to happen on the caller's instance, under labels that begin with
/// `prefix`. Every call launches at least `least_kernels`.
template <class Problem, std::size_t Count>
void expect_documented(Problem& problem, DocumentedCall<Problem> const (&calls)[Count],
                       std::string const& prefix, std::size_t least_kernels = 1) {
  using Kind = ToolsEvent::Kind;
  auto const instance = Kokkos::Tools::Experimental::device_id(problem.exec);
  auto const is_ours = [&](ToolsEvent const& event) { return event.label.rfind(prefix, 0) == 0; };
  for (DocumentedCall<Problem> const& call : calls) {
    SCOPED_TRACE(call.name);
    (problem.*call.function)();  // first launches may set up the backend
    Kokkos::fence();
    ToolsRecorder const recorder;
    (problem.*call.function)();
    int fences = 0;
    for (ToolsEvent const& fence : recorder.of(Kind::fence)) {
      // Calls that allocate also free, and Kokkos fences all of a memory space before it frees.
      if (call.allocates && !is_ours(fence)) continue;
      ++fences;
      EXPECT_EQ(fence.device_id, instance) << fence.label;
    }
    EXPECT_LE(fences, call.fences);
    if (!call.fences_or_fewer) {
      EXPECT_EQ(fences, call.fences);
    }
    auto const kernels = recorder.of(Kind::kernel);
    EXPECT_GE(kernels.size(), least_kernels);
    if (call.kernels) {
      EXPECT_EQ(kernels.size(), *call.kernels);
    }
    for (ToolsEvent const& kernel : kernels) {
      EXPECT_EQ(kernel.device_id, instance) << kernel.label;
      EXPECT_TRUE(is_ours(kernel)) << kernel.label;
    }
    auto const allocations = recorder.of(Kind::allocation);
    EXPECT_EQ(allocations.empty(), !call.allocates);
    for (ToolsEvent const& allocation : allocations) {
      EXPECT_TRUE(is_ours(allocation)) << allocation.label;
    }
  }
}

}  // namespace carroll::test
