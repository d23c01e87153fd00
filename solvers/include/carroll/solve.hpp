// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/calls.hpp>
#include <carroll/detail/solve/views.hpp>
#include <carroll/none.hpp>
#include <carroll/solve/types.hpp>
#include <carroll/solve/workspace.hpp>
#include <vector>

/// Systems of n linear equations A·X = B, and inverses, of one square matrix or of a batch.
///
///   auto info = carroll::solve(exec, A, B, X);
///   auto info = carroll::inverse(exec, A, X);
///
///   A   n×n   any n, 0 included; read only
///   B   n×k   k right-hand sides; read only
///   X   n×k   the solutions; n×n the inverse
///
/// or, for a batch, Views with one dimension more, the batch index first. The Views may have any
/// strided layout, each its own, over one scalar type, float, double or Kokkos::complex of one of
/// these. X is overwritten whole; it must not overlap A or B. A right-hand side that is a vector is
/// an n×1 View of its memory.
///
/// Elimination with partial pivoting: X(:, j) solves (A + E)·X(:, j) = B(:, j) with |E| of order
/// n·growth·eps·max|A|; SolveInfo::growth tells the growth, which hardly ever exceeds n. Where rows
/// or columns of A differ in size by more than 16 times they are first brought near 1 by powers of
/// two, and E is as small row by row and column by column. Right-hand sides are scaled each by
/// itself. Nothing over- or underflows on the way but numbers that are 2^126 (2^1022) times smaller
/// than the rest of their row and column; what does is told, as is a result beyond the range.
/// Multiplying A or a column of B by a power of two multiplies X by it or its inverse, bit by bit,
/// as long as nothing leaves the range of normal numbers. Results are the same bits for every batch
/// size, position in the batch, neighbours, layout, instance, team size and thread count of one
/// build, and with statuses `success` and `overflow` a column of X does not depend on the other
/// columns of B.
///
/// Cost: 2n³/3 flops to eliminate, 2n² for each column of X, and for the condition some 10n² to
/// estimate it (Hager 1984, Higham 1988), or, path `tiled`, 4n³/3 to find it; A and B are read
/// once, beyond order 32 up to three times, X is written once. Of complex numbers four times as
/// many flops.
///
/// Numerical trouble is told by SolveInfo::status, ill_conditioned and rcond. Misuse throws
/// std::invalid_argument with the actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

/// The entry points, each under the name that it was called by; B is carroll::none for `inverse`.
template <class ExecSpace, class AView, class BView, class XView, class InfoView, class Value>
void solve_async(char const* function, ExecSpace const& exec, AView const& A, BView const& B,
                 XView const& X, InfoView const& info,
                 SolveWorkspace<ExecSpace, Value>& workspace) {
  assert_solve_views<ExecSpace, AView, BView, XView>();
  assert_solve_info<ExecSpace, InfoView, Value, int(AView::rank) - 2>();
  auto batch = bind_solve_views(function, workspace, A, B, X);
  bind_infos(function, batch, info, workspace);
  AccessTo<SolveWorkspace<ExecSpace, Value>>::enqueue(exec, batch, workspace);
}

template <class ExecSpace, class AView, class BView, class XView, class Value>
auto solve(char const* function, ExecSpace const& exec, AView const& A, BView const& B,
           XView const& X, SolveWorkspace<ExecSpace, Value>& workspace) {
  assert_solve_views<ExecSpace, AView, BView, XView>();
  return enqueue_and_fetch<int(AView::rank)>(exec, bind_solve_views(function, workspace, A, B, X),
                                             workspace);
}

template <class ExecSpace, class AView, class BView, class XView>
auto solve(char const* function, ExecSpace const& exec, AView const& A, BView const& B,
           XView const& X, SolveOptions const& options) {
  assert_solve_views<ExecSpace, AView, BView, XView>();
  using Value = typename AView::non_const_value_type;
  using Access = AccessTo<SolveWorkspace<ExecSpace, Value>>;
  SolveExtents const extents = solve_extents(A, B);
  auto const views = bind_solve_views(function, extents, A, B, X);  // before memory is asked for
  auto const workspace = Access::uniform(exec, function, extents, options);
  return enqueue_and_copy<int(AView::rank)>(exec, Access::batch(workspace, views), workspace);
}

}  // namespace detail

/// Enqueues the work on `exec` and returns; X and `info` may be read by later work on the same
/// instance. Never fences, never allocates. `workspace` must have been made by `solve_workspace`
/// with the same extents, and must live, unused by others, until the work is done. `info` is a View
/// of SolveInfo of the scalar type, of complex numbers that of their parts, that kernels can write:
/// of rank 0 for one matrix, of rank 1 for a batch.
template <ExecutionSpace ExecSpace, class AView, class BView, class XView, class InfoView,
          class Value>
void solve_async(ExecSpace const& exec, AView const& A, BView const& B, XView const& X,
                 InfoView const& info, SolveWorkspace<ExecSpace, Value>& workspace) {
  detail::solve_async("carroll::solve_async", exec, A, B, X, info, workspace);
}

/// Solves with a workspace made before: no allocation, one fence of `exec`, to return the info.
/// Returns SolveInfo for one matrix; for a batch a span of them, valid until the workspace is used
/// again.
template <ExecutionSpace ExecSpace, class AView, class BView, class XView, class Value>
[[nodiscard]] auto solve(ExecSpace const& exec, AView const& A, BView const& B, XView const& X,
                         SolveWorkspace<ExecSpace, Value>& workspace) {
  return detail::solve("carroll::solve", exec, A, B, X, workspace);
}

/// Solves for one matrix or a batch. Allocates a workspace, fences `exec` once, to return the info,
/// and frees the workspace, for which Kokkos waits for the whole device on CUDA: who calls often,
/// or has other instances at work, gives a workspace. Returns SolveInfo for one matrix; for a batch
/// a std::vector of them, one per member.
template <ExecutionSpace ExecSpace, class AView, class BView, class XView>
[[nodiscard]] auto solve(ExecSpace const& exec, AView const& A, BView const& B, XView const& X,
                         SolveOptions const& options = {}) {
  return detail::solve("carroll::solve", exec, A, B, X, options);
}

/// X := A⁻¹, as `solve_async` does for the columns of the identity, with a workspace made by
/// `inverse_workspace`. 8n³/3 flops; by `tiled` 2n³.
template <ExecutionSpace ExecSpace, class AView, class XView, class InfoView, class Value>
void inverse_async(ExecSpace const& exec, AView const& A, XView const& X, InfoView const& info,
                   SolveWorkspace<ExecSpace, Value>& workspace) {
  detail::solve_async("carroll::inverse_async", exec, A, none, X, info, workspace);
}
template <ExecutionSpace ExecSpace, class AView, class XView, class Value>
[[nodiscard]] auto inverse(ExecSpace const& exec, AView const& A, XView const& X,
                           SolveWorkspace<ExecSpace, Value>& workspace) {
  return detail::solve("carroll::inverse", exec, A, none, X, workspace);
}
template <ExecutionSpace ExecSpace, class AView, class XView>
[[nodiscard]] auto inverse(ExecSpace const& exec, AView const& A, XView const& X,
                           SolveOptions const& options = {}) {
  return detail::solve("carroll::inverse", exec, A, none, X, options);
}

}  // namespace carroll
