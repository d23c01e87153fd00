// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/eigh/views.hpp>
#include <carroll/detail/narrow/workspace.hpp>
#include <carroll/narrow/eigh_workspace.hpp>
#include <concepts>

/// From the caller's 16-bit Views to a checked call of `eigh` for floats.
namespace carroll::detail {

using NarrowEighCall = NarrowCall<EighBatch<float>, 1>;

template <class ExecSpace, int Rank, int WRank, class AView, class WView, class VView>
consteval void assert_narrow_eigh_views() {
  using T = typename AView::non_const_value_type;
  static_assert(is_view_of<AView, ExecSpace, T> && (int(AView::rank) == Rank),
                "carroll::eigh: a 16-bit A must be a strided View of rank 2 (one matrix) or 3 (a "
                "batch), of a ragged batch of rank 1, in memory that the execution space can "
                "access");
  static_assert(is_output_of<WView, ExecSpace, float> && rank_of<WView>() == WRank,
                "carroll::eigh: W of a 16-bit A must be a writable strided View of float, of one "
                "rank less than A, of a ragged batch of rank 1, in memory that the execution space "
                "can access");
  static_assert(is_narrow_output<VView, ExecSpace, Rank, T>,
                "carroll::eigh: V of a 16-bit A must be carroll::none or a writable strided View "
                "of A's rank, of float or A's type, in memory that the execution space can access");
}
template <class ExecSpace, class AView, class WView, class VView>
consteval void assert_narrow_eigh_views() {
  constexpr int rank = int(AView::rank) == 3 ? 3 : 2;
  assert_narrow_eigh_views<ExecSpace, rank, rank - 1, AView, WView, VView>();
}
template <class ExecSpace, class AView, class WView, class VView>
consteval void assert_narrow_packed_eigh_views() {
  assert_narrow_eigh_views<ExecSpace, 1, 1, AView, WView, VView>();
}

/// The Views checked against extents and against each other; without room.
template <class AView, class WView, class VView>
NarrowEighCall bind_narrow_eigh(char const* function, EighExtents const& extents, AView const& A,
                                WView const& W, VView const& V) {
  auto const& [members, n, vectors] = extents;
  require_made_for<VView>(function, "V", vectors);
  NarrowEighCall call{};
  Binder bind(function);
  bind_narrow(bind, call.a, "A", A, {members, n, n});
  bind.output(call.batch.w, "W", W, {members, n});
  bind_narrow(bind, call.outputs[0], "V", V, {members, n, n});
  return call;
}

/// In the workspace's room.
template <class ExecSpace, class T>
NarrowEighCall placed(NarrowEighCall call, EighWorkspace<ExecSpace, T> const& workspace) {
  using Access = AccessTo<EighWorkspace<ExecSpace, T>>;
  auto const& room = Access::room(workspace);
  place(call.a, room.floats[0], room.pieces[0]);
  place(call.outputs[0], room.floats[1], room.pieces[1]);
  auto const& wide = call.a.wide;
  EighViews<float> views;
  views.a = {wide.data, wide.extents, wide.strides};
  views.w = call.batch.w;
  views.v = call.outputs[0].wide;
  call.batch = Access::Wide::batch(Access::wide(workspace), views);
  return call;
}

template <class ExecSpace, class T, class AView, class WView, class VView>
NarrowEighCall bind_narrow_eigh(char const* function, EighWorkspace<ExecSpace, T> const& workspace,
                                AView const& A, WView const& W, VView const& V) {
  CARROLL_ASSERT_WORKSPACE("carroll::eigh", AView, T);
  require_uniform(function, workspace);
  return placed(bind_narrow_eigh(function, workspace.extents(), A, W, V), workspace);
}

template <class ExecSpace, class T, class AView, class WView, class VView>
NarrowEighCall bind_narrow_packed_eigh(char const* function,
                                       EighWorkspace<ExecSpace, T> const& workspace, AView const& A,
                                       WView const& W, VView const& V) {
  CARROLL_ASSERT_WORKSPACE("carroll::eigh_ragged", AView, T);
  require_ragged(function, workspace);
  require_made_for<VView>(function, "V", workspace.extents().vectors);
  using Access = AccessTo<EighWorkspace<ExecSpace, T>>;
  auto const& sizes = Access::Wide::packed_sizes(Access::wide(workspace));
  NarrowEighCall call{};
  Binder bind(function);
  bind_narrow_packed(bind, call.a, "A", A, sizes[0]);
  bind.packed_output(call.batch.w, "W", W, sizes[1]);
  bind_narrow_packed(bind, call.outputs[0], "V", V, sizes[2]);
  return placed(call, workspace);
}

}  // namespace carroll::detail
