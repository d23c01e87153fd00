// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/fused_pseudoinverse.hpp>
#include <carroll/mesh_jacobian.hpp>
#include <carroll/pseudoinverse.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

/// Rows that are numbers, not rows.
struct Numbers {
  struct OfTriangle {
    KOKKOS_FUNCTION double operator()(int row) const { return row; }
  };
  KOKKOS_FUNCTION OfTriangle operator()(int, int) const { return {}; }
};

[[maybe_unused]] void calls() {
  Exec const exec;
  View<double*> const v;
  carroll::ArrowJacobian const A{View<double**>(), v, View<int*>()};
  carroll::ArrowSolution const x{v, v};
  auto workspace = carroll::pseudoinverse_workspace<double>(exec, {});
  [[maybe_unused]] carroll::MeshWorkspace<Exec, double> mesh_workspace;

#if defined(CARROLL_CASE_arrow_motion_of_rank_1)
  (void)carroll::apply_pseudoinverse(exec, carroll::ArrowJacobian{v, v, View<int*>()}, v, x);
#elif defined(CARROLL_CASE_arrow_depth_of_another_type)
  (void)carroll::apply_pseudoinverse(
      exec, carroll::ArrowJacobian{View<double**>(), View<float*>(), View<int*>()}, v, x);
#elif defined(CARROLL_CASE_arrow_offsets_of_long)
  (void)carroll::apply_pseudoinverse(
      exec, carroll::ArrowJacobian{View<double**>(), v, View<long*>()}, v, x);
#elif defined(CARROLL_CASE_arrow_solution_of_constants)
  (void)carroll::apply_pseudoinverse(exec, A, v, carroll::ArrowSolution{View<double const*>(), v});
#elif defined(CARROLL_CASE_arrow_rhs_of_rank_3)
  (void)carroll::apply_pseudoinverse(exec, A, View<double***>(), x);
#elif defined(CARROLL_CASE_arrow_inverse_of_rank_1)
  (void)carroll::pseudoinverse(exec, A, v);
#elif defined(CARROLL_CASE_arrow_workspace_of_int)
  (void)carroll::pseudoinverse_workspace<int>(exec, {});
#elif defined(CARROLL_CASE_arrow_info_of_int)
  carroll::apply_pseudoinverse_async(exec, A, v, x, View<int>(), workspace);
#elif defined(CARROLL_CASE_mesh_triangles_of_long)
  (void)carroll::mesh_triangulation(exec, View<long**>(), 3);
#elif defined(CARROLL_CASE_mesh_rows_of_numbers)
  (void)carroll::mesh_step(exec, View<int*>(), Numbers{}, x, mesh_workspace);
#elif defined(CARROLL_CASE_mesh_depth_variances)
  (void)carroll::mesh_step(exec, View<int*>(), Numbers{},
                           carroll::ArrowSolution{v, v, carroll::none, v}, mesh_workspace);
#elif defined(CARROLL_CASE_fused_rows_of_numbers)
  (void)carroll::apply_pseudoinverse(exec, carroll::FusedArrowJacobian{Numbers{}, View<int*>()}, x,
                                     workspace);
#else
  (void)carroll::apply_pseudoinverse(exec, A, v, x, workspace);
  (void)carroll::apply_pseudoinverse(
      exec, carroll::MeshJacobian{View<double**>(), View<double**>(), View<int*>()}, v, x,
      mesh_workspace);
  (void)carroll::pseudoinverse(exec, A, View<double**>());
#endif
}

}  // namespace
