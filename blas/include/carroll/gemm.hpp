// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/matrix_product/views.hpp>
#include <carroll/gemm/types.hpp>
#include <carroll/gemm/workspace.hpp>
#include <type_traits>

/// C := alpha·op(A)·op(B) + beta·C, the product of two matrices, or of as many as a batch has.
///
///   auto info = carroll::gemm(exec, 1.0, A, B, 0.0, C);
///   auto info = carroll::gemm(exec, alpha, A, B, beta, C, {.op_a = carroll::MatrixOp::transpose});
///
///   A   m×k, or k×m where op_a transposes; read only
///   B   k×n, or n×k
///   C   m×n
///
/// Views of rank 2, or of rank 3 for a batch, its index first; an A or B of rank 2 is that of all
/// members. They may have any strided layout, each its own, over one scalar type, float, double or
/// complex numbers of these. C must overlap neither A nor B.
///
/// As in BLAS, with beta = 0 C is not read, and with alpha = 0 or k = 0 neither are A and B. NaN
/// and infinities go their way as IEEE arithmetic has it.
///
/// Each sum is of products that are rounded together with their addition, in ascending order, in
/// chains whose lengths depend on the extents alone. So are results the same bits for every batch,
/// place in it, number of threads and instance of one build and device; |error| <= k·eps·Σ|a·b| and
/// mostly far less. 2mnk flops.
///
/// Misuse throws std::invalid_argument with the actual and the required sizes before anything is
/// written.
namespace carroll {

/// Enqueues the product on `exec` and returns what will be done. Never fences, never allocates.
template <ExecutionSpace ExecSpace, class AView, class BView, class CView, class T>
GemmInfo gemm_async(ExecSpace const& exec, std::type_identity_t<T> const& alpha, AView const& A,
                    BView const& B, std::type_identity_t<T> const& beta, CView const& C,
                    GemmWorkspace<ExecSpace, T> const& workspace) {
  detail::assert_gemm_views<ExecSpace, AView, BView, CView, T>();
  constexpr char const* function = "carroll::gemm_async";
  auto const product = detail::bind_gemm<T>(function, workspace.extents(), workspace.options(),
                                            alpha, A, B, beta, C);
  detail::AccessTo<GemmWorkspace<ExecSpace, T>>::enqueue(exec, function, product, workspace);
  return workspace.info();
}

/// The same, and waits for it: no allocation, one fence of `exec`.
template <ExecutionSpace ExecSpace, class AView, class BView, class CView, class T>
GemmInfo gemm(ExecSpace const& exec, std::type_identity_t<T> const& alpha, AView const& A,
              BView const& B, std::type_identity_t<T> const& beta, CView const& C,
              GemmWorkspace<ExecSpace, T> const& workspace) {
  GemmInfo const info = gemm_async(exec, alpha, A, B, beta, C, workspace);
  exec.fence("carroll::gemm");
  return info;
}

/// The same without a workspace: allocates one, and frees it, for which Kokkos waits for the whole
/// device on CUDA. Fences `exec` once.
template <ExecutionSpace ExecSpace, class AView, class BView, class CView>
GemmInfo gemm(ExecSpace const& exec, typename CView::non_const_value_type const& alpha,
              AView const& A, BView const& B, typename CView::non_const_value_type const& beta,
              CView const& C, GemmOptions const& options = {}) {
  using T = typename CView::non_const_value_type;
  detail::assert_gemm_views<ExecSpace, AView, BView, CView, T>();
  constexpr char const* function = "carroll::gemm";
  GemmExtents const extents = detail::gemm_extents(A, C, options);
  detail::require_usable(function, extents);
  auto const product = detail::bind_gemm<T>(function, extents, options, alpha, A, B, beta, C);
  using Access = detail::AccessTo<GemmWorkspace<ExecSpace, T>>;
  auto const workspace = Access::make(exec, function, extents, options);
  Access::enqueue(exec, function, product, workspace);
  exec.fence("carroll::gemm");
  return workspace.info();
}

}  // namespace carroll
