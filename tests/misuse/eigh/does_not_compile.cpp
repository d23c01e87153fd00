// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/eigh.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<double**> const A;
  View<double*> const W;
  View<double**> const V;

#if defined(CARROLL_CASE_eigh_A_of_int)
  (void)carroll::eigh(exec, View<int**>(), W, V);
#elif defined(CARROLL_CASE_eigh_W_of_another_type)
  (void)carroll::eigh(exec, A, View<float*>(), V);
#elif defined(CARROLL_CASE_eigh_V_of_constants)
  (void)carroll::eigh(exec, A, W, View<double const**>());
#elif defined(CARROLL_CASE_eigh_workspace_of_another_type)
  auto workspace = carroll::eigh_workspace<float>(exec, {});
  (void)carroll::eigh(exec, A, W, V, workspace);
#elif defined(CARROLL_CASE_eigh_workspace_of_int)
  (void)carroll::eigh_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_eigh_info_of_int)
  auto workspace = carroll::eigh_workspace<double>(exec, {});
  carroll::eigh_async(exec, A, W, V, View<int>(), workspace);
#elif defined(CARROLL_CASE_eigh_ragged_A_of_rank_2)
  (void)carroll::eigh_ragged(exec, {}, A, W, carroll::none);
#else
  (void)carroll::eigh(exec, A, W, V);
  (void)carroll::symmetric_eigenvalues(exec, A, W);
  auto workspace = carroll::eigh_workspace<double>(exec, {});
  carroll::eigh_async(exec, A, W, V, View<carroll::EighInfo<double>>(), workspace);
#endif
}

}  // namespace
