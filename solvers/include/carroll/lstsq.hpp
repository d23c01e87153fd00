// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/calls.hpp>
#include <carroll/detail/lstsq/views.hpp>
#include <carroll/lstsq/types.hpp>
#include <carroll/lstsq/workspace.hpp>
#include <carroll/none.hpp>
#include <vector>

/// Least squares and pseudoinverses of matrices of any shape and rank, one or a batch:
/// X = A⁺·B, of all X that minimise ‖A·X - B‖ the one of least norm, column by column; P = A⁺.
///
///   auto info = carroll::lstsq(exec, A, B, X);
///   auto info = carroll::pinv(exec, A, P);
///
///   A   m×n   any m and n, 0 included; read only
///   B   m×p   right-hand sides; or a vector of m entries; read only
///   X   n×p   or a vector of n entries, as B is
///   P   n×m
///
/// or, for a batch, Views with one dimension more, the batch index first. The Views may have any
/// strided layout, each its own, over one scalar type: float, double or Kokkos::complex of these. X
/// and P are overwritten whole; they must overlap neither A nor B.
///
/// By the singular value decomposition of `svd`, A = U·Σ·Vᴴ: X = V·Σ⁺·(Uᴴ·B) (Golub and Kahan, SIAM
/// J. Numer. Anal. 2(2), 1965), where singular values of at most rcond·σ₁ count as zero:
/// LstsqOptions::rcond. A is never squared: each column of X is, to rounding, the solution of least
/// norm of a problem whose matrix is within a few eps·‖A‖ of A. For the arrow matrices of visual
/// SLAM there is `apply_pseudoinverse`.
///
/// Powers of two take A and every column of B to where nothing over- or underflows on the way: an
/// entry of X is infinite only if it is beyond the range, and then LstsqInfo::status is overflow.
/// Multiplying A or a column of B by a power of two multiplies X by it or its inverse, bit by bit,
/// as long as no entry comes near the smallest normal number. Results are the same bits for every
/// batch size, position in the batch, neighbours, layout, instance, team size and thread count of
/// one build, and a column of X is for every number of columns beside it. What is said of an entry
/// holds for either part of a complex one.
///
/// Cost: that of `svd` with U and V, and 2kp(m + n) flops, k = min(m, n), by the products of
/// `gemm`; of pinv 2kmn. Complex operations count as four real ones.
///
/// Numerical trouble is told by LstsqInfo::status; a deficient rank is none, and told by
/// LstsqInfo::rank. NaN or infinity in A or B make all of the problem's X NaN, and nobody else's.
/// Misuse throws std::invalid_argument with the actual and the required sizes before anything is
/// written.
namespace carroll {

namespace detail {

/// The views of both entry points: carroll::none for B is a pseudoinverse.
template <class ExecSpace, class AView, class BView, class XView>
consteval void assert_lstsq_call() {
  if constexpr (is_absent<BView>)
    assert_pinv_views<ExecSpace, AView, XView>();
  else
    assert_lstsq_views<ExecSpace, AView, BView, XView>();
}

/// The entry points, each under the name that it was called by.
template <class ExecSpace, class AView, class BView, class XView, class InfoView, class Value>
void lstsq_async(char const* function, ExecSpace const& exec, AView const& A, BView const& B,
                 XView const& X, InfoView const& info,
                 LstsqWorkspace<ExecSpace, Value>& workspace) {
  assert_lstsq_call<ExecSpace, AView, BView, XView>();
  assert_lstsq_info<ExecSpace, InfoView, RealOf<Value>, int(AView::rank) - 2>();
  auto batch = bind_lstsq_views(function, workspace, A, B, X);
  bind_infos(function, batch, info, workspace);
  AccessTo<LstsqWorkspace<ExecSpace, Value>>::enqueue(exec, batch, workspace);
}

template <class ExecSpace, class AView, class BView, class XView, class Value>
auto lstsq(char const* function, ExecSpace const& exec, AView const& A, BView const& B,
           XView const& X, LstsqWorkspace<ExecSpace, Value>& workspace) {
  assert_lstsq_call<ExecSpace, AView, BView, XView>();
  return enqueue_and_fetch<int(AView::rank)>(exec, bind_lstsq_views(function, workspace, A, B, X),
                                             workspace);
}

template <class ExecSpace, class AView, class BView, class XView>
auto lstsq(char const* function, ExecSpace const& exec, AView const& A, BView const& B,
           XView const& X, LstsqOptions const& options) {
  assert_lstsq_call<ExecSpace, AView, BView, XView>();
  using Value = typename AView::non_const_value_type;
  auto const extents = lstsq_extents(A, B);
  auto const views = bind_lstsq_views(function, extents, A, B, X);  // before memory is asked for
  using Access = AccessTo<LstsqWorkspace<ExecSpace, Value>>;
  auto const workspace = Access::make(exec, function, extents, options, is_absent<BView>);
  return enqueue_and_copy<int(AView::rank)>(exec, Access::batch(workspace, views), workspace);
}

}  // namespace detail

/// Enqueues the solution on `exec` and returns; X and `info` may be read by later work on the same
/// instance. Never allocates, and fences only where svd_async does. `workspace` must have been made
/// with the same extents and must live, unused by others, until the work is done. `info` is a View
/// of LstsqInfo<float> or LstsqInfo<double>, by A's precision, that kernels can write: of rank 0
/// for one problem, of rank 1 for a batch.
template <ExecutionSpace ExecSpace, class AView, class BView, class XView, class InfoView,
          class Value>
void lstsq_async(ExecSpace const& exec, AView const& A, BView const& B, XView const& X,
                 InfoView const& info, LstsqWorkspace<ExecSpace, Value>& workspace) {
  detail::lstsq_async("carroll::lstsq_async", exec, A, B, X, info, workspace);
}

/// Solves with a workspace made before: no allocation, one fence of `exec`, to return the info.
/// Returns LstsqInfo for one problem; for a batch a span of them, valid until the workspace is used
/// again.
template <ExecutionSpace ExecSpace, class AView, class BView, class XView, class Value>
[[nodiscard]] auto lstsq(ExecSpace const& exec, AView const& A, BView const& B, XView const& X,
                         LstsqWorkspace<ExecSpace, Value>& workspace) {
  return detail::lstsq("carroll::lstsq", exec, A, B, X, workspace);
}

/// Solves one problem or a batch. Allocates a workspace, fences `exec` once, to return the info,
/// and frees the workspace, for which Kokkos waits for the whole device on CUDA: who calls often,
/// or has other instances at work, gives a workspace. Returns LstsqInfo for one problem; for a
/// batch a std::vector of them, one per member.
template <ExecutionSpace ExecSpace, class AView, class BView, class XView>
[[nodiscard]] auto lstsq(ExecSpace const& exec, AView const& A, BView const& B, XView const& X,
                         LstsqOptions const& options = {}) {
  return detail::lstsq("carroll::lstsq", exec, A, B, X, options);
}

/// The pseudoinverse of Moore and Penrose, P = A⁺, in the same three ways. The workspace must have
/// been made by `pinv_workspace`.
template <ExecutionSpace ExecSpace, class AView, class PView, class InfoView, class Value>
void pinv_async(ExecSpace const& exec, AView const& A, PView const& P, InfoView const& info,
                LstsqWorkspace<ExecSpace, Value>& workspace) {
  detail::lstsq_async("carroll::pinv_async", exec, A, none, P, info, workspace);
}
template <ExecutionSpace ExecSpace, class AView, class PView, class Value>
[[nodiscard]] auto pinv(ExecSpace const& exec, AView const& A, PView const& P,
                        LstsqWorkspace<ExecSpace, Value>& workspace) {
  return detail::lstsq("carroll::pinv", exec, A, none, P, workspace);
}
template <ExecutionSpace ExecSpace, class AView, class PView>
[[nodiscard]] auto pinv(ExecSpace const& exec, AView const& A, PView const& P,
                        LstsqOptions const& options = {}) {
  return detail::lstsq("carroll::pinv", exec, A, none, P, options);
}

}  // namespace carroll
