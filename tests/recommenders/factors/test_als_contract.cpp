// SPDX-License-Identifier: BSD-3-Clause
// What als, fold_in and gibbs promise to callers with several instances: fences, instance, labels,
// and that nothing is allocated with a workspace.
#include <gtest/gtest.h>

#include <carroll/als.hpp>
#include <carroll/fold_in.hpp>
#include <carroll/gibbs.hpp>
#include <string>

#include "contract/new_instance.hpp"
#include "contract/tools_recorder.hpp"
#include "recommenders/factors/oracle.hpp"

namespace {

using namespace carroll::test;
using Kind = ToolsEvent::Kind;

/// Fences of Carroll's, and that all is on the instance.
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
    if (kernel.label.rfind("Kokkos::", 0) != 0) {
      EXPECT_EQ(kernel.label.rfind("carroll::", 0), 0U) << kernel.label;
    }
    EXPECT_EQ(kernel.device_id, instance) << kernel.label;
  }
  return fences;
}

/// On devices the fence of a reduction to the host has a name of Kokkos'.
void expect_fences(int found, int wanted) {
  constexpr bool on_host = carroll::detail::lanes<Exec> == 1;
  EXPECT_GE(found, on_host ? wanted : 1);
  EXPECT_LE(found, wanted);
}

TEST(AlsContract, FencesInstanceLabelsAndAllocations) {
  Exec const exec = new_instance_of<Exec>();
  auto const ratings = random_ratings<float>(60, 40, 9, 5).ratings({.users = 60, .items = 40});
  carroll::FactorModel<float, Memory> model;
  model.U = FactorView<float>("carroll_test::U", 60, 8);
  model.V = FactorView<float>("carroll_test::V", 40, 8);
  for (auto const& options :
       {carroll::AlsOptions{.iterations = 3, .residual = false},
        carroll::AlsOptions{.biases = carroll::AlsBiases::fitted, .iterations = 3},
        carroll::AlsOptions{
            .feedback = carroll::Feedback::implicit, .iterations = 2, .objective = true}}) {
    auto m = model;
    auto const workspace = carroll::als_workspace(exec, ratings, 8, options);
    carroll::als(exec, ratings, m, workspace);  // first launches may set up the backend
    Kokkos::fence();
    ToolsRecorder const recorder;
    carroll::als(exec, ratings, m, workspace);
    EXPECT_EQ(recorder.of(Kind::allocation).size(), 0U);
    int const wanted = 1 + (options.biases == carroll::AlsBiases::zero ? 0 : 1) +
                       (options.objective ? 2 * options.iterations : 0) +
                       (options.residual ? 1 : 0);
    expect_fences(checked_fences(recorder, exec), wanted);
  }
  {
    ToolsRecorder const recorder;
    carroll::fold_in(exec, model.V, ratings.by_user(), model.U);
    expect_fences(checked_fences(recorder, exec), 4);
    for (ToolsEvent const& allocation : recorder.of(Kind::allocation))
      EXPECT_EQ(allocation.label.rfind("carroll::fold_in", 0), 0U) << allocation.label;
  }
  {
    ToolsRecorder const recorder;
    carroll::gibbs(exec, ratings, model, carroll::GibbsOptions{.burn_in = 1, .sweeps = 2});
    EXPECT_GE(checked_fences(recorder, exec), carroll::detail::lanes<Exec> == 1 ? 6 : 1);
  }
}

}  // namespace
