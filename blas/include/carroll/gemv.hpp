// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/matrix_vector/views.hpp>
#include <carroll/gemv/types.hpp>
#include <carroll/gemv/workspace.hpp>
#include <type_traits>

/// y := alpha·op(A)·x + beta·y, the product of a matrix and a vector, or of as many as a batch has.
///
///   auto info = carroll::gemv(exec, 1.0, A, x, 0.0, y);
///   auto info = carroll::gemv(exec, alpha, A, x, beta, y, {.op = carroll::MatrixOp::transpose});
///
///   A   m×n, or n×m where op transposes; read only
///   x   n; read only
///   y   m
///
/// For a batch all have a rank more, its index first; an A of rank 2 is that of all members. The
/// Views may have any strided layout, each its own, over one scalar type, float, double or complex
/// numbers of these. y must overlap neither A nor x.
///
/// As in BLAS, with beta = 0 y is not read, and with alpha = 0 or n = 0 neither are A and x. NaN
/// and infinities go their way as IEEE arithmetic has it.
///
/// Each sum is, bit for bit, what carroll::dot makes of a row and x, by its tree of additions
/// (docs/blas.md); alpha times the sum and beta·y are rounded, then added. So are results the same
/// bits on all devices, for every number of threads, layout, batch and place in it; |error| of a
/// sum
/// <= (47 + log₂(n/1024))·eps·Σ|a·x|. 2mn flops; A is read once: the time is that of memory.
///
/// Misuse throws std::invalid_argument with the actual and the required sizes before anything is
/// written.
namespace carroll {

/// Enqueues the product on `exec` and returns what will be done. Never fences, never allocates.
/// `workspace` must have been made with the same extents and options, and must live, unused by
/// others, until the work is done.
template <ExecutionSpace ExecSpace, class AView, class XView, class YView, class T>
GemvInfo gemv_async(ExecSpace const& exec, std::type_identity_t<T> const& alpha, AView const& A,
                    XView const& x, std::type_identity_t<T> const& beta, YView const& y,
                    GemvWorkspace<ExecSpace, T> const& workspace) {
  detail::assert_gemv_views<ExecSpace, AView, XView, YView, T>();
  return detail::AccessTo<GemvWorkspace<ExecSpace, T>>::enqueue(
      exec,
      detail::bind_gemv<T>("carroll::gemv_async", workspace.extents(), workspace.options(), alpha,
                           A, x, beta, y),
      workspace);
}

/// The same, and waits for it: no allocation, one fence of `exec`.
template <ExecutionSpace ExecSpace, class AView, class XView, class YView, class T>
GemvInfo gemv(ExecSpace const& exec, std::type_identity_t<T> const& alpha, AView const& A,
              XView const& x, std::type_identity_t<T> const& beta, YView const& y,
              GemvWorkspace<ExecSpace, T> const& workspace) {
  GemvInfo const info = gemv_async(exec, alpha, A, x, beta, y, workspace);
  exec.fence("carroll::gemv");
  return info;
}

/// The same without a workspace: allocates one if rows are long and few, and frees it, for which
/// Kokkos waits for the whole device on CUDA. Fences `exec` once.
template <ExecutionSpace ExecSpace, class AView, class XView, class YView>
GemvInfo gemv(ExecSpace const& exec, typename YView::non_const_value_type const& alpha,
              AView const& A, XView const& x, typename YView::non_const_value_type const& beta,
              YView const& y, GemvOptions const& options = {}) {
  using T = typename YView::non_const_value_type;
  detail::assert_gemv_views<ExecSpace, AView, XView, YView, T>();
  constexpr char const* function = "carroll::gemv";
  GemvExtents const extents = detail::gemv_extents(A, y, options);
  detail::require_usable(function, extents, options);
  auto const problem = detail::bind_gemv<T>(function, extents, options, alpha, A, x, beta, y);
  using Workspace = GemvWorkspace<ExecSpace, T>;
  using Access = detail::AccessTo<Workspace>;
  auto const workspace = Access::needs_memory(exec, problem)
                             ? Access::make(exec, function, extents, options)
                             : Workspace{};
  GemvInfo const info = Access::enqueue(exec, problem, workspace);
  exec.fence(function);
  return info;
}

}  // namespace carroll
