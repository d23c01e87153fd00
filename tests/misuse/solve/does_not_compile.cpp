// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/solve.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<double**> const A, B, X;

#if defined(CARROLL_CASE_solve_A_of_int)
  (void)carroll::solve(exec, View<int**>(), B, X);
#elif defined(CARROLL_CASE_solve_A_of_rank_1)
  (void)carroll::inverse(exec, View<double*>(), X);
#elif defined(CARROLL_CASE_solve_B_of_another_type)
  (void)carroll::solve(exec, A, View<float**>(), X);
#elif defined(CARROLL_CASE_solve_B_of_another_rank)
  (void)carroll::solve(exec, A, View<double*>(), X);
#elif defined(CARROLL_CASE_solve_X_of_constants)
  (void)carroll::inverse(exec, A, View<double const**>());
#elif defined(CARROLL_CASE_solve_workspace_of_another_type)
  auto workspace = carroll::solve_workspace<float>(exec, {});
  (void)carroll::solve(exec, A, B, X, workspace);
#elif defined(CARROLL_CASE_solve_workspace_of_int)
  (void)carroll::solve_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_solve_B_real_and_A_complex)
  (void)carroll::solve(exec, View<Kokkos::complex<double>**>(), B,
                       View<Kokkos::complex<double>**>());
#elif defined(CARROLL_CASE_solve_info_of_complex)
  View<Kokkos::complex<double>**> const C;
  auto workspace = carroll::inverse_workspace<Kokkos::complex<double>>(exec, {});
  carroll::inverse_async(exec, C, C, View<carroll::SolveInfo<float>>(), workspace);
#elif defined(CARROLL_CASE_solve_info_of_another_type)
  auto workspace = carroll::solve_workspace<double>(exec, {});
  carroll::solve_async(exec, A, B, X, View<carroll::SolveInfo<float>>(), workspace);
#else
  (void)carroll::solve(exec, A, View<double const**>(), X);
  (void)carroll::inverse(exec, A, X);
  auto workspace = carroll::solve_workspace<double>(exec, {});
  carroll::solve_async(exec, A, B, X, View<carroll::SolveInfo<double>>(), workspace);
  View<Kokkos::complex<float>**> const C, Y;
  (void)carroll::solve(exec, C, View<Kokkos::complex<float> const**>(), Y);
  auto inverts = carroll::inverse_workspace<Kokkos::complex<float>>(exec, {});
  carroll::inverse_async(exec, C, Y, View<carroll::SolveInfo<float>>(), inverts);
#endif
}

}  // namespace
