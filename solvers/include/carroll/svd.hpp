// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/views.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/types.hpp>
#include <carroll/svd/workspace.hpp>
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
/// words where cond(B) would be felt. (Part of a column that is 2^60, in double precision 2^500,
/// times smaller than the column's largest entry may count as zero.) No scaling of A or of its
/// columns can make a step over- or underflow; multiplying A by a power of two multiplies S by it,
/// bit by bit, as long as neither an entry of A nor a singular value leaves the range of normal
/// numbers. Results are the same bits for every batch size, position in the batch, neighbours,
/// vectors wanted, layout, instance, team size and thread count of one build.
///
/// Method and source: SvdMethod, SvdPath. Cost of the preconditioned method with s (5 to 12)
/// sweeps, m >= n: 3mn² + n³ + 7·s·n³ flops at most to find S, 4mn·(columns of U) + 7n³ more for U
/// and V.
///
/// Numerical trouble is told by SvdInfo::status. Misuse throws std::invalid_argument with the
/// actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

/// The entry points for uniform batches, each under the name that it was called by.
template <class ExecSpace, class AView, class UView, class SView, class VView, class InfoView,
          class Real>
void svd_async(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
               SView const& S, VView const& V, InfoView const& info,
               SvdWorkspace<ExecSpace, Real>& workspace) {
  assert_svd_views<ExecSpace, AView, UView, SView, VView>();
  assert_svd_info<ExecSpace, InfoView, Real, int(AView::rank) - 2>();
  auto batch = bind_views(function, workspace, A, U, S, V);
  bind_infos(function, batch, info, workspace);
  AccessTo<SvdWorkspace<ExecSpace, Real>>::enqueue(exec, batch, workspace);
}

/// Enqueues bound problems and brings their infos to the host: of one matrix one.
template <int Rank, class ExecSpace, class Real>
auto svd_and_fetch(ExecSpace const& exec, SvdBatch<Real> const& batch,
                   SvdWorkspace<ExecSpace, Real> const& workspace) {
  using Access = AccessTo<SvdWorkspace<ExecSpace, Real>>;
  Access::enqueue(exec, batch, workspace);
  std::span<SvdInfo<Real> const> const infos = Access::fetch_infos(exec, workspace);
  if constexpr (Rank == 2)
    return SvdInfo<Real>(infos.front());
  else
    return infos;
}

template <class ExecSpace, class AView, class UView, class SView, class VView, class Real>
auto svd(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
         SView const& S, VView const& V, SvdWorkspace<ExecSpace, Real>& workspace) {
  assert_svd_views<ExecSpace, AView, UView, SView, VView>();
  return svd_and_fetch<int(AView::rank)>(exec, bind_views(function, workspace, A, U, S, V),
                                         workspace);
}

template <class ExecSpace, class AView, class UView, class SView, class VView>
auto svd(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
         SView const& S, VView const& V, SvdOptions const& options) {
  assert_svd_views<ExecSpace, AView, UView, SView, VView>();
  using Real = typename AView::non_const_value_type;
  auto const extents = wanted_extents(function, A, U, V);
  auto const views = bind_views(function, extents, A, U, S, V);  // before memory is asked for
  using Access = AccessTo<SvdWorkspace<ExecSpace, Real>>;
  auto const workspace = Access::uniform(exec, function, extents, options);
  auto const result =
      svd_and_fetch<int(AView::rank)>(exec, Access::batch(workspace, views), workspace);
  if constexpr (int(AView::rank) == 2)
    return result;
  else
    return std::vector<SvdInfo<Real>>(result.begin(), result.end());
}

}  // namespace detail

/// Enqueues the decomposition on `exec` and returns; S, U, V and `info` may be read by later work
/// on the same instance. Never allocates, and fences for SvdPath::spectral alone, which large
/// matrices take on devices with a library of their vendor's. `workspace` must have been made with
/// the same extents and vectors, and must live, unused by others, until the work is done. `info` is
/// a View of SvdInfo that kernels can write: of rank 0 for one matrix, of rank 1 for a batch.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView,
          class InfoView, class Real>
void svd_async(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
               VView const& V, InfoView const& info, SvdWorkspace<ExecSpace, Real>& workspace) {
  detail::svd_async("carroll::svd_async", exec, A, U, S, V, info, workspace);
}

/// Decomposes with a workspace made before: no allocation, one fence of `exec`, to return the info,
/// beside those of SvdPath::spectral.
/// Returns SvdInfo for one matrix; for a batch a span of them, valid until the workspace is used
/// again.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView, class Real>
[[nodiscard]] auto svd(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                       VView const& V, SvdWorkspace<ExecSpace, Real>& workspace) {
  return detail::svd("carroll::svd", exec, A, U, S, V, workspace);
}

/// Decomposes one matrix or a batch. Allocates a workspace, fences `exec` once, to return the info,
/// and frees the workspace, for which Kokkos waits for the whole device on CUDA: who calls often,
/// or has other instances at work, gives a workspace. Returns SvdInfo for one matrix; for a batch a
/// std::vector of them, one per member.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView>
[[nodiscard]] auto svd(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                       VView const& V, SvdOptions const& options = {}) {
  return detail::svd("carroll::svd", exec, A, U, S, V, options);
}

/// The singular values alone: `svd` without U and V, the same bits in S.
template <ExecutionSpace ExecSpace, class AView, class SView>
[[nodiscard]] auto singular_values(ExecSpace const& exec, AView const& A, SView const& S,
                                   SvdOptions const& options = {}) {
  return detail::svd("carroll::singular_values", exec, A, none, S, none, options);
}

template <ExecutionSpace ExecSpace, class AView, class SView, class Real>
[[nodiscard]] auto singular_values(ExecSpace const& exec, AView const& A, SView const& S,
                                   SvdWorkspace<ExecSpace, Real>& workspace) {
  return detail::svd("carroll::singular_values", exec, A, none, S, none, workspace);
}

template <ExecutionSpace ExecSpace, class AView, class SView, class InfoView, class Real>
void singular_values_async(ExecSpace const& exec, AView const& A, SView const& S,
                           InfoView const& info, SvdWorkspace<ExecSpace, Real>& workspace) {
  detail::svd_async("carroll::singular_values_async", exec, A, none, S, none, info, workspace);
}

/// `svd_async` for a ragged batch: A, U, S and V are contiguous Views of rank 1 that hold the
/// members where the list given to `svd_ragged_workspace` says, `info` a View of rank 1.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView,
          class InfoView, class Real>
void svd_ragged_async(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                      VView const& V, InfoView const& info,
                      SvdWorkspace<ExecSpace, Real>& workspace) {
  constexpr char const* function = "carroll::svd_ragged_async";
  detail::assert_ragged_views<ExecSpace, AView, UView, SView, VView>();
  detail::assert_svd_info<ExecSpace, InfoView, Real, 1>();
  auto batch = detail::bind_packed(function, workspace, A, U, S, V);
  detail::bind_infos(function, batch, info, workspace);
  detail::AccessTo<SvdWorkspace<ExecSpace, Real>>::enqueue(exec, batch, workspace);
}

/// `svd` for a ragged batch, with a workspace made before: no allocation, one fence of `exec`.
/// Returns a span of infos in the order of the members, valid until the workspace is used again.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView, class Real>
[[nodiscard]] std::span<SvdInfo<Real> const> svd_ragged(ExecSpace const& exec, AView const& A,
                                                        UView const& U, SView const& S,
                                                        VView const& V,
                                                        SvdWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_ragged_views<ExecSpace, AView, UView, SView, VView>();
  return detail::svd_and_fetch<1>(
      exec, detail::bind_packed("carroll::svd_ragged", workspace, A, U, S, V), workspace);
}

/// Decomposes matrices of different extents in one go: see `svd_members` for the list. Which
/// vectors are wanted, `u` and `v`, holds for all members; give carroll::none for a side that is
/// not. Allocates and frees a workspace as `svd` does, fences `exec` twice. Returns the infos in
/// the order of the members.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView>
[[nodiscard]] std::vector<SvdInfo<typename AView::non_const_value_type>> svd_ragged(
    ExecSpace const& exec, std::span<SvdMember const> members, AView const& A, UView const& U,
    SView const& S, VView const& V, SvdOptions const& options = {},
    SvdVectors u = detail::default_vectors<UView>, SvdVectors v = detail::default_vectors<VView>) {
  detail::assert_ragged_views<ExecSpace, AView, UView, SView, VView>();
  using Real = typename AView::non_const_value_type;
  auto workspace = detail::AccessTo<SvdWorkspace<ExecSpace, Real>>::ragged(
      exec, "carroll::svd_ragged", members, u, v, options);
  auto const infos = svd_ragged(exec, A, U, S, V, workspace);
  return {infos.begin(), infos.end()};
}

}  // namespace carroll
