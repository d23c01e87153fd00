// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant.hpp>
#include <carroll/determinant.hpp>
#include <carroll/determinant_dual.hpp>
#include <carroll/determinant_ragged.hpp>
#include <carroll/integer_determinant.hpp>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<double**> const A;
  auto workspace = carroll::determinant_workspace<double>(exec, {});
  [[maybe_unused]] auto certified = carroll::certified_determinant_workspace<double>(exec, {});

#if defined(CARROLL_CASE_determinant_A_of_int)
  (void)carroll::determinant(exec, View<int**>());
#elif defined(CARROLL_CASE_determinant_A_of_rank_1)
  (void)carroll::determinant_of(exec, View<double*>());
#elif defined(CARROLL_CASE_determinant_A_of_constants)
  (void)carroll::determinant(exec, View<double const**>());
#elif defined(CARROLL_CASE_determinant_workspace_of_another_type)
  (void)carroll::determinant(exec, View<float**>(), workspace);
#elif defined(CARROLL_CASE_determinant_workspace_of_int)
  (void)carroll::determinant_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_determinant_info_of_int)
  carroll::determinant_async(exec, A, View<int>(), workspace);
#elif defined(CARROLL_CASE_determinant_info_of_rank_1)
  carroll::determinant_async(exec, A, View<carroll::DeterminantInfo<double>*>(), workspace);
#elif defined(CARROLL_CASE_certified_A_of_int)
  (void)carroll::certified_determinant(exec, View<int**>());
#elif defined(CARROLL_CASE_certified_A_of_complex)
  (void)carroll::certified_determinant(exec, View<Kokkos::complex<double>**>());
#elif defined(CARROLL_CASE_certified_workspace_of_another_type)
  (void)carroll::certified_determinant(exec, View<float**>(), certified);
#elif defined(CARROLL_CASE_certified_info_of_rank_1)
  carroll::certified_determinant_async(exec, A, View<carroll::CertifiedDeterminantInfo<double>*>(),
                                       certified);
#elif defined(CARROLL_CASE_determinant_ragged_A_of_rank_2)
  (void)carroll::determinant_of_ragged(exec, {}, A);
#elif defined(CARROLL_CASE_determinant_ragged_A_of_constants)
  (void)carroll::determinant_ragged(exec, {}, View<double const*>());
#elif defined(CARROLL_CASE_determinant_ragged_info_of_rank_0)
  auto ragged = carroll::determinant_ragged_workspace<double>(exec, {});
  carroll::determinant_ragged_async(exec, View<double*>(), View<carroll::DeterminantInfo<double>>(),
                                    ragged);
#elif defined(CARROLL_CASE_determinant_dual_of_int)
  (void)carroll::determinant(exec, Kokkos::DualView<int**, Exec>());
#elif defined(CARROLL_CASE_scaled_number_of_int)
  carroll::ScaledNumber<short> const x(3);
#elif defined(CARROLL_CASE_scaled_number_complex_to_real)
  (void)carroll::ScaledNumber<Kokkos::complex<double>>().to<double>();
#elif defined(CARROLL_CASE_integer_A_of_double)
  (void)carroll::integer_determinant(exec, A);
#elif defined(CARROLL_CASE_integer_A_of_unsigned)
  (void)carroll::integer_determinant(exec, View<unsigned**>());
#elif defined(CARROLL_CASE_integer_A_of_rank_3)
  (void)carroll::integer_determinant(exec, View<int***>());
#elif defined(CARROLL_CASE_integer_A_no_View)
  (void)carroll::integer_determinant(exec, std::vector<int>());
#else
  (void)carroll::integer_determinant(exec, View<int const**>());
  (void)carroll::certified_determinant(exec, View<float const***>());
  carroll::certified_determinant_async(exec, A, View<carroll::CertifiedDeterminantInfo<double>>(),
                                       certified);
  (void)carroll::determinant(exec, A, workspace);
  (void)carroll::determinant(exec, Kokkos::DualView<double**, Exec>());
  (void)carroll::determinant_of_ragged(exec, {}, View<float const*>());
  (void)carroll::determinant_of(exec, View<Kokkos::complex<float> const***>());
  carroll::determinant_async(exec, A, View<carroll::DeterminantInfo<double>>(), workspace);
#endif
}

}  // namespace
