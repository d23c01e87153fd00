// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/narrow/workspace.hpp>
#include <carroll/detail/svd/views.hpp>
#include <carroll/narrow/svd_workspace.hpp>
#include <concepts>
#include <cstdint>

/// From the caller's 16-bit Views to a checked call of `svd` for floats.
namespace carroll::detail {

using NarrowSvdCall = NarrowCall<SvdBatch<float>, 2>;

template <class ExecSpace, int Rank, int SRank, class AView, class UView, class SView, class VView>
consteval void assert_narrow_svd_views() {
  using T = typename AView::non_const_value_type;
  static_assert(is_view_of<AView, ExecSpace, T> && (int(AView::rank) == Rank),
                "carroll::svd: a 16-bit A must be a strided View of rank 2 (one matrix) or 3 (a "
                "batch), of a ragged batch of rank 1, in memory that the execution space can "
                "access");
  static_assert(is_output_of<SView, ExecSpace, float> && rank_of<SView>() == SRank,
                "carroll::svd: S of a 16-bit A must be a writable strided View of float, of one "
                "rank less than A, of a ragged batch of rank 1, in memory that the execution space "
                "can access");
  static_assert(is_narrow_output<UView, ExecSpace, Rank, T>,
                "carroll::svd: U of a 16-bit A must be carroll::none or a writable strided View of "
                "A's rank, of float or A's type, in memory that the execution space can access");
  static_assert(is_narrow_output<VView, ExecSpace, Rank, T>,
                "carroll::svd: V of a 16-bit A must be carroll::none or a writable strided View of "
                "A's rank, of float or A's type, in memory that the execution space can access");
}
template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_narrow_svd_views() {
  constexpr int rank = int(AView::rank) == 3 ? 3 : 2;
  assert_narrow_svd_views<ExecSpace, rank, rank - 1, AView, UView, SView, VView>();
}
template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_narrow_packed_svd_views() {
  assert_narrow_svd_views<ExecSpace, 1, 1, AView, UView, SView, VView>();
}

/// The Views checked against extents and against each other; without room.
template <class AView, class UView, class SView, class VView>
NarrowSvdCall bind_narrow_svd(char const* function, SvdExtents const& extents, AView const& A,
                              UView const& U, SView const& S, VView const& V) {
  auto const& [members, m, n, u, v] = extents;
  std::int64_t const least = std::min(m, n);
  require_wanted<UView>(function, "U", u);
  require_wanted<VView>(function, "V", v);
  NarrowSvdCall call{};
  Binder bind(function);
  bind_narrow(bind, call.a, "A", A, {members, m, n});
  bind.output(call.batch.s, "S", S, {members, least});
  bind_narrow(bind, call.outputs[0], "U", U, {members, m, vector_columns(u, m, least)});
  bind_narrow(bind, call.outputs[1], "V", V, {members, n, vector_columns(v, n, least)});
  return call;
}

/// In the workspace's room.
template <class ExecSpace, class T>
NarrowSvdCall placed(NarrowSvdCall call, SvdWorkspace<ExecSpace, T> const& workspace) {
  using Access = AccessTo<SvdWorkspace<ExecSpace, T>>;
  auto const& room = Access::room(workspace);
  place(call.a, room.floats[0], room.pieces[0]);
  place(call.outputs[0], room.floats[1], room.pieces[1]);
  place(call.outputs[1], room.floats[2], room.pieces[2]);
  SvdViews<float> views;
  auto const& wide = call.a.wide;
  views.a = {wide.data, wide.extents, wide.strides};
  views.u = call.outputs[0].wide;
  views.s = call.batch.s;
  views.v = call.outputs[1].wide;
  call.batch = Access::Wide::batch(Access::wide(workspace), views);
  return call;
}

template <class ExecSpace, class T, class AView, class UView, class SView, class VView>
NarrowSvdCall bind_narrow_svd(char const* function, SvdWorkspace<ExecSpace, T> const& workspace,
                              AView const& A, UView const& U, SView const& S, VView const& V) {
  CARROLL_ASSERT_WORKSPACE("carroll::svd", AView, T);
  require_uniform(function, workspace);
  return placed(bind_narrow_svd(function, workspace.extents(), A, U, S, V), workspace);
}

template <class ExecSpace, class T, class AView, class UView, class SView, class VView>
NarrowSvdCall bind_narrow_packed_svd(char const* function,
                                     SvdWorkspace<ExecSpace, T> const& workspace, AView const& A,
                                     UView const& U, SView const& S, VView const& V) {
  CARROLL_ASSERT_WORKSPACE("carroll::svd_ragged", AView, T);
  require_ragged(function, workspace);
  require_wanted<UView>(function, "U", workspace.extents().u);
  require_wanted<VView>(function, "V", workspace.extents().v);
  using Access = AccessTo<SvdWorkspace<ExecSpace, T>>;
  auto const& sizes = Access::Wide::packed_sizes(Access::wide(workspace));
  NarrowSvdCall call{};
  Binder bind(function);
  bind_narrow_packed(bind, call.a, "A", A, sizes[0]);
  bind.packed_output(call.batch.s, "S", S, sizes[2]);
  bind_narrow_packed(bind, call.outputs[0], "U", U, sizes[1]);
  bind_narrow_packed(bind, call.outputs[1], "V", V, sizes[3]);
  return placed(call, workspace);
}

}  // namespace carroll::detail
