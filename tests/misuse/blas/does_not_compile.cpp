// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/asum.hpp>
#include <carroll/dot.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/norm2.hpp>
#include <carroll/sum.hpp>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;
using Complex = Kokkos::complex<double>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<double*> const x;
  auto workspace = carroll::reduction_workspace<double>(exec, {});
  [[maybe_unused]] auto complex_workspace = carroll::reduction_workspace<Complex>(exec, {});

#if defined(CARROLL_CASE_sum_x_of_int)
  (void)carroll::sum(exec, View<int*>());
#elif defined(CARROLL_CASE_sum_x_of_rank_3)
  (void)carroll::sum(exec, View<double***>());
#elif defined(CARROLL_CASE_sum_x_no_View)
  (void)carroll::sum(exec, std::vector<double>());
#elif defined(CARROLL_CASE_sum_workspace_of_another_type)
  (void)carroll::sum(exec, View<float*>(), workspace);
#elif defined(CARROLL_CASE_sum_workspace_of_int)
  (void)carroll::reduction_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_sum_info_of_number)
  carroll::sum_async(exec, x, View<double>(), workspace);
#elif defined(CARROLL_CASE_sum_info_of_rank_1)
  carroll::sum_async(exec, x, View<carroll::ReductionInfo<double>*>(), workspace);
#elif defined(CARROLL_CASE_sum_info_of_constants)
  carroll::sum_async(exec, x, View<carroll::ReductionInfo<double> const>(), workspace);
#elif defined(CARROLL_CASE_asum_x_of_int)
  (void)carroll::asum(exec, View<int*>());
#elif defined(CARROLL_CASE_asum_info_of_complex)
  carroll::asum_async(exec, View<Complex*>(), View<carroll::ReductionInfo<Complex>>(),
                      complex_workspace);
#elif defined(CARROLL_CASE_norm2_x_of_rank_0)
  (void)carroll::norm2(exec, View<double>());
#elif defined(CARROLL_CASE_norm2_info_of_rank_0)
  carroll::norm2_async(exec, View<double**>(), View<carroll::ReductionInfo<double>>(), workspace);
#elif defined(CARROLL_CASE_max_abs_x_of_long_double)
  (void)carroll::max_abs(exec, View<long double*>());
#elif defined(CARROLL_CASE_max_abs_info_of_complex)
  carroll::max_abs_async(exec, View<Complex*>(), View<carroll::ReductionInfo<Complex>>(),
                         complex_workspace);
#elif defined(CARROLL_CASE_dot_of_two_types)
  (void)carroll::dot(exec, x, View<float*>());
#elif defined(CARROLL_CASE_dot_of_two_ranks)
  (void)carroll::dot(exec, x, View<double**>());
#elif defined(CARROLL_CASE_dot_y_of_int)
  (void)carroll::dot(exec, x, View<int*>());
#elif defined(CARROLL_CASE_dot_info_of_real)
  carroll::dot_async(exec, View<Complex*>(), View<Complex*>(),
                     View<carroll::ReductionInfo<double>>(), complex_workspace);
#elif defined(CARROLL_CASE_dot_workspace_of_another_type)
  (void)carroll::dot(exec, View<Complex*>(), View<Complex*>(), workspace);
#else
  (void)carroll::sum(exec, View<double const**>(), workspace);
  (void)carroll::sum(exec, Kokkos::View<float const*, Kokkos::LayoutStride, Exec>());
  carroll::sum_async(exec, x, View<carroll::ReductionInfo<double>>(), workspace);
  carroll::norm2_async(exec, View<Complex**>(), View<carroll::ReductionInfo<double>*>(),
                       complex_workspace);
  (void)carroll::asum(exec, View<Kokkos::complex<float>*>());
  (void)carroll::max_abs(exec, x);
  (void)carroll::dot(exec, x, Kokkos::View<double const*, Kokkos::LayoutLeft, Exec>());
  (void)carroll::dot(exec, View<Complex*>(), View<Complex*>(), complex_workspace, false);
#endif
}

}  // namespace
