// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/calls.hpp>
#include <carroll/detail/eigh/views.hpp>
#include <carroll/eigh/types.hpp>
#include <carroll/eigh/workspace.hpp>
#include <span>
#include <vector>

/// Eigenvalues and eigenvectors A = V·diag(W)·Vᴴ of one symmetric or Hermitian matrix or of a
/// batch.
///
///   auto info = carroll::eigh(exec, A, W, V);
///
///   A   n×n   read only, one triangle of it, EighOptions::triangle; the other may hold anything
///   W   n     ascending
///   V   n×n   orthonormal columns, or carroll::none
///
/// or, for a batch, Views with one dimension more, the batch index first. The Views may have any
/// strided layout, each its own, over one scalar type: float, double or, for Hermitian matrices,
/// Kokkos::complex of these, with W real all the same. Imaginary parts on the diagonal of A count
/// for nothing, whatever they are. W and V are overwritten whole; they must not overlap A or each
/// other. Of every column of V the entry largest in modulus, the first of equal ones, is positive.
///
/// Accuracy: the decomposition is backward stable; eigenvalues have errors of order eps·|λ|max,
/// and with EighMethod::cholesky_jacobi, for positive semidefinite matrices, relative errors of
/// order eps·cond(H), A = D·H·D, D diagonal. No scaling of A can make a step over- or underflow
/// (couplings 2^48, in double precision 2^400, times smaller than A's largest entry count as zero);
/// multiplying A by a power of two multiplies W by it, bit by bit, as long as nothing leaves the
/// range of normal numbers. Results are the same bits for every batch size, position in the batch,
/// neighbours, layout, instance, team size and thread count of one build; W is the same with and
/// without vectors.
///
/// Cost: 4n³/3 flops and some 30n² for W, 4n³/3 + 5n³ more for V; where the kernels of `svd` do it,
/// EighPath::shifted, as much as these. Complex operations count as four real ones, those of QL's
/// 5n³ as two. See EighMethod for sources.
///
/// Numerical trouble is told by EighInfo::status. Misuse throws std::invalid_argument with the
/// actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

/// The entry points for uniform batches, each under the name that it was called by.
template <class ExecSpace, class AView, class WView, class VView, class InfoView, class Value>
void eigh_async(char const* function, ExecSpace const& exec, AView const& A, WView const& W,
                VView const& V, InfoView const& info, EighWorkspace<ExecSpace, Value>& workspace) {
  assert_eigh_views<ExecSpace, AView, WView, VView>();
  assert_eigh_info<ExecSpace, InfoView, RealOf<Value>, int(AView::rank) - 2>();
  auto batch = bind_eigh_views(function, workspace, A, W, V);
  bind_infos(function, batch, info, workspace);
  AccessTo<EighWorkspace<ExecSpace, Value>>::enqueue(exec, batch, workspace);
}

template <class ExecSpace, class AView, class WView, class VView, class Value>
auto eigh(char const* function, ExecSpace const& exec, AView const& A, WView const& W,
          VView const& V, EighWorkspace<ExecSpace, Value>& workspace) {
  assert_eigh_views<ExecSpace, AView, WView, VView>();
  return enqueue_and_fetch<int(AView::rank)>(exec, bind_eigh_views(function, workspace, A, W, V),
                                             workspace);
}

template <class ExecSpace, class AView, class WView, class VView>
auto eigh(char const* function, ExecSpace const& exec, AView const& A, WView const& W,
          VView const& V, EighOptions const& options) {
  assert_eigh_views<ExecSpace, AView, WView, VView>();
  using Value = typename AView::non_const_value_type;
  auto const extents = eigh_extents<VView>(function, A);
  auto const views = bind_eigh_views(function, extents, A, W, V);  // before memory is asked for
  using Access = AccessTo<EighWorkspace<ExecSpace, Value>>;
  auto const workspace = Access::uniform(exec, function, extents, options);
  return enqueue_and_copy<int(AView::rank)>(exec, Access::batch(workspace, views), workspace);
}

}  // namespace detail

/// Enqueues the decomposition on `exec` and returns; W, V and `info` may be read by later work on
/// the same instance. Never allocates, and fences only where a vendor's library takes part (real
/// matrices of orders beyond 1024, on CUDA with cuSOLVER). `workspace` must have been made with
/// the same extents and vectors, and must live, unused by others, until the work is done. `info` is
/// a View of EighInfo<float> or EighInfo<double>, by A's precision, that kernels can write: of rank
/// 0 for one matrix, of rank 1 for a batch.
template <ExecutionSpace ExecSpace, class AView, class WView, class VView, class InfoView,
          class Value>
void eigh_async(ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
                InfoView const& info, EighWorkspace<ExecSpace, Value>& workspace) {
  detail::eigh_async("carroll::eigh_async", exec, A, W, V, info, workspace);
}

/// Decomposes with a workspace made before: no allocation, one fence of `exec`, to return the info,
/// besides those that eigh_async has. A vendor's library that fails is a std::runtime_error, after
/// which members before that one are done.
/// Returns EighInfo for one matrix; for a batch a span of them, valid until the workspace is used
/// again.
template <ExecutionSpace ExecSpace, class AView, class WView, class VView, class Value>
[[nodiscard]] auto eigh(ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
                        EighWorkspace<ExecSpace, Value>& workspace) {
  return detail::eigh("carroll::eigh", exec, A, W, V, workspace);
}

/// Decomposes one matrix or a batch. Allocates a workspace, fences `exec` once, to return the info,
/// and frees the workspace, for which Kokkos waits for the whole device on CUDA: who calls often,
/// or has other instances at work, gives a workspace. Returns EighInfo for one matrix; for a batch
/// a std::vector of them, one per member.
template <ExecutionSpace ExecSpace, class AView, class WView, class VView>
[[nodiscard]] auto eigh(ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
                        EighOptions const& options = {}) {
  return detail::eigh("carroll::eigh", exec, A, W, V, options);
}

/// The eigenvalues alone: `eigh` without V, the same bits in W.
template <ExecutionSpace ExecSpace, class AView, class WView>
[[nodiscard]] auto symmetric_eigenvalues(ExecSpace const& exec, AView const& A, WView const& W,
                                         EighOptions const& options = {}) {
  return detail::eigh("carroll::symmetric_eigenvalues", exec, A, W, none, options);
}

template <ExecutionSpace ExecSpace, class AView, class WView, class Value>
[[nodiscard]] auto symmetric_eigenvalues(ExecSpace const& exec, AView const& A, WView const& W,
                                         EighWorkspace<ExecSpace, Value>& workspace) {
  return detail::eigh("carroll::symmetric_eigenvalues", exec, A, W, none, workspace);
}

template <ExecutionSpace ExecSpace, class AView, class WView, class InfoView, class Value>
void symmetric_eigenvalues_async(ExecSpace const& exec, AView const& A, WView const& W,
                                 InfoView const& info, EighWorkspace<ExecSpace, Value>& workspace) {
  detail::eigh_async("carroll::symmetric_eigenvalues_async", exec, A, W, none, info, workspace);
}

/// `eigh_async` for a ragged batch: A, W and V are contiguous Views of rank 1 that hold the members
/// where the list given to `eigh_ragged_workspace` says, `info` a View of rank 1.
template <ExecutionSpace ExecSpace, class AView, class WView, class VView, class InfoView,
          class Value>
void eigh_ragged_async(ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
                       InfoView const& info, EighWorkspace<ExecSpace, Value>& workspace) {
  constexpr char const* function = "carroll::eigh_ragged_async";
  detail::assert_ragged_eigh_views<ExecSpace, AView, WView, VView>();
  detail::assert_eigh_info<ExecSpace, InfoView, detail::RealOf<Value>, 1>();
  auto batch = detail::bind_packed_eigh(function, workspace, A, W, V);
  detail::bind_infos(function, batch, info, workspace);
  detail::AccessTo<EighWorkspace<ExecSpace, Value>>::enqueue(exec, batch, workspace);
}

/// `eigh` for a ragged batch, with a workspace made before: no allocation, one fence of `exec`.
/// Returns a span of infos in the order of the members, valid until the workspace is used again.
template <ExecutionSpace ExecSpace, class AView, class WView, class VView, class Value>
[[nodiscard]] std::span<EighInfo<detail::RealOf<Value>> const> eigh_ragged(
    ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
    EighWorkspace<ExecSpace, Value>& workspace) {
  detail::assert_ragged_eigh_views<ExecSpace, AView, WView, VView>();
  return detail::enqueue_and_fetch<1>(
      exec, detail::bind_packed_eigh("carroll::eigh_ragged", workspace, A, W, V), workspace);
}

/// Decomposes matrices of different orders in one go: see `eigh_members` for the list. Allocates
/// and frees a workspace as `eigh` does, fences `exec` twice. Returns the infos in the order of the
/// members.
template <ExecutionSpace ExecSpace, class AView, class WView, class VView>
[[nodiscard]] std::vector<EighInfo<detail::RealOf<typename AView::non_const_value_type>>>
eigh_ragged(ExecSpace const& exec, std::span<EighMember const> members, AView const& A,
            WView const& W, VView const& V, EighOptions const& options = {}) {
  detail::assert_ragged_eigh_views<ExecSpace, AView, WView, VView>();
  using Value = typename AView::non_const_value_type;
  auto workspace = detail::AccessTo<EighWorkspace<ExecSpace, Value>>::ragged(
      exec, "carroll::eigh_ragged", members, !detail::is_absent<VView>, options);
  auto const infos = eigh_ragged(exec, A, W, V, workspace);
  return {infos.begin(), infos.end()};
}

}  // namespace carroll
