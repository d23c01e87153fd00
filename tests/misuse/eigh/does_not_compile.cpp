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
  View<Kokkos::complex<double>**> const Z;
  [[maybe_unused]] View<Kokkos::complex<double>*> const z;

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
#elif defined(CARROLL_CASE_eigh_W_of_complex)
  (void)carroll::eigh(exec, Z, View<Kokkos::complex<double>*>(), Z);
#elif defined(CARROLL_CASE_eigh_W_of_another_precision)
  (void)carroll::eigh(exec, Z, View<float*>(), Z);
#elif defined(CARROLL_CASE_eigh_V_of_real)
  (void)carroll::eigh(exec, Z, W, V);
#elif defined(CARROLL_CASE_eigh_workspace_of_real)
  auto workspace = carroll::eigh_workspace<double>(exec, {});
  (void)carroll::eigh(exec, Z, W, Z, workspace);
#elif defined(CARROLL_CASE_eigh_ragged_A_of_int)
  (void)carroll::eigh_ragged(exec, {}, View<int*>(), W, carroll::none);
#elif defined(CARROLL_CASE_eigh_ragged_W_of_complex)
  (void)carroll::eigh_ragged(exec, {}, z, z, carroll::none);
#elif defined(CARROLL_CASE_eigh_ragged_V_of_real)
  (void)carroll::eigh_ragged(exec, {}, z, W, W);
#elif defined(CARROLL_CASE_eigh_ragged_workspace_of_int)
  (void)carroll::eigh_ragged_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_eigh_ragged_A_of_rank_2)
  (void)carroll::eigh_ragged(exec, {}, A, W, carroll::none);
#else
  (void)carroll::eigh(exec, A, W, V);
  (void)carroll::symmetric_eigenvalues(exec, A, W);
  auto workspace = carroll::eigh_workspace<double>(exec, {});
  carroll::eigh_async(exec, A, W, V, View<carroll::EighInfo<double>>(), workspace);
  (void)carroll::eigh(exec, Z, W, Z);
  auto complex = carroll::eigh_workspace<Kokkos::complex<double>>(exec, {});
  carroll::eigh_async(exec, Z, W, Z, View<carroll::EighInfo<double>>(), complex);
  (void)carroll::eigh_ragged(exec, {}, z, W, z);
  auto ragged = carroll::eigh_ragged_workspace<Kokkos::complex<double>>(exec, {});
  carroll::eigh_ragged_async(exec, z, W, z, View<carroll::EighInfo<double>*>(), ragged);
#endif
}

}  // namespace
