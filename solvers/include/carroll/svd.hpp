// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/views.hpp>
#include <carroll/error.hpp>
#include <carroll/svd_types.hpp>
#include <carroll/svd_workspace.hpp>
#include <span>
#include <vector>

/// Singular value decomposition A = U·diag(S)·Vᵀ of one matrix or of a batch.
///
///   auto info = carroll::svd(exec, A, U, S, V);
///
/// With m×n A and r = min(m, n):
///
///   A   m×n   read only
///   U   m×r (thin) or m×m (full), or carroll::none
///   S   r     descending, >= 0
///   V   n×r (thin) or n×n (full), or carroll::none; V itself, not its transpose
///
/// or, for a batch, Views with one dimension more, the batch index first. The Views may have any
/// strided layout, each its own, over one scalar type, float or double. U, S and V are overwritten
/// whole; they must not overlap A or each other. Columns of U and V that belong to no singular
/// value or to zero complete an orthonormal basis.
///
/// Accuracy: the decomposition is backward stable, and with SvdMethod::preconditioned every single
/// singular value of A = B·D, D diagonal, has a relative error of order eps·cond(B), whatever D is;
/// so it has for square A = D·B. Up to 32 columns the first factorisation is repeated in double
/// words where cond(B) would be felt. (Part of a column that is 2^80, in double precision 2^918,
/// times smaller than the column's largest entry counts as zero.) No scaling of A or of its columns
/// can make a step over- or underflow; multiplying A by a power of two multiplies S by it, bit by
/// bit. Results are the same bits for every batch size, position in the batch, layout, instance,
/// team size and thread count of one build.
///
/// Method and source: SvdMethod. Cost of the preconditioned method with s (about 5 to 8) sweeps,
/// m >= n: 4mn² + 6·s·n³ flops to find S, 4mn·(columns of U) + 5n³ more for U and V.
///
/// Numerical trouble is told by SvdInfo::status. Misuse throws std::invalid_argument with the
/// actual and the required sizes before anything is written.
namespace carroll {

/// Enqueues the decomposition on `exec` and returns; S, U, V and `info` may be read by later work
/// on the same instance. Never fences, never allocates. `workspace` must have been made with the
/// same extents and vectors, and must live, unused by others, until the work is done. `info` is a
/// View of SvdInfo that kernels can write: of rank 0 for one matrix, of rank 1 for a batch.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView,
          class InfoView, class Real>
void svd_async(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
               VView const& V, InfoView const& info,
               SvdWorkspace<ExecSpace, Real> const& workspace) {
  detail::assert_svd_views<ExecSpace, AView, UView, SView, VView>();
  detail::assert_svd_info<ExecSpace, InfoView, Real, int(AView::rank) - 2>();
  constexpr char const* function = "carroll::svd_async";
  auto batch = detail::bind_views(function, workspace, A, U, S, V);
  detail::bind_info(function, batch, info, workspace);
  detail::enqueue_svd(exec, batch, detail::SvdAccess<ExecSpace, Real>::bounds(workspace),
                      workspace.options());
}

/// Decomposes with a workspace made before: no allocation, one fence of `exec`, to return the info.
/// Returns SvdInfo for one matrix; for a batch a span of them, valid until the workspace is used
/// again.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView, class Real>
[[nodiscard]] auto svd(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                       VView const& V, SvdWorkspace<ExecSpace, Real> const& workspace) {
  detail::assert_svd_views<ExecSpace, AView, UView, SView, VView>();
  using Access = detail::SvdAccess<ExecSpace, Real>;
  auto const batch = detail::bind_views("carroll::svd", workspace, A, U, S, V);
  detail::enqueue_svd(exec, batch, Access::bounds(workspace), workspace.options());
  auto const infos = Access::fetch_infos(exec, workspace);
  if constexpr (int(AView::rank) == 2)
    return SvdInfo<Real>(infos.front());
  else
    return infos;
}

/// Decomposes one matrix or a batch. Allocates a workspace, fences `exec` once, to return the info.
/// Returns SvdInfo for one matrix; for a batch a std::vector of them, one per member.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView>
[[nodiscard]] auto svd(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                       VView const& V, SvdOptions const& options = {}) {
  detail::assert_svd_views<ExecSpace, AView, UView, SView, VView>();
  using Real = typename AView::non_const_value_type;
  auto const extents = detail::wanted_extents("carroll::svd", A, U, V);
  auto const workspace =
      detail::SvdAccess<ExecSpace, Real>::uniform(exec, "carroll::svd", extents, options);
  auto const result = svd(exec, A, U, S, V, workspace);
  if constexpr (int(AView::rank) == 2)
    return result;
  else
    return std::vector<SvdInfo<Real>>(result.begin(), result.end());
}

/// The singular values alone: `svd` without U and V, the same bits in S.
template <ExecutionSpace ExecSpace, class AView, class SView>
[[nodiscard]] auto singular_values(ExecSpace const& exec, AView const& A, SView const& S,
                                   SvdOptions const& options = {}) {
  return svd(exec, A, none, S, none, options);
}

template <ExecutionSpace ExecSpace, class AView, class SView, class Real>
[[nodiscard]] auto singular_values(ExecSpace const& exec, AView const& A, SView const& S,
                                   SvdWorkspace<ExecSpace, Real> const& workspace) {
  return svd(exec, A, none, S, none, workspace);
}

template <ExecutionSpace ExecSpace, class AView, class SView, class InfoView, class Real>
void singular_values_async(ExecSpace const& exec, AView const& A, SView const& S,
                           InfoView const& info, SvdWorkspace<ExecSpace, Real> const& workspace) {
  svd_async(exec, A, none, S, none, info, workspace);
}

/// `svd_async` for a ragged batch: A, U, S and V are contiguous Views of rank 1 that hold the
/// members where the list given to `svd_ragged_workspace` says, `info` a View of rank 1.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView,
          class InfoView, class Real>
void svd_ragged_async(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                      VView const& V, InfoView const& info,
                      SvdWorkspace<ExecSpace, Real> const& workspace) {
  detail::assert_ragged_views<ExecSpace, AView, UView, SView, VView>();
  detail::assert_svd_info<ExecSpace, InfoView, Real, 1>();
  constexpr char const* function = "carroll::svd_ragged_async";
  auto batch = detail::bind_packed(function, workspace, A, U, S, V);
  detail::bind_info(function, batch, info, workspace);
  detail::enqueue_svd(exec, batch, detail::SvdAccess<ExecSpace, Real>::bounds(workspace),
                      workspace.options());
}

/// Decomposes matrices of different extents in one go: see `svd_members` for the list. Which
/// vectors are wanted, `u` and `v`, holds for all members; give carroll::none for a side that is
/// not. Allocates a workspace, fences `exec` twice. Returns the infos in the order of the members.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView>
[[nodiscard]] std::vector<SvdInfo<typename AView::non_const_value_type>> svd_ragged(
    ExecSpace const& exec, std::span<SvdMember const> members, AView const& A, UView const& U,
    SView const& S, VView const& V, SvdOptions const& options = {},
    SvdVectors u = detail::default_vectors<UView>, SvdVectors v = detail::default_vectors<VView>) {
  detail::assert_ragged_views<ExecSpace, AView, UView, SView, VView>();
  using Real = typename AView::non_const_value_type;
  using Access = detail::SvdAccess<ExecSpace, Real>;
  constexpr char const* function = "carroll::svd_ragged";
  auto const workspace = Access::ragged(exec, function, members, u, v, options);
  auto const batch = detail::bind_packed(function, workspace, A, U, S, V);
  detail::enqueue_svd(exec, batch, Access::bounds(workspace), options);
  auto const infos = Access::fetch_infos(exec, workspace);
  return {infos.begin(), infos.end()};
}

}  // namespace carroll
