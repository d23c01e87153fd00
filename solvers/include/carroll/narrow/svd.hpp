// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/calls.hpp>
#include <carroll/detail/narrow/svd_views.hpp>
#include <carroll/narrow.hpp>
#include <carroll/narrow/svd_workspace.hpp>
#include <carroll/none.hpp>
#include <carroll/svd.hpp>
#include <span>
#include <vector>

/// Singular value decomposition of matrices that are stored in 16 bits: `svd`, `singular_values`
/// and `svd_ragged` for Views of carroll::float16, carroll::bfloat16 or Kokkos' types like them.
/// They are called as those for floats are (svd.hpp), with the same shapes, options and infos:
///
///   auto info = carroll::svd(exec, A, U, S, V);
///
///   A      m×n in 16 bits, read only
///   S      min(m, n), of float
///   U, V   thin or full, of float, or of A's type, each by itself; or carroll::none
///
/// The work is done in single precision: all outputs have the bits that they have for the floats
/// that A's entries are, and U and V of 16 bits are these, each entry rounded once (beyond 11 or 8
/// digits they are not orthonormal then). The infos are SvdInfo<float>.
///
/// A is made floats in the workspace by one kernel before the solver's, and U and V are rounded by
/// one behind them: 6 bytes an entry of each. Nothing else is different: no fence, no allocation,
/// no work more. Numerical trouble is told by SvdInfo::status. Misuse throws std::invalid_argument
/// with the actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class AView, class UView, class SView, class VView, class InfoView,
          class T>
void narrow_svd_async(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
                      SView const& S, VView const& V, InfoView const& info,
                      SvdWorkspace<ExecSpace, T>& workspace) {
  assert_narrow_svd_views<ExecSpace, AView, UView, SView, VView>();
  assert_svd_info<ExecSpace, InfoView, float, int(AView::rank) - 2>();
  auto call = bind_narrow_svd(function, workspace, A, U, S, V);
  bind_infos(function, call.batch, info, workspace);
  AccessTo<SvdWorkspace<ExecSpace, T>>::enqueue(exec, call, workspace);
}

template <class ExecSpace, class AView, class UView, class SView, class VView, class T>
auto narrow_svd(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
                SView const& S, VView const& V, SvdWorkspace<ExecSpace, T>& workspace) {
  assert_narrow_svd_views<ExecSpace, AView, UView, SView, VView>();
  return enqueue_and_fetch<int(AView::rank)>(exec, bind_narrow_svd(function, workspace, A, U, S, V),
                                             workspace);
}

template <class ExecSpace, class AView, class UView, class SView, class VView>
auto narrow_svd(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
                SView const& S, VView const& V, SvdOptions const& options) {
  assert_narrow_svd_views<ExecSpace, AView, UView, SView, VView>();
  using Access = AccessTo<SvdWorkspace<ExecSpace, typename AView::non_const_value_type>>;
  auto const extents = wanted_extents(function, A, U, V);
  auto const call = bind_narrow_svd(function, extents, A, U, S, V);  // before memory is asked for
  auto const workspace = Access::uniform(exec, function, extents, options);
  return enqueue_and_copy<int(AView::rank)>(exec, placed(call, workspace), workspace);
}

}  // namespace detail

/// `svd_async` for 16-bit matrices: `info` is a View of SvdInfo<float>.
template <ExecutionSpace ExecSpace, NarrowView AView, class UView, class SView, class VView,
          class InfoView, class Real>
void svd_async(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
               VView const& V, InfoView const& info, SvdWorkspace<ExecSpace, Real>& workspace) {
  detail::narrow_svd_async("carroll::svd_async", exec, A, U, S, V, info, workspace);
}

/// `svd` for 16-bit matrices, with a workspace made before.
template <ExecutionSpace ExecSpace, NarrowView AView, class UView, class SView, class VView,
          class Real>
[[nodiscard]] auto svd(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                       VView const& V, SvdWorkspace<ExecSpace, Real>& workspace) {
  return detail::narrow_svd("carroll::svd", exec, A, U, S, V, workspace);
}

/// `svd` for 16-bit matrices, one or a batch.
template <ExecutionSpace ExecSpace, NarrowView AView, class UView, class SView, class VView>
[[nodiscard]] auto svd(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                       VView const& V, SvdOptions const& options = {}) {
  return detail::narrow_svd("carroll::svd", exec, A, U, S, V, options);
}

/// The singular values alone: `svd` without U and V, the same bits in S.
template <ExecutionSpace ExecSpace, NarrowView AView, class SView>
[[nodiscard]] auto singular_values(ExecSpace const& exec, AView const& A, SView const& S,
                                   SvdOptions const& options = {}) {
  return detail::narrow_svd("carroll::singular_values", exec, A, none, S, none, options);
}

template <ExecutionSpace ExecSpace, NarrowView AView, class SView, class Real>
[[nodiscard]] auto singular_values(ExecSpace const& exec, AView const& A, SView const& S,
                                   SvdWorkspace<ExecSpace, Real>& workspace) {
  return detail::narrow_svd("carroll::singular_values", exec, A, none, S, none, workspace);
}

template <ExecutionSpace ExecSpace, NarrowView AView, class SView, class InfoView, class Real>
void singular_values_async(ExecSpace const& exec, AView const& A, SView const& S,
                           InfoView const& info, SvdWorkspace<ExecSpace, Real>& workspace) {
  detail::narrow_svd_async("carroll::singular_values_async", exec, A, none, S, none, info,
                           workspace);
}

/// `svd_ragged_async` for 16-bit matrices.
template <ExecutionSpace ExecSpace, NarrowView AView, class UView, class SView, class VView,
          class InfoView, class Real>
void svd_ragged_async(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                      VView const& V, InfoView const& info,
                      SvdWorkspace<ExecSpace, Real>& workspace) {
  constexpr char const* function = "carroll::svd_ragged_async";
  detail::assert_narrow_packed_svd_views<ExecSpace, AView, UView, SView, VView>();
  detail::assert_svd_info<ExecSpace, InfoView, float, 1>();
  auto call = detail::bind_narrow_packed_svd(function, workspace, A, U, S, V);
  detail::bind_infos(function, call.batch, info, workspace);
  detail::AccessTo<SvdWorkspace<ExecSpace, Real>>::enqueue(exec, call, workspace);
}

/// `svd_ragged` for 16-bit matrices, with a workspace made before.
template <ExecutionSpace ExecSpace, NarrowView AView, class UView, class SView, class VView,
          class Real>
[[nodiscard]] std::span<SvdInfo<float> const> svd_ragged(ExecSpace const& exec, AView const& A,
                                                         UView const& U, SView const& S,
                                                         VView const& V,
                                                         SvdWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_narrow_packed_svd_views<ExecSpace, AView, UView, SView, VView>();
  return detail::enqueue_and_fetch<1>(
      exec, detail::bind_narrow_packed_svd("carroll::svd_ragged", workspace, A, U, S, V),
      workspace);
}

/// `svd_ragged` for 16-bit matrices. Fences `exec` three times.
template <ExecutionSpace ExecSpace, NarrowView AView, class UView, class SView, class VView>
[[nodiscard]] std::vector<SvdInfo<float>> svd_ragged(
    ExecSpace const& exec, std::span<SvdMember const> members, AView const& A, UView const& U,
    SView const& S, VView const& V, SvdOptions const& options = {},
    SvdVectors u = detail::default_vectors<UView>, SvdVectors v = detail::default_vectors<VView>) {
  detail::assert_narrow_packed_svd_views<ExecSpace, AView, UView, SView, VView>();
  using T = typename AView::non_const_value_type;
  auto workspace = detail::AccessTo<SvdWorkspace<ExecSpace, T>>::ragged(exec, "carroll::svd_ragged",
                                                                        members, u, v, options);
  auto const infos = svd_ragged(exec, A, U, S, V, workspace);
  return {infos.begin(), infos.end()};
}

}  // namespace carroll
