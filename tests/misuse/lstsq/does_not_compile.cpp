// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/lstsq.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<double**> const A, B, X;
  View<double*> const b, x;
  View<Kokkos::complex<double>**> const Z;

#if defined(CARROLL_CASE_lstsq_A_of_int)
  (void)carroll::lstsq(exec, View<int**>(), B, X);
#elif defined(CARROLL_CASE_lstsq_B_of_another_type)
  (void)carroll::lstsq(exec, A, View<float**>(), X);
#elif defined(CARROLL_CASE_lstsq_B_of_a_batch)
  (void)carroll::lstsq(exec, A, View<double***>(), X);
#elif defined(CARROLL_CASE_lstsq_X_of_another_rank)
  (void)carroll::lstsq(exec, A, b, X);
#elif defined(CARROLL_CASE_lstsq_X_of_constants)
  (void)carroll::lstsq(exec, A, B, View<double const**>());
#elif defined(CARROLL_CASE_lstsq_workspace_of_another_type)
  auto workspace = carroll::lstsq_workspace<float>(exec, {});
  (void)carroll::lstsq(exec, A, B, X, workspace);
#elif defined(CARROLL_CASE_lstsq_workspace_of_int)
  (void)carroll::lstsq_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_lstsq_info_of_int)
  auto workspace = carroll::lstsq_workspace<double>(exec, {});
  carroll::lstsq_async(exec, A, B, X, View<int>(), workspace);
#elif defined(CARROLL_CASE_lstsq_X_of_real)
  (void)carroll::lstsq(exec, Z, Z, X);
#elif defined(CARROLL_CASE_lstsq_info_of_complex)
  auto workspace = carroll::lstsq_workspace<Kokkos::complex<double>>(exec, {});
  carroll::lstsq_async(exec, Z, Z, Z, View<carroll::LstsqInfo<float>>(), workspace);
#elif defined(CARROLL_CASE_pinv_P_of_real)
  (void)carroll::pinv(exec, Z, X);
#elif defined(CARROLL_CASE_pinv_A_of_rank_1)
  (void)carroll::pinv(exec, b, X);
#elif defined(CARROLL_CASE_pinv_P_of_constants)
  (void)carroll::pinv(exec, A, View<double const**>());
#elif defined(CARROLL_CASE_pinv_workspace_of_int)
  (void)carroll::pinv_workspace<int>(exec, {});
#else
  (void)carroll::lstsq(exec, A, B, X);
  (void)carroll::lstsq(exec, A, b, x);
  (void)carroll::pinv(exec, A, X);
  auto workspace = carroll::pinv_workspace<double>(exec, {});
  carroll::pinv_async(exec, A, X, View<carroll::LstsqInfo<double>>(), workspace);
  (void)carroll::lstsq(exec, Z, Z, Z);
  auto complex = carroll::pinv_workspace<Kokkos::complex<double>>(exec, {});
  carroll::pinv_async(exec, Z, Z, View<carroll::LstsqInfo<double>>(), complex);
#endif
}

}  // namespace
