// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/complex_svd.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Complex = Kokkos::complex<double>;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<Complex**> const A, U, V;
  View<double*> const S;

#if defined(CARROLL_CASE_complex_svd_S_of_complex)
  (void)carroll::svd(exec, A, U, View<Complex*>(), V);
#elif defined(CARROLL_CASE_complex_svd_S_of_another_precision)
  (void)carroll::svd(exec, A, U, View<float*>(), V);
#elif defined(CARROLL_CASE_complex_svd_U_of_real)
  (void)carroll::svd(exec, A, View<double**>(), S, V);
#elif defined(CARROLL_CASE_complex_svd_V_of_another_precision)
  (void)carroll::svd(exec, A, U, S, View<Kokkos::complex<float>**>());
#elif defined(CARROLL_CASE_complex_svd_real_A_with_complex_U)
  (void)carroll::svd(exec, View<double**>(), U, S, carroll::none);
#elif defined(CARROLL_CASE_complex_svd_A_of_rank_1)
  (void)carroll::singular_values(exec, View<Complex*>(), S);
#elif defined(CARROLL_CASE_complex_svd_real_workspace)
  auto workspace = carroll::svd_workspace<double>(exec, {});
  (void)carroll::svd(exec, A, U, S, V, workspace);
#elif defined(CARROLL_CASE_complex_svd_info_of_complex)
  auto workspace = carroll::svd_workspace<Complex>(exec, {});
  carroll::svd_async(exec, A, U, S, V, View<Complex>(), workspace);
#else
  (void)carroll::svd(exec, A, U, S, V);
  (void)carroll::svd(exec, View<double**>(), View<double**>(), S, carroll::none);
  auto workspace = carroll::svd_workspace<Complex>(exec, {});
  carroll::svd_async(exec, A, U, S, V, View<carroll::SvdInfo<double>>(), workspace);
#endif
}

}  // namespace
