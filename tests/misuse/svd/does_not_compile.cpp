// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/svd.hpp>
#include <carroll/truncated_svd.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<double**> const A;
  View<double**> const U;
  View<double*> const S;
  View<double**> const V;

#if defined(CARROLL_CASE_A_of_int)
  (void)carroll::svd(exec, View<int**>(), U, S, V);
#elif defined(CARROLL_CASE_A_of_rank_1)
  (void)carroll::singular_values(exec, View<double*>(), S);
#elif defined(CARROLL_CASE_S_of_another_type)
  (void)carroll::svd(exec, A, U, View<float*>(), V);
#elif defined(CARROLL_CASE_S_of_rank_2)
  (void)carroll::svd(exec, A, U, View<double**>(), V);
#elif defined(CARROLL_CASE_U_of_constants)
  (void)carroll::svd(exec, A, View<double const**>(), S, V);
#elif defined(CARROLL_CASE_V_of_rank_3)
  (void)carroll::svd(exec, A, U, S, View<double***>());
#elif defined(CARROLL_CASE_workspace_of_another_type)
  auto workspace = carroll::svd_workspace<float>(exec, {});
  (void)carroll::svd(exec, A, U, S, V, workspace);
#elif defined(CARROLL_CASE_workspace_of_int)
  (void)carroll::svd_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_info_of_int)
  auto workspace = carroll::svd_workspace<double>(exec, {});
  carroll::svd_async(exec, A, U, S, V, View<int>(), workspace);
#elif defined(CARROLL_CASE_ragged_A_of_rank_2)
  (void)carroll::svd_ragged(exec, {}, A, carroll::none, S, carroll::none);
#elif defined(CARROLL_CASE_truncated_A_of_rank_3)
  (void)carroll::truncated_svd(exec, View<double***>(), U, S, V);
#elif defined(CARROLL_CASE_truncated_U_of_constants)
  (void)carroll::truncated_svd(exec, A, View<double const**>(), S, V);
#elif defined(CARROLL_CASE_truncated_S_of_another_type)
  (void)carroll::truncated_svd(exec, A, U, View<float*>(), V);
#elif defined(CARROLL_CASE_truncated_without_V)
  (void)carroll::truncated_svd(exec, A, U, S, carroll::none);
#elif defined(CARROLL_CASE_truncated_workspace_of_another_type)
  auto workspace = carroll::truncated_svd_workspace<float>(exec, {});
  (void)carroll::truncated_svd(exec, A, U, S, V, workspace);
#elif defined(CARROLL_CASE_truncated_workspace_of_int)
  (void)carroll::truncated_svd_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_truncated_info_of_int)
  auto workspace = carroll::truncated_svd_workspace<double>(exec, {});
  carroll::truncated_svd_async(exec, A, U, S, V, View<int>(), workspace);
#elif defined(CARROLL_CASE_A_on_the_host)
  (void)carroll::svd(exec, Kokkos::View<double**, Kokkos::HostSpace>(), U, S, V);
#else
  (void)carroll::svd(exec, A, U, S, V);
  (void)carroll::singular_values(exec, A, S);
  auto workspace = carroll::svd_workspace<double>(exec, {});
  carroll::svd_async(exec, A, U, S, V, View<carroll::SvdInfo<double>>(), workspace);
  (void)carroll::truncated_svd(exec, A, U, S, V);
#endif
}

}  // namespace
