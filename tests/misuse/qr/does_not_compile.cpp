// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/qr.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<double**> const A, Q, R;
  View<Kokkos::complex<double>**> const C;
  View<int*> const P;

#if defined(CARROLL_CASE_qr_A_of_int)
  (void)carroll::qr(exec, View<int**>(), Q, R);
#elif defined(CARROLL_CASE_qr_R_of_another_type)
  (void)carroll::qr(exec, A, Q, View<float**>());
#elif defined(CARROLL_CASE_qr_R_of_real_numbers)
  (void)carroll::qr(exec, C, C, R);
#elif defined(CARROLL_CASE_qr_workspace_of_parts)
  auto workspace = carroll::qr_workspace<double>(exec, {});
  (void)carroll::qr(exec, C, C, C, workspace);
#elif defined(CARROLL_CASE_qr_Q_of_constants)
  (void)carroll::qr(exec, A, View<double const**>(), R);
#elif defined(CARROLL_CASE_qr_P_of_double)
  (void)carroll::pivoted_qr(exec, A, Q, R, View<double*>());
#elif defined(CARROLL_CASE_qr_workspace_of_another_type)
  auto workspace = carroll::qr_workspace<float>(exec, {});
  (void)carroll::qr(exec, A, Q, R, workspace);
#elif defined(CARROLL_CASE_qr_workspace_of_int)
  (void)carroll::qr_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_qr_info_of_int)
  auto workspace = carroll::qr_workspace<double>(exec, {});
  carroll::qr_async(exec, A, Q, R, View<int>(), workspace);
#elif defined(CARROLL_CASE_qr_ragged_A_of_rank_2)
  (void)carroll::qr_ragged(exec, {}, carroll::QrMode::r, A, carroll::none, View<double*>());
#else
  (void)carroll::qr(exec, A, Q, R);
  (void)carroll::pivoted_qr(exec, A, carroll::none, R, P);
  (void)carroll::pivoted_qr(exec, C, carroll::none, C, P);
  auto workspace = carroll::qr_workspace<double>(exec, {});
  carroll::qr_async(exec, A, Q, R, View<carroll::QrInfo>(), workspace);
#endif
}

}  // namespace
