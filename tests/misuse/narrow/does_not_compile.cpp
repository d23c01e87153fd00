// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/narrow/determinant.hpp>
#include <carroll/narrow/eigh.hpp>
#include <carroll/narrow/svd.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using carroll::bfloat16;
using carroll::float16;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<float16**> const A, V;
  View<float**> const U;
  View<float*> const S;

#if defined(CARROLL_CASE_narrow_svd_S_of_16_bits)
  (void)carroll::svd(exec, A, U, View<float16*>(), V);
#elif defined(CARROLL_CASE_narrow_svd_U_of_double)
  (void)carroll::svd(exec, A, View<double**>(), S, V);
#elif defined(CARROLL_CASE_narrow_svd_V_of_the_other_type)
  (void)carroll::svd(exec, A, U, S, View<bfloat16**>());
#elif defined(CARROLL_CASE_narrow_svd_A_of_rank_1)
  (void)carroll::singular_values(exec, View<float16*>(), S);
#elif defined(CARROLL_CASE_narrow_svd_workspace_of_float)
  auto workspace = carroll::svd_workspace<float>(exec, {});
  (void)carroll::svd(exec, A, U, S, V, workspace);
#elif defined(CARROLL_CASE_narrow_svd_info_of_double)
  auto workspace = carroll::svd_workspace<float16>(exec, {});
  carroll::svd_async(exec, A, U, S, V, View<carroll::SvdInfo<double>>(), workspace);
#elif defined(CARROLL_CASE_narrow_svd_float_A_with_16_bit_U)
  (void)carroll::svd(exec, U, A, S, carroll::none);
#elif defined(CARROLL_CASE_narrow_eigh_W_of_16_bits)
  (void)carroll::eigh(exec, A, View<float16*>(), V);
#elif defined(CARROLL_CASE_narrow_eigh_V_of_constants)
  (void)carroll::eigh(exec, A, S, View<float16 const**>());
#elif defined(CARROLL_CASE_narrow_determinant_overwrites)
  (void)carroll::determinant(exec, A);
#elif defined(CARROLL_CASE_narrow_determinant_A_of_rank_1)
  (void)carroll::determinant_of(exec, View<float16*>());
#else
  (void)carroll::svd(exec, A, U, S, V);
  (void)carroll::eigh(exec, A, S, V);
  (void)carroll::determinant_of(exec, A);
  auto workspace = carroll::svd_workspace<float16>(exec, {});
  carroll::svd_async(exec, A, U, S, V, View<carroll::SvdInfo<float>>(), workspace);
#endif
}

}  // namespace
