// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/calls.hpp>
#include <carroll/detail/narrow/eigh_views.hpp>
#include <carroll/eigh.hpp>
#include <carroll/narrow.hpp>
#include <carroll/narrow/eigh_workspace.hpp>
#include <carroll/none.hpp>
#include <span>
#include <vector>

/// Eigenvalues and eigenvectors of symmetric matrices that are stored in 16 bits: `eigh`,
/// `symmetric_eigenvalues` and `eigh_ragged` for Views of carroll::float16, carroll::bfloat16 or
/// Kokkos' types like them. They are called as those for floats are (eigh.hpp), with the same
/// shapes, options and infos:
///
///   auto info = carroll::eigh(exec, A, W, V);
///
///   A   n×n in 16 bits, read only; one triangle counts, EighOptions::triangle; the other may hold
///       anything
///   W   n, of float
///   V   n×n, of float or of A's type, or carroll::none
///
/// The work is done in single precision: all outputs have the bits that they have for the floats
/// that A's entries are, and a V of 16 bits is that, each entry rounded once (beyond 11 or 8 digits
/// it is not orthonormal then). The infos are EighInfo<float>.
///
/// A is made floats in the workspace by one kernel before the solver's, both triangles of it, and V
/// is rounded by one behind them: 6 bytes an entry of each. Nothing else is different: no fence, no
/// allocation, no work more. Numerical trouble is told by EighInfo::status.
/// Misuse throws std::invalid_argument with the actual and the required sizes before anything is
/// written.
namespace carroll {

namespace detail {

template <class ExecSpace, class AView, class WView, class VView, class InfoView, class T>
void narrow_eigh_async(char const* function, ExecSpace const& exec, AView const& A, WView const& W,
                       VView const& V, InfoView const& info,
                       EighWorkspace<ExecSpace, T>& workspace) {
  assert_narrow_eigh_views<ExecSpace, AView, WView, VView>();
  assert_eigh_info<ExecSpace, InfoView, float, int(AView::rank) - 2>();
  auto call = bind_narrow_eigh(function, workspace, A, W, V);
  bind_infos(function, call.batch, info, workspace);
  AccessTo<EighWorkspace<ExecSpace, T>>::enqueue(exec, call, workspace);
}

template <class ExecSpace, class AView, class WView, class VView, class T>
auto narrow_eigh(char const* function, ExecSpace const& exec, AView const& A, WView const& W,
                 VView const& V, EighWorkspace<ExecSpace, T>& workspace) {
  assert_narrow_eigh_views<ExecSpace, AView, WView, VView>();
  return enqueue_and_fetch<int(AView::rank)>(exec, bind_narrow_eigh(function, workspace, A, W, V),
                                             workspace);
}

template <class ExecSpace, class AView, class WView, class VView>
auto narrow_eigh(char const* function, ExecSpace const& exec, AView const& A, WView const& W,
                 VView const& V, EighOptions const& options) {
  assert_narrow_eigh_views<ExecSpace, AView, WView, VView>();
  using Access = AccessTo<EighWorkspace<ExecSpace, typename AView::non_const_value_type>>;
  auto const extents = eigh_extents<VView>(function, A);
  auto const call = bind_narrow_eigh(function, extents, A, W, V);  // before memory is asked for
  auto const workspace = Access::uniform(exec, function, extents, options);
  return enqueue_and_copy<int(AView::rank)>(exec, placed(call, workspace), workspace);
}

}  // namespace detail

/// `eigh_async` for 16-bit matrices: `info` is a View of EighInfo<float>.
template <ExecutionSpace ExecSpace, NarrowView AView, class WView, class VView, class InfoView,
          class Real>
void eigh_async(ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
                InfoView const& info, EighWorkspace<ExecSpace, Real>& workspace) {
  detail::narrow_eigh_async("carroll::eigh_async", exec, A, W, V, info, workspace);
}

/// `eigh` for 16-bit matrices, with a workspace made before.
template <ExecutionSpace ExecSpace, NarrowView AView, class WView, class VView, class Real>
[[nodiscard]] auto eigh(ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
                        EighWorkspace<ExecSpace, Real>& workspace) {
  return detail::narrow_eigh("carroll::eigh", exec, A, W, V, workspace);
}

/// `eigh` for 16-bit matrices, one or a batch.
template <ExecutionSpace ExecSpace, NarrowView AView, class WView, class VView>
[[nodiscard]] auto eigh(ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
                        EighOptions const& options = {}) {
  return detail::narrow_eigh("carroll::eigh", exec, A, W, V, options);
}

/// The eigenvalues alone: `eigh` without V, the same bits in W.
template <ExecutionSpace ExecSpace, NarrowView AView, class WView>
[[nodiscard]] auto symmetric_eigenvalues(ExecSpace const& exec, AView const& A, WView const& W,
                                         EighOptions const& options = {}) {
  return detail::narrow_eigh("carroll::symmetric_eigenvalues", exec, A, W, none, options);
}

template <ExecutionSpace ExecSpace, NarrowView AView, class WView, class Real>
[[nodiscard]] auto symmetric_eigenvalues(ExecSpace const& exec, AView const& A, WView const& W,
                                         EighWorkspace<ExecSpace, Real>& workspace) {
  return detail::narrow_eigh("carroll::symmetric_eigenvalues", exec, A, W, none, workspace);
}

template <ExecutionSpace ExecSpace, NarrowView AView, class WView, class InfoView, class Real>
void symmetric_eigenvalues_async(ExecSpace const& exec, AView const& A, WView const& W,
                                 InfoView const& info, EighWorkspace<ExecSpace, Real>& workspace) {
  detail::narrow_eigh_async("carroll::symmetric_eigenvalues_async", exec, A, W, none, info,
                            workspace);
}

/// `eigh_ragged_async` for 16-bit matrices.
template <ExecutionSpace ExecSpace, NarrowView AView, class WView, class VView, class InfoView,
          class Real>
void eigh_ragged_async(ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
                       InfoView const& info, EighWorkspace<ExecSpace, Real>& workspace) {
  constexpr char const* function = "carroll::eigh_ragged_async";
  detail::assert_narrow_packed_eigh_views<ExecSpace, AView, WView, VView>();
  detail::assert_eigh_info<ExecSpace, InfoView, float, 1>();
  auto call = detail::bind_narrow_packed_eigh(function, workspace, A, W, V);
  detail::bind_infos(function, call.batch, info, workspace);
  detail::AccessTo<EighWorkspace<ExecSpace, Real>>::enqueue(exec, call, workspace);
}

/// `eigh_ragged` for 16-bit matrices, with a workspace made before.
template <ExecutionSpace ExecSpace, NarrowView AView, class WView, class VView, class Real>
[[nodiscard]] std::span<EighInfo<float> const> eigh_ragged(
    ExecSpace const& exec, AView const& A, WView const& W, VView const& V,
    EighWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_narrow_packed_eigh_views<ExecSpace, AView, WView, VView>();
  return detail::enqueue_and_fetch<1>(
      exec, detail::bind_narrow_packed_eigh("carroll::eigh_ragged", workspace, A, W, V), workspace);
}

/// `eigh_ragged` for 16-bit matrices. Fences `exec` three times.
template <ExecutionSpace ExecSpace, NarrowView AView, class WView, class VView>
[[nodiscard]] std::vector<EighInfo<float>> eigh_ragged(ExecSpace const& exec,
                                                       std::span<EighMember const> members,
                                                       AView const& A, WView const& W,
                                                       VView const& V,
                                                       EighOptions const& options = {}) {
  detail::assert_narrow_packed_eigh_views<ExecSpace, AView, WView, VView>();
  using T = typename AView::non_const_value_type;
  auto workspace = detail::AccessTo<EighWorkspace<ExecSpace, T>>::ragged(
      exec, "carroll::eigh_ragged", members, !detail::is_absent<VView>, options);
  auto const infos = eigh_ragged(exec, A, W, V, workspace);
  return {infos.begin(), infos.end()};
}

}  // namespace carroll
